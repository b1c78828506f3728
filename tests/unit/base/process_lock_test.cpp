// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/process_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

namespace netperfd {
namespace {

class ProcessLockTest : public testing::Test {
 protected:
  ProcessLockTest() : folder_(std::filesystem::temp_directory_path() / "netperfd-lock-XXXXXX") {
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error(folder_);
  }
  ~ProcessLockTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] Result<ProcessLock> take(pid_t* holder = nullptr) const {
    return ProcessLock::take(folder_ + "/lock", O_RDWR | O_CREAT, 0600, holder);
  }
  // What `question` answers in another process.
  static bool elsewhere(const std::function<bool()>& question) {
    const pid_t other = ::fork();
    if (other == 0) ::_exit(question() ? 0 : 1);
    int status = -1;
    return ::waitpid(other, &status, 0) == other && status == 0;
  }
  [[nodiscard]] bool is_free_elsewhere() const {
    return elsewhere([this] { return take().has_value(); });
  }

  std::string folder_;
};

TEST_F(ProcessLockTest, is_for_one_process_and_tells_which) {
  auto lock = take();
  ASSERT_TRUE(lock) << lock.error().message;
  EXPECT_TRUE(elsewhere([this, owner = ::getpid()] {
    pid_t holder = 0;
    return !take(&holder) && holder == owner;
  }));
  *lock = ProcessLock{};
  EXPECT_TRUE(is_free_elsewhere());
}

TEST_F(ProcessLockTest, is_taken_once_by_a_process_and_kept_when_it_tries_again) {
  const auto lock = take();
  pid_t holder = 0;
  const auto again = take(&holder);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::busy);
  EXPECT_EQ(holder, ::getpid());
  EXPECT_FALSE(is_free_elsewhere()) << "closing a second descriptor would have given it up";
}

TEST_F(ProcessLockTest, is_not_kept_by_a_process_that_was_forked) {
  auto lock = take();
  EXPECT_TRUE(elsewhere([] { return true; })) << "its end closes its copy, which gives up nothing";
  EXPECT_FALSE(is_free_elsewhere());
  ProcessLock moved = std::move(*lock);
  EXPECT_FALSE(take()) << "moved, not given up";
  moved = ProcessLock{};
  EXPECT_TRUE(take());
}

// As the file of a trace session, which its session removes.
TEST_F(ProcessLockTest, is_of_the_file_at_the_path_even_if_somebody_removes_it_all_the_time) {
  const std::string path = folder_ + "/lock";
  const pid_t other = ::fork();
  if (other == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
      if (const auto lock = take()) ::unlink(path.c_str());
    }
  }
  int others = 0;
  for (int taken = 0; taken < 300;) {
    const auto lock = take();
    if (!lock) continue;
    ++taken;
    struct stat opened{};
    struct stat named{};
    const bool is_there = ::stat(path.c_str(), &named) == 0 && ::fstat(lock->file().get(), &opened) == 0;
    if (!is_there || opened.st_ino != named.st_ino) ++others;
  }
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  EXPECT_EQ(others, 0);
}

}  // namespace
}  // namespace netperfd
