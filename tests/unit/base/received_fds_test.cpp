// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/received_fds.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/base/event_loop.hpp"
#include "daemon/base/foreign_fd.hpp"
#include "tests/unit/import/silent_file.hpp"

namespace netperfd {
namespace {

struct stat about(int fd) {
  struct stat found{};
  EXPECT_EQ(::fstat(fd, &found), 0);
  return found;
}

bool is_same_file(int a, int b) {
  const auto first = about(a);
  const auto second = about(b);
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// Whether the other end of this pipe is closed by now, or within ten seconds.
bool is_closed(const Fd& read_end) {
  pollfd watched{read_end.get(), POLLIN, 0};
  return ::poll(&watched, 1, 10'000) == 1 && (watched.revents & POLLHUP) != 0;
}

class ReceivedFdsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = EventLoop::create();
    ASSERT_TRUE(made);
    loop.emplace(std::move(*made));
    received.emplace(*loop, [this] { ++too_many; });
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    near.reset(ends[0]);
    far.reset(ends[1]);
    received->guard(near.get());
  }

  static constexpr std::size_t kMost = 16;
  union Control {
    cmsghdr align;
    std::array<char, CMSG_SPACE(sizeof(int) * kMost)> bytes;
  };

  static void send(const Fd& to, const std::vector<int>& numbers) {
    char byte = 'x';
    iovec data{&byte, 1};
    Control control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes.data();
    message.msg_controllen = CMSG_SPACE(sizeof(int) * numbers.size());
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int) * numbers.size());
    std::memcpy(CMSG_DATA(part), numbers.data(), sizeof(int) * numbers.size());
    ASSERT_EQ(::sendmsg(to.get(), &message, 0), 1);
  }

  static std::vector<int> receive(const Fd& from) {
    char byte = 0;
    iovec data{&byte, 1};
    Control control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes.data();
    message.msg_controllen = sizeof control;
    EXPECT_EQ(::recvmsg(from.get(), &message, MSG_CMSG_CLOEXEC), 1);
    EXPECT_EQ(byte, 'x');
    const cmsghdr* part = CMSG_FIRSTHDR(&message);
    if (part == nullptr) return {};
    std::vector<int> numbers((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(numbers.data(), CMSG_DATA(part), numbers.size() * sizeof(int));
    return numbers;
  }

  void turn() { sd_event_run(loop->raw(), 0); }

  std::optional<EventLoop> loop;
  std::optional<ReceivedFds> received;
  int too_many = 0;
  Fd near, far;
};

TEST_F(ReceivedFdsTest, stay_here_and_tokens_stand_for_them) {
  const Fd one{::memfd_create("one", MFD_CLOEXEC)};
  const Fd two{::memfd_create("two", MFD_CLOEXEC)};
  send(far, {one.get(), two.get()});
  const auto numbers = receive(near);
  ASSERT_EQ(numbers.size(), 2U);
  const Fd first{numbers[0]};
  const Fd second{numbers[1]};
  EXPECT_TRUE(S_ISFIFO(about(first.get()).st_mode));
  const auto taken_second = received->take(second.get());
  const auto taken_first = received->take(first.get());
  ASSERT_TRUE(taken_first && taken_second);
  EXPECT_TRUE(is_same_file(taken_first->get().get(), one.get()));
  EXPECT_TRUE(is_same_file(taken_second->get().get(), two.get()));
  EXPECT_FALSE(received->take(first.get())) << "it was taken";
}

TEST_F(ReceivedFdsTest, a_duplicate_of_a_token_stands_for_the_same) {
  const Fd file{::memfd_create("one", MFD_CLOEXEC)};
  send(far, {file.get()});
  Fd token{receive(near).at(0)};
  const Fd copy{::fcntl(token.get(), F_DUPFD_CLOEXEC, 0)};
  token.reset();
  turn();
  const auto taken = received->take(copy.get());
  ASSERT_TRUE(taken);
  EXPECT_TRUE(is_same_file(taken->get().get(), file.get()));
}

TEST_F(ReceivedFdsTest, are_closed_once_the_last_copy_of_their_token_is) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  send(far, {pipe->write.get()});
  pipe->write.reset();
  Fd token{receive(near).at(0)};
  Fd copy{::fcntl(token.get(), F_DUPFD_CLOEXEC, 0)};
  token.reset();
  turn();
  pollfd watched{pipe->read.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, 0), 0) << "a copy is open";
  copy.reset();
  turn();
  EXPECT_TRUE(is_closed(pipe->read));
}

TEST_F(ReceivedFdsTest, are_closed_with_their_owner) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  send(far, {pipe->write.get()});
  pipe->write.reset();
  const Fd token{receive(near).at(0)};
  received.reset();
  EXPECT_TRUE(is_closed(pipe->read));
}

TEST_F(ReceivedFdsTest, whose_file_system_does_not_answer_hold_up_nobody) {
  const auto silent = import::test::SilentFile::make();
  if (!silent) GTEST_SKIP() << "this machine mounts no FUSE file system";
  // Closing it here would block too, until the file system is gone.
  const Fd sent = silent->take();
  const auto closes_before = closes_under_way();
  send(far, {sent.get()});
  Fd token{receive(near).at(0)};
  const auto before = std::chrono::steady_clock::now();
  token.reset();
  turn();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds{5});
  EXPECT_EQ(closes_under_way(), closes_before + 1);
  silent->let_go();
}

TEST_F(ReceivedFdsTest, of_other_sockets_are_left_alone) {
  const Fd file{::memfd_create("one", MFD_CLOEXEC)};
  send(near, {file.get()});
  const Fd got{receive(far).at(0)};
  EXPECT_TRUE(is_same_file(got.get(), file.get()));
}

TEST_F(ReceivedFdsTest, beyond_the_limit_are_closed_and_their_caller_is_to_try_again) {
  const Fd file{::memfd_create("one", MFD_CLOEXEC)};
  std::vector<Fd> tokens;
  for (std::size_t i = 0; i < ReceivedFds::kHeldLimit; ++i) {
    send(far, {file.get()});
    tokens.emplace_back(receive(near).at(0));
    ASSERT_TRUE(tokens.back()) << i;
  }
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  send(far, {pipe->write.get()});
  pipe->write.reset();
  EXPECT_EQ(receive(near).at(0), -1);
  EXPECT_TRUE(is_closed(pipe->read));
  const auto taken = received->take(-1);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind, ErrorKind::busy);
  EXPECT_EQ(too_many, 0);
  tokens.pop_back();
  turn();
  send(far, {file.get()});
  EXPECT_TRUE(Fd{receive(near).at(0)});
}

TEST_F(ReceivedFdsTest, that_arrive_while_too_many_cannot_be_closed_are_told_of) {
  const auto silent = import::test::SilentFile::make();
  if (!silent) GTEST_SKIP() << "this machine mounts no FUSE file system";
  const Fd sent = silent->take();
  while (closes_under_way() < ReceivedFds::kClosingLimit) {
    close_elsewhere(Fd{::fcntl(sent.get(), F_DUPFD_CLOEXEC, 0)});
  }
  EXPECT_EQ(too_many, 0);
  const Fd file{::memfd_create("one", MFD_CLOEXEC)};
  send(far, {file.get()});
  EXPECT_TRUE(Fd{receive(near).at(0)});
  EXPECT_EQ(too_many, 1);
  silent->let_go();
}

TEST_F(ReceivedFdsTest, what_is_no_token_stands_for_nothing) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  EXPECT_FALSE(received->take(pipe->write.get()));
  EXPECT_FALSE(received->take(-1));
}

// Whether libsystemd is bound to our recvmsg().
TEST_F(ReceivedFdsTest, of_messages_of_sd_bus_are_replaced) {
  struct Unref {
    void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
  };
  using Bus = std::unique_ptr<sd_bus, Unref>;
  const auto connect = [](Fd& socket, bool server) {
    sd_bus* raw = nullptr;
    EXPECT_GE(sd_bus_new(&raw), 0);
    const int number = socket.release();
    EXPECT_GE(sd_bus_set_fd(raw, number, number), 0);
    if (server) {
      EXPECT_GE(sd_bus_set_server(raw, 1, sd_id128_t{.bytes = {1}}), 0);
    }
    EXPECT_GE(sd_bus_negotiate_fds(raw, 1), 0);
    EXPECT_GE(sd_bus_start(raw), 0);
    return Bus{raw};
  };
  const Bus receiver = connect(near, true);
  const Bus sender = connect(far, false);
  const Fd file{::memfd_create("one", MFD_CLOEXEC)};
  sd_bus_message* call = nullptr;
  ASSERT_GE(sd_bus_message_new_signal(sender.get(), &call, "/x", "x.Y", "Z"), 0);
  sd_bus_message* got = nullptr;
  for (int step = 0; step < 100; ++step) {
    // They greet each other first.
    ASSERT_GE(sd_bus_process(sender.get(), nullptr), 0);
    if (sd_bus_is_ready(sender.get()) > 0 && call != nullptr) {
      ASSERT_GE(sd_bus_message_append(call, "h", file.get()), 0);
      ASSERT_GE(sd_bus_send(sender.get(), call, nullptr), 0);
      call = sd_bus_message_unref(call);
    }
    ASSERT_GE(sd_bus_process(receiver.get(), &got), 0);
    if (got != nullptr && sd_bus_message_is_signal(got, "x.Y", "Z") > 0) break;
    got = sd_bus_message_unref(got);
  }
  ASSERT_NE(got, nullptr);
  int token = -1;
  ASSERT_GE(sd_bus_message_read(got, "h", &token), 0);
  const auto taken = received->take(token);
  ASSERT_TRUE(taken) << "libsystemd has received the descriptor itself";
  EXPECT_TRUE(is_same_file(taken->get().get(), file.get()));
  sd_bus_message_unref(got);
}

}  // namespace
}  // namespace netperfd
