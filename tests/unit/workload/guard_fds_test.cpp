// SPDX-License-Identifier: GPL-2.0-or-later
// What a launcher opens for the guard of a server, when this process has no room for it.
#include "daemon/workload/guard_fds.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <string>

#include "tests/unit/workload/iperf3_fixture.hpp"

namespace netperfd::workload::test {
namespace {

std::ptrdiff_t descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

// This process can open one more descriptor, as long as this object lives.
class RoomForOne {
 public:
  RoomForOne() {
    const int next = Fd{::dup(STDERR_FILENO)}.get();
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit limit{.rlim_cur = static_cast<rlim_t>(next) + 1, .rlim_max = before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  }
  RoomForOne(const RoomForOne&) = delete;
  RoomForOne& operator=(const RoomForOne&) = delete;
  ~RoomForOne() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_{};
};

class GuardFdsTest : public testing::Test {
 protected:
  GuardFdsTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    launcher_.reset(ends[0]);
    daemon_.reset(ends[1]);
    GuardFds sent;
    sent.calls.reset(::dup(STDIN_FILENO));
    sent.sockets.reset(::dup(STDOUT_FILENO));
    LaunchReport packet;
    packet.stops_calls = true;
    EXPECT_TRUE(send_report(launcher_.get(), packet, sent));
  }
  GuardFds receive() {
    GuardFds received;
    LaunchReport packet;
    pid_t sender = 0;
    EXPECT_EQ(receive_report(daemon_, packet, received, sender), static_cast<ssize_t>(sizeof packet));
    return received;
  }

 private:
  Fd launcher_, daemon_;
};

TEST_F(GuardFdsTest, both_arrive) {
  const GuardFds received = receive();
  EXPECT_TRUE(received.calls && received.sockets && received.stops_calls);
  EXPECT_EQ(received.error_number, 0);
}

TEST_F(GuardFdsTest, of_which_one_has_no_room_are_none_and_stay_open_nowhere) {
  const std::ptrdiff_t before = descriptors();
  GuardFds received;
  {
    const RoomForOne room;
    received = receive();
  }
  EXPECT_FALSE(received.calls);
  EXPECT_FALSE(received.sockets) << "it may be the other one";
  EXPECT_TRUE(received.stops_calls);
  EXPECT_EQ(received.error_number, EMFILE);
  EXPECT_EQ(descriptors(), before);
}

class Iperf3WithoutRoomTest : public Iperf3WorkloadTest {};

TEST_F(Iperf3WithoutRoomTest, ends_before_it_begins_and_says_why) {
  prepare(with_local_server());
  {
    const RoomForOne room;
    wait_for_end();
  }
  EXPECT_EQ(error(), "local server: its calls cannot be answered: Too many open files");
  EXPECT_EQ(listener.prepared, 0);
}

}  // namespace
}  // namespace netperfd::workload::test
