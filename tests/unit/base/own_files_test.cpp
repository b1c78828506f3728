// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/own_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "daemon/base/event_loop.hpp"
#include "daemon/base/foreign_fd.hpp"
#include "daemon/base/process_lock.hpp"
#include "daemon/base/received_fds.hpp"

namespace netperfd {
namespace {

class OwnFiles : public testing::Test {
 protected:
  OwnFiles() : folder_(std::filesystem::temp_directory_path() / "netperfd-own-XXXXXX") {
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error(folder_);
    lock_ = ProcessLock::take(path(), O_RDWR | O_CREAT, 0600).value();
    observer_.reset(opened(O_RDWR).release());
  }
  ~OwnFiles() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path() const { return folder_ + "/lock"; }
  [[nodiscard]] Fd opened(int flags = O_RDONLY) const {
    return Fd{::open(path().c_str(), flags | O_CLOEXEC)};
  }
  // A lock of an open file conflicts with those of its own process too.
  [[nodiscard]] bool is_locked() const {
    struct flock whole{};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    EXPECT_EQ(::fcntl(observer_.get(), F_OFD_GETLK, &whole), 0);
    return whole.l_type != F_UNLCK;
  }
  // All that will be closed is closed.
  static void wait_for_closes() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (closes_under_way() > 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    ASSERT_EQ(closes_under_way(), 0U);
  }

  std::string folder_;
  ProcessLock lock_;
  Fd observer_;
};

TEST_F(OwnFiles, are_those_with_a_lock_as_long_as_it_is_held) {
  const Fd same = opened();
  const Fd other{::memfd_create("other", MFD_CLOEXEC)};
  EXPECT_TRUE(is_own_file(same.get()));
  EXPECT_FALSE(is_own_file(other.get()));
  ProcessLock moved = std::move(lock_);
  EXPECT_TRUE(is_own_file(same.get()));
  lock_ = std::move(moved);
  EXPECT_TRUE(is_own_file(same.get()));
  lock_ = ProcessLock{};
  EXPECT_FALSE(is_own_file(same.get()));
}

TEST_F(OwnFiles, count_until_the_last_of_their_owners_has_gone) {
  const Fd file{::memfd_create("file", MFD_CLOEXEC)};
  const auto id = file_id("/proc/self/fd/" + std::to_string(file.get()));
  ASSERT_TRUE(id);
  std::optional<OwnFile> first(std::in_place, *id), second(std::in_place, *id);
  first.reset();
  EXPECT_TRUE(is_own_file(file.get()));
  second.reset();
  EXPECT_FALSE(is_own_file(file.get()));
}

TEST_F(OwnFiles, keep_their_locks_when_a_descriptor_of_them_is_to_be_closed) {
  ASSERT_TRUE(is_locked());
  Fd passed = opened();
  const int number = passed.get();
  close_elsewhere(std::move(passed));
  wait_for_closes();
  EXPECT_TRUE(is_locked());
  EXPECT_EQ(::fcntl(number, F_GETFD), FD_CLOEXEC) << "it stays open";
  // What the kernel would do.
  opened().reset();
  EXPECT_FALSE(is_locked());
}

TEST_F(OwnFiles, that_somebody_passes_are_refused_and_stay_open_at_the_charge_of_the_user) {
  auto loop = EventLoop::create();
  ASSERT_TRUE(loop);
  ReceivedFds received{*loop};
  for (std::size_t i = 0; i < ReceivedFds::kOfUserLimit; ++i) {
    ASSERT_TRUE(received.has_room(0, 1)) << i;
    const Fd token{received.token_for(opened(), 0)};
    const auto taken = received.take(token.get());
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().kind, ErrorKind::invalid_argument);
  }
  // One that nobody takes.
  Fd token{received.token_for(opened(), 1000)};
  token.reset();
  sd_event_run(loop->raw(), 0);
  wait_for_closes();
  EXPECT_TRUE(is_locked());
  EXPECT_FALSE(received.has_room(0, 1));
  EXPECT_TRUE(received.has_room(1000, ReceivedFds::kOfUserLimit - 1));
  EXPECT_FALSE(received.has_room(1000, ReceivedFds::kOfUserLimit));
}

}  // namespace
}  // namespace netperfd
