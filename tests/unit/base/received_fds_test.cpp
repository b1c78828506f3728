// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/received_fds.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/base/event_loop.hpp"
#include "daemon/base/foreign_fd.hpp"
#include "tests/support/patience.hpp"
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

// Waits until the other end of this pipe is closed.
bool is_closed(const Fd& read_end) {
  pollfd watched{read_end.get(), POLLIN, 0};
  return ::poll(&watched, 1, kTestPatienceMs) == 1 && (watched.revents & POLLHUP) != 0;
}

class ReceivedFdsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = EventLoop::create();
    ASSERT_TRUE(made);
    loop.emplace(std::move(*made));
    received.emplace(*loop);
  }

  [[nodiscard]] Fd token_of(Fd descriptor, uid_t uid = 1000) {
    return Fd{received->token_for(std::move(descriptor), uid)};
  }
  static Fd copy_of(const Fd& fd) { return Fd{::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)}; }

  void turn() { sd_event_run(loop->raw(), 0); }
  // Until there is room again, or it takes too long.
  [[nodiscard]] bool comes_to_have_room(uid_t uid) {
    const auto end = std::chrono::steady_clock::now() + kTestPatience;
    while (!received->has_room(uid, 1) && std::chrono::steady_clock::now() < end) turn();
    return received->has_room(uid, 1);
  }

  std::optional<EventLoop> loop;
  std::optional<ReceivedFds> received;
  const Fd file{::memfd_create("file", MFD_CLOEXEC)};
};

TEST_F(ReceivedFdsTest, stay_here_and_tokens_stand_for_them) {
  const Fd other{::memfd_create("other", MFD_CLOEXEC)};
  const Fd first = token_of(copy_of(file));
  const Fd second = token_of(copy_of(other));
  EXPECT_TRUE(S_ISFIFO(about(first.get()).st_mode));
  const auto taken_second = received->take(second.get());
  const auto taken_first = received->take(first.get());
  ASSERT_TRUE(taken_first && taken_second);
  EXPECT_TRUE(is_same_file(taken_first->get().get(), file.get()));
  EXPECT_TRUE(is_same_file(taken_second->get().get(), other.get()));
  EXPECT_FALSE(received->take(first.get())) << "it was taken";
}

TEST_F(ReceivedFdsTest, a_duplicate_of_a_token_stands_for_the_same) {
  Fd token = token_of(copy_of(file));
  const Fd copy = copy_of(token);
  token.reset();
  turn();
  const auto taken = received->take(copy.get());
  ASSERT_TRUE(taken);
  EXPECT_TRUE(is_same_file(taken->get().get(), file.get()));
}

TEST_F(ReceivedFdsTest, are_closed_once_the_last_copy_of_their_token_is) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  Fd token = token_of(std::move(pipe->write));
  Fd copy = copy_of(token);
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
  const Fd token = token_of(std::move(pipe->write));
  received.reset();
  EXPECT_TRUE(is_closed(pipe->read));
}

TEST_F(ReceivedFdsTest, whose_file_system_does_not_answer_hold_up_nobody_and_keep_counting) {
  if (!import::test::SilentFile::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  const auto silent = import::test::SilentFile::make();
  ASSERT_TRUE(silent);
  // Closing it here would block too, until the file system is gone.
  const Fd sent = silent->take();
  const auto closes_before = closes_under_way();
  for (std::size_t i = 0; i < ReceivedFds::kOfUserLimit; ++i) {
    ASSERT_TRUE(received->has_room(1000, 1));
    Fd token = token_of(copy_of(sent));
    const auto before = std::chrono::steady_clock::now();
    token.reset();
    turn();
    EXPECT_LT(std::chrono::steady_clock::now() - before, kTestPatience);
  }
  EXPECT_EQ(closes_under_way(), closes_before + ReceivedFds::kOfUserLimit);
  EXPECT_FALSE(received->has_room(1000, 1)) << "none of his is closed";
  // Another user's close does not wait for those.
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe && received->has_room(1001, 1));
  Fd token = token_of(std::move(pipe->write), 1001);
  token.reset();
  turn();
  EXPECT_TRUE(is_closed(pipe->read));
  silent->let_go();
  EXPECT_TRUE(comes_to_have_room(1000));
}

TEST_F(ReceivedFdsTest, of_one_user_are_limited) {
  std::vector<Fd> tokens;
  for (std::size_t i = 0; i < ReceivedFds::kOfUserLimit; ++i) {
    tokens.push_back(token_of(copy_of(file)));
  }
  EXPECT_FALSE(received->has_room(1000, 1));
  EXPECT_TRUE(received->has_room(1001, ReceivedFds::kOfUserLimit));
  EXPECT_FALSE(received->has_room(1001, ReceivedFds::kOfUserLimit + 1));
  // Those that were taken count until they are closed.
  auto taken = received->take(tokens.back().get());
  ASSERT_TRUE(taken);
  EXPECT_FALSE(received->has_room(1000, 1));
  {
    const ForeignFd ended = std::move(*taken);
  }
  EXPECT_TRUE(comes_to_have_room(1000));
}

TEST_F(ReceivedFdsTest, of_all_users_are_limited) {
  std::vector<Fd> tokens;
  for (std::size_t i = 0; i < ReceivedFds::kLimit; ++i) {
    const auto uid = static_cast<uid_t>(1000 + i);
    ASSERT_TRUE(received->has_room(uid, 1)) << i;
    tokens.push_back(token_of(copy_of(file), uid));
    ASSERT_TRUE(tokens.back()) << i;
  }
  EXPECT_FALSE(received->has_room(5000, 1));
  EXPECT_TRUE(received->has_room(0, ReceivedFds::kOfUserLimit)) << "root's own";
  EXPECT_FALSE(received->has_room(0, ReceivedFds::kOfUserLimit + 1));
}

TEST_F(ReceivedFdsTest, what_is_no_token_stands_for_nothing) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  EXPECT_FALSE(received->take(pipe->write.get()));
  const auto taken = received->take(-1);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind, ErrorKind::busy);
  EXPECT_EQ(taken.error().message,
            "netperfd had too many files open to receive those of the call: try again");
}

}  // namespace
}  // namespace netperfd
