// SPDX-License-Identifier: GPL-2.0-or-later
// A client that fails: it closes its connections before the guard meets them.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "tests/support/patience.hpp"
#include "tests/unit/workload/server_guard_fixture.hpp"

namespace netperfd::workload::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

// A client of bash that closes what it has opened while the loop, and so the guard, stands still.
class ServerGuardLeavingTest : public ServerGuardTest {
 protected:
  void SetUp() override {
    ServerGuardTest::SetUp();
    for (const std::string& name : {said_name_, go_name_}) {
      ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
      ASSERT_EQ(::chmod(name.c_str(), 0666), 0);
    }
    said_.reset(::open(said_name_.c_str(), O_RDWR | O_CLOEXEC));
    go_.reset(::open(go_name_.c_str(), O_RDWR | O_CLOEXEC));
  }
  // In `script`, descriptor 3 is the first connection; `stream tcp WORDS` opens another one, says something
  // and closes it; `say` is for hear().
  void set_client(const JobSpec& job, const std::string& script) {
    const bool udp = job.test.traffic.protocol == Protocol::udp;
    const std::string options =
        fmt::format(R"({{"{}":true,"time":1,"parallel":{},"len":1000,"client_version":"3.12"}})",
                    udp ? "udp" : "tcp", job.test.traffic.streams);
    const std::string places = fmt::format(
        "said={} go={} server={} cookie='{}\\0' options='{}' size='\\x{:02x}'", said_name_, go_name_,
        NamespacePair::kRightAddress, kPlausible.substr(0, 36), options, options.size());
    settings.path = directory_.add_program("iperf3", "#!/bin/bash\n" + places + R"(
case "$*" in *--client*) ;; *) exec iperf3 "$@";; esac
say() { echo >$said; }
wait_to_go() { read <$go; }
stream() { (exec 4<>/dev/$1/$server/5201; printf "$2" >&4); }
hear_byte() { head -c 1 <&$1 >/dev/null; }
meet() {
  say
  hear_byte 3
  printf "\0\0\0$size%s" "$options" >&3
  hear_byte 3
  say
  wait_to_go
}
exec 3<>/dev/tcp/$server/5201
printf "$cookie" >&3
)" + script + "\nexit 1\n");
  }
  [[nodiscard]] bool has_said() const {
    pollfd polled{.fd = said_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&polled, 1, 0) == 1;
  }
  // The client's next word, while the loop stands still or turns.
  void hear() const {
    pollfd polled{.fd = said_.get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&polled, 1, kTestPatienceMs), 1);
    char word = 0;
    ASSERT_EQ(::read(said_.get(), &word, 1), 1);
  }
  void hear_turning() {
    EXPECT_TRUE(turn_until(loop, [this] { return has_said() || listener.result; }));
    if (has_said()) return hear();
    ADD_FAILURE() << "the client did not come so far";
    if (listener.active) listener.active->stop();
  }
  // Its first connection is met, and the server waits for its stream.
  void let_it_meet(const JobSpec& job) {
    ASSERT_NO_FATAL_FAILURE(prepare_and_release(job));
    ASSERT_NO_FATAL_FAILURE(hear());
    ASSERT_NO_FATAL_FAILURE(hear_turning());
  }
  void let_it_leave() const {
    ASSERT_EQ(::write(go_.get(), "\n", 1), 1);
    ASSERT_NO_FATAL_FAILURE(hear());
  }

 private:
  TemporaryDirectory directory_;
  std::string said_name_ = directory_.path() + "/said", go_name_ = directory_.path() + "/go";
  Fd said_, go_;
};

// The client makes a stream, closes it, and lives until the server has begun the test.
constexpr const char* kClosesStream = "meet; stream tcp \"$cookie\"; say; hear_byte 3; say";

TEST_F(ServerGuardLeavingTest, is_a_client_whose_stream_reaches_the_server_after_it_was_closed) {
  set_client(with_local_server(), kClosesStream);
  ASSERT_NO_FATAL_FAILURE(let_it_meet(with_local_server()));
  ASSERT_NO_FATAL_FAILURE(let_it_leave());
  hear_turning();
  wait_for_end();
  EXPECT_EQ(flag("server-disturbed"), "");
  EXPECT_THAT(error(), Not(HasSubstr("was reached by")));
}

TEST_F(ServerGuardLeavingTest, strangers_are_told_beside_a_stream_that_was_closed) {
  set_client(with_local_server(), kClosesStream);
  ASSERT_NO_FATAL_FAILURE(let_it_meet(with_local_server()));
  std::string other{kPlausible};
  other.front() = 'z';
  for (const std::string& words : {std::string("GET / HTTP/1.1"), other, std::string()})
    ASSERT_TRUE(connect_as_stranger(namespaces->left(), words)) << "and is closed";
  const Fd silent = connect_as_stranger(namespaces->right(), "");
  ASSERT_TRUE(silent);
  ASSERT_NO_FATAL_FAILURE(let_it_leave());
  hear_turning();
  wait_for_end();
  EXPECT_EQ(flag("server-disturbed"),
            "The local server is for this run's client alone. netperfd refused 3 connections from 10.97.0.1, "
            "1 connection of uid 4711 from 10.97.0.2.");
}

TEST_F(ServerGuardLeavingTest, is_a_client_that_was_never_met_and_a_stranger_is_told) {
  set_client(with_local_server(), "exec 3>&-; say; wait_to_go; say");
  ASSERT_NO_FATAL_FAILURE(prepare_and_release(with_local_server()));
  ASSERT_NO_FATAL_FAILURE(hear());
  const Fd stranger = connect_as_stranger(namespaces->left(), "GET / HTTP/1.1");
  ASSERT_TRUE(stranger);
  pollfd polled{.fd = stranger.get(), .events = 0, .revents = 0};
  EXPECT_TRUE(turn_until(loop, [&] { return ::poll(&polled, 1, 0) == 1; }))
      << "it is refused, after the client";
  ASSERT_NO_FATAL_FAILURE(let_it_leave());
  wait_for_end();
  EXPECT_THAT(flag("server-disturbed"), HasSubstr("refused 1 connection of uid 4711 from 10.97.0.1."));
}

TEST_F(ServerGuardLeavingTest, is_a_client_whose_datagram_is_read_after_its_socket_was_closed) {
  constexpr std::uint32_t kGreeting = 0x36373839;
  std::string greeting(sizeof kGreeting, ' ');
  std::memcpy(greeting.data(), &kGreeting, sizeof kGreeting);
  JobSpec job = with_local_server();
  job.test.traffic.protocol = Protocol::udp;
  job.test.traffic.bitrate = 1'000'000;
  job.test.traffic.streams = 2;
  // The answer to the last one shows that those before it were dealt with.
  set_client(job, fmt::format("meet; stream udp {0}; stream udp x; exec 5<>/dev/udp/$server/5201; "
                              "printf {0} >&5; say; hear_byte 5; say",
                              greeting));
  ASSERT_NO_FATAL_FAILURE(let_it_meet(job));
  ASSERT_NO_FATAL_FAILURE(let_it_leave());
  hear_turning();
  wait_for_end();
  EXPECT_THAT(flag("server-disturbed"), HasSubstr("refused 1 datagram from 10.97.0.1."))
      << "the one that is no greeting of iperf3";
}

}  // namespace
}  // namespace netperfd::workload::test
