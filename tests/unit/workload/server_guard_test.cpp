// SPDX-License-Identifier: GPL-2.0-or-later
// Other users connect to the server of a run: real iperf3 in namespaces that they can reach.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "tests/unit/workload/server_guard_fixture.hpp"

namespace netperfd::workload::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// A stranger who never stops: each connection says something else, and ends by a reset.
class Flood {
 public:
  Flood(const std::string& netns, int type)
      : thread_([this, netns, type] {
          become_stranger(netns);
          const sockaddr_in address = server_address();
          for (int i = 0; !over_; ++i) {
            const Fd socket{::socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
            (void)::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
            const std::string words(static_cast<std::size_t>(i % 50), i % 2 == 0 ? 'a' : '\n');
            (void)::send(socket.get(), words.data(), words.size(), MSG_NOSIGNAL);
            if (i % 8 == 0) std::this_thread::yield();
            const linger reset{.l_onoff = i % 3 == 0 ? 1 : 0, .l_linger = 0};
            (void)::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
          }
        }) {}
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;
  ~Flood() {
    over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

TEST_F(ServerGuardTest, says_nothing_if_nobody_else_comes) {
  prepare_and_release(with_local_server());
  wait_for_end();
  expect_measured();
  EXPECT_EQ(flag("server-disturbed"), "");
}

TEST_F(ServerGuardTest, refuses_those_who_connect_before_the_client) {
  prepare(with_local_server());
  wait_for_prepared();
  const Fd silent = connect_as_stranger(namespaces->right(), "");
  const Fd far = connect_as_stranger(namespaces->left(), std::string(37, 'x'));
  const Fd plausible = connect_as_stranger(namespaces->right(), kPlausible);
  ASSERT_TRUE(silent && far && plausible);
  listener.active->release();
  wait_for_end();
  expect_measured();
  EXPECT_THAT(flag("server-disturbed"), AllOf(HasSubstr("2 connections of uid 4711 from 10.97.0.2"),
                                              HasSubstr("1 connection of uid 4711 from 10.97.0.1")));
}

TEST_F(ServerGuardTest, lets_nobody_in_during_the_test) {
  JobSpec job = with_local_server();
  job.test.traffic.streams = 2;
  prepare_and_release(job);
  wait_for_traffic();
  EXPECT_FALSE(connect_as_stranger(namespaces->right(), "", 100ms));
  wait_for_end();
  expect_measured();
  EXPECT_EQ(flag("server-disturbed"), "") << "it was dropped before it was a connection";
}

// With these options, iperf3 closes the listening socket after the first connection and opens another one.
TEST_F(ServerGuardTest, keeps_a_flood_of_connections_from_all_streams) {
  JobSpec job = with_local_server();
  job.test.traffic.streams = 8;
  job.test.traffic.direction = Direction::both;
  job.test.iperf3.no_delay = true;
  const Flood flood(namespaces->right(), SOCK_STREAM);
  prepare_and_release(job);
  wait_for_end();
  expect_measured();
  EXPECT_THAT(listener.result->report.streams, SizeIs(16));
  EXPECT_THAT(flag("server-disturbed"),
              AllOf(HasSubstr(" of uid 4711 from 10.97.0.2"), Not(HasSubstr("uid 0"))));
}

TEST_F(ServerGuardTest, leaves_the_loop_to_calls_on_the_bus_during_a_flood) {
  prepare(with_local_server());
  wait_for_prepared();
  const Flood flood(namespaces->right(), SOCK_STREAM);
  int turns = 0;
  EventSource source;
  const std::function<void()> turn = [&] {
    ++turns;
    auto next = loop.after(0us, turn);  // with the priority of such calls
    ASSERT_TRUE(next);
    source = *std::move(next);
  };
  turn();
  EXPECT_TRUE(turn_until(loop, [&] { return turns > 200; }));
  ASSERT_TRUE(listener.active) << error();
  listener.active->release();
  wait_for_end();
  expect_measured();
  EXPECT_THAT(flag("server-disturbed"), HasSubstr("from 10.97.0.2"));
}

TEST_F(ServerGuardTest, keeps_the_datagrams_of_others_from_udp_streams) {
  JobSpec job = with_local_server();
  job.test.traffic.protocol = Protocol::udp;
  job.test.traffic.bitrate = 1'000'000;
  job.test.traffic.streams = 32;
  const Flood flood(namespaces->right(), SOCK_DGRAM);
  // The streams begin within milliseconds, so that a flood may miss them.
  for (int attempt = 0; attempt < 10 && (attempt == 0 || flag("server-disturbed").empty()); ++attempt) {
    measure(job);
    expect_measured();
    for (const Totals& sum : listener.result->report.sums) {
      EXPECT_EQ(sum.lost_packets, 0);
      // The last datagrams may still be on their way.
      EXPECT_LE(sum.received_bytes, sum.sent_bytes);
    }
    EXPECT_THAT(document("client.stdout"), Not(ContainsRegex("\"out_of_order\":[ \t]*[1-9]")));
  }
  EXPECT_THAT(flag("server-disturbed"), AllOf(HasSubstr("datagram"), HasSubstr("from 10.97.0.2")));
}

// A third namespace, in which the client runs although netperfd believes it in the left one. So the kernel
// does not know the far ends of its connections there, as if the path translated addresses.
class Elsewhere {
 public:
  explicit Elsewhere(const NamespacePair& pair) : right_(pair.right()) {
    in({"ip", "netns", "add", name()});
    in({"ip", "-n", name(), "link", "add", "veth1", "type", "veth", "peer", "name", "veth1", "netns",
        right_});
    in({"ip", "-n", name(), "address", "add", "10.98.0.1/24", "dev", "veth1"});
    in({"ip", "-n", right_, "address", "add", "10.98.0.2/24", "dev", "veth1"});
    for (const std::string& netns : {name(), right_}) in({"ip", "-n", netns, "link", "set", "veth1", "up"});
    in({"ip", "-n", name(), "route", "add", "10.97.0.0/24", "via", "10.98.0.2"});
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  ~Elsewhere() { in({"ip", "netns", "delete", name()}); }
  [[nodiscard]] static std::string name() { return fmt::format("npw-else-{}", ::getpid()); }

 private:
  static void in(const std::vector<std::string>& argv) { EXPECT_EQ(run_program(argv), 0) << argv.at(1); }
  std::string right_;
};

TEST_F(ServerGuardTest, frees_the_port_with_the_run) {
  for (int run = 0; run < 2; ++run) {
    measure(with_local_server());
    expect_measured();
  }
}

// Others who are not in the namespaces of the test, and a client that begins when the test lets it.
class ServerGuardBeyondTest : public ServerGuardTest {
 protected:
  void SetUp() override {
    ServerGuardTest::SetUp();
    elsewhere_.emplace(*namespaces);
    ASSERT_EQ(::mkfifo(begin_.c_str(), 0600), 0);
    settings.uid = settings.gid = 0;  // which may enter a namespace
    settings.guard_patience.cookie = kTestPatience;
    set_client("");
  }
  void set_client(const std::string& before) {
    settings.path = directory_.add_program("iperf3", fmt::format(R"(#!/bin/sh
case "$*" in *--client*) read go <{}; exec {} iperf3 "$@";; esac
exec iperf3 "$@"
)",
                                                                 begin_, before));
  }
  void let_the_client_begin() const {
    const Fd begin{::open(begin_.c_str(), O_WRONLY | O_CLOEXEC)};
    EXPECT_EQ(::write(begin.get(), "\n", 1), 1);
  }
  // What the kernel tells of the connection; nothing if it does not within the time.
  [[nodiscard]] short wait_for(short events, const Fd& connection,
                               std::chrono::milliseconds time = kTestPatience) {
    pollfd polled{.fd = connection.get(), .events = events, .revents = 0};
    (void)turn_until(loop, [&] { return ::poll(&polled, 1, 0) == 1; }, time);
    return polled.revents;
  }
  static Fd connect_from_elsewhere() { return connect_as_stranger(Elsewhere::name(), kPlausible); }

 private:
  std::optional<Elsewhere> elsewhere_;
  TemporaryDirectory directory_;
  std::string begin_ = directory_.path() + "/begin";
};

TEST_F(ServerGuardBeyondTest, knows_a_client_whose_address_is_translated_by_its_cookie) {
  set_client("ip netns exec " + Elsewhere::name());
  JobSpec job = with_local_server();
  job.test.traffic.streams = 4;
  prepare(job);
  wait_for_prepared();
  const Fd silent = connect_as_stranger(namespaces->left(), "");
  const Fd garbage = connect_as_stranger(namespaces->left(), std::string(37, 'x'));
  listener.active->release();
  const Fd late = connect_as_stranger(namespaces->right(), "");
  const Fd gone = connect_from_elsewhere();
  ASSERT_TRUE(gone);
  ::shutdown(gone.get(), SHUT_WR);
  EXPECT_TRUE(wait_for(0, gone) & POLLERR) << "who sends a cookie and leaves is refused at once";
  const auto begin = std::chrono::steady_clock::now();
  let_the_client_begin();
  wait_for_end();
  expect_measured();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 3s + 1s) << "a third SYN, and the test";
  EXPECT_THAT(listener.result->report.streams, SizeIs(4));
  EXPECT_THAT(document("server.stdout"), HasSubstr("Accepted connection from 10.98.0.1"));
  EXPECT_THAT(flag("server-disturbed"),
              AllOf(HasSubstr("of uid 4711"), HasSubstr("1 connection from 10.98.0.1")));
}

TEST_F(ServerGuardBeyondTest, prefers_the_client_to_others_with_a_cookie_even_if_its_SYN_was_lost) {
  settings.guard_patience.client = kTestPatience;
  prepare_and_release(with_local_server());
  const Fd stranger = connect_from_elsewhere();
  ASSERT_TRUE(stranger);
  EXPECT_EQ(wait_for(POLLIN, stranger, 1s), 0) << "the kernel sends the second SYN after a second";
  let_the_client_begin();
  wait_for_end();
  expect_measured();
  EXPECT_THAT(flag("server-disturbed"), HasSubstr("1 connection from 10.98.0.1"));
}

}  // namespace
}  // namespace netperfd::workload::test
