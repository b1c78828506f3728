// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptors whose close takes as long as somebody likes.
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "dbus/shed_descriptors.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/dbus/guarded_socket_fixture.hpp"
#include "tests/unit/dbus/lingering.hpp"
#include "tests/unit/dbus/locked_pipe.hpp"
#include "tests/unit/import/silent_file.hpp"

namespace netperfd::dbus::guard_test {
namespace {

TEST_F(SocketGuardTest, is_not_held_up_by_unsent_data) {
  auto lingering = netperfd::test::make_lingering();
  expect_not_held_up_by(std::move(lingering.socket));
}

TEST_F(SocketGuardTest, is_not_held_up_by_a_file_system_that_does_not_answer) {
  if (!import::test::SilentFile::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  const auto silent = import::test::SilentFile::make();
  ASSERT_TRUE(silent);
  const Fd file = silent->take();
  send(message(MessageType::signal, 1), {file.get()});  // closing it here would block this test
  expect_not_held_up();
  silent->let_go();
}

TEST_F(SocketGuardTest, is_not_held_up_by_a_pipe_whose_lock_somebody_keeps) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may lock a pipe";
  netperfd::test::LockedPipe pipe{1};
  expect_not_held_up_by(pipe.take());
}

// One who keeps the lock is enough for all of them.
TEST_F(SocketGuardTest, waits_without_blocking_for_more_than_there_are_threads) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may lock a pipe";
  constexpr std::size_t kMany = kMostSheds + 6;
  netperfd::test::LockedPipe pipe{kMany};
  for (std::size_t i = 0; i < kMany; ++i) {
    const Fd file = pipe.take();
    send(message(MessageType::signal, 1), {file.get()});
  }
  const Bytes call = message(MessageType::call, 0, "Ping");
  send(call, {});
  const auto before = std::chrono::steady_clock::now();
  while (held_up.empty() && std::chrono::steady_clock::now() - before < kTestPatience) {
    EXPECT_TRUE(receive(24).bytes.empty());
  }
  EXPECT_EQ(held_up, std::vector{true});
  const auto bytes = waiting_bytes();
  for (int turn = 0; turn < 10; ++turn) EXPECT_TRUE(receive(24).bytes.empty());
  EXPECT_EQ(waiting_bytes(), bytes);
  EXPECT_EQ(refused.size(), kMostSheds + 1) << "once for each message";
  EXPECT_LT(std::chrono::steady_clock::now() - before, kTestPatience);
  pipe.let_go();
  EXPECT_EQ(next().bytes, call);
  EXPECT_EQ(held_up, (std::vector{true, false}));
  EXPECT_EQ(refused.size(), kMany);
}

}  // namespace
}  // namespace netperfd::dbus::guard_test
