// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/task_watch.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/core/fakes.hpp"
#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {
namespace {

constexpr std::int32_t kClient = 812;

class TaskWatchTest : public testing::Test {
 protected:
  // `flags`, `start`: fields 9 and 22 of proc_pid_stat(5).
  void add_task(std::int32_t pid, std::uint64_t flags, std::uint64_t start, const std::string& name = "x") {
    directory_.write(
        fmt::format("proc/{}/stat", pid),
        fmt::format("{} ({}) S 1 1 1 0 -1 {} 0 0 0 0 0 0 0 0 20 0 1 0 {} 0 0\n", pid, name, flags, start));
  }
  void add_thread(std::int32_t pid, std::int32_t thread) {
    directory_.write(fmt::format("proc/{}/task/{}/comm", pid, thread), "iperf3\n");
  }
  TaskWatch& watch_as(uid_t viewer) {
    watch_ = std::make_unique<TaskWatch>(clock_, directory_.path("proc"), viewer);
    return *watch_;
  }

  static constexpr std::uint64_t kKernelThread = 0x0020'8040;
  static constexpr std::uint64_t kProgram = 0x0040'0100;
  static constexpr std::uint64_t kEarly = 5;
  static constexpr std::uint64_t kLate = ~std::uint64_t{0} / 2;

  ScratchDirectory directory_;
  core::FakeClock clock_;
  std::unique_ptr<TaskWatch> watch_;
};

TEST_F(TaskWatchTest, shows_every_thread_that_the_workload_ever_had) {
  add_thread(kClient, kClient);
  TaskWatch& watch = watch_as(1000);
  watch.start({kClient});
  add_thread(kClient, 813);
  clock_.advance(std::chrono::milliseconds{25});
  add_thread(kClient, 814);
  clock_.advance(std::chrono::seconds{2});
  watch.stop();
  EXPECT_EQ(clock_.waiting(), 0U);
  const TaskScreen screen = watch.screen();
  for (const std::int32_t own : {kClient, 813, 814}) EXPECT_FALSE(screen.hides(own)) << own;
  EXPECT_TRUE(screen.hides(815));
}

TEST_F(TaskWatchTest, shows_the_kernels_threads_and_the_viewers_tasks_and_no_others) {
  add_task(11, kKernelThread, kEarly, "kworker/0:1-eve) nt");
  add_task(12, kProgram, kEarly);
  const TaskWatch& nobody = watch_as(::getuid() + 1);
  watch_->start({});
  EXPECT_FALSE(nobody.screen().hides(11));
  EXPECT_TRUE(nobody.screen().hides(12)) << "of " << ::getuid();
  EXPECT_TRUE(nobody.screen().hides(13)) << "which is no more";
  watch_as(::getuid()).start({});
  EXPECT_FALSE(watch_->screen().hides(12));
}

TEST_F(TaskWatchTest, looks_at_all_tasks_at_once_however_many) {
  std::set<std::int32_t> pids;
  for (std::int32_t pid = 1000; pid < 7000; ++pid) pids.insert(pid);
  for (const std::int32_t pid : {1000, 5096, 6999}) add_task(pid, kKernelThread, kEarly);
  TaskWatch& watch = watch_as(::getuid());
  watch.start({});
  const TaskScreen screen = watch.screen();
  screen.expect(pids);
  std::filesystem::remove_all(directory_.path("proc"));
  std::vector<std::int32_t> shown;
  for (const std::int32_t pid : pids) {
    if (!screen.hides(pid)) shown.push_back(pid);
  }
  EXPECT_EQ(shown, (std::vector<std::int32_t>{1000, 5096, 6999}));
}

TEST_F(TaskWatchTest, hides_a_task_that_may_have_taken_the_number_of_another) {
  add_task(11, kKernelThread, kLate);
  add_task(12, kProgram, kLate);
  TaskWatch& watch = watch_as(::getuid());
  watch.start({});
  EXPECT_TRUE(watch.screen().hides(11));
  EXPECT_TRUE(watch.screen().hides(12));
}

TEST_F(TaskWatchTest, takes_a_damaged_file_for_a_task_of_others) {
  for (const char* text :
       {"", "12", "12 (x", "12 (x) S 1", "12 (x) S 1 1 1 0 -1 y 0 0 0 0 0 0 0 0 20 0 1 0 5 0"}) {
    directory_.write("proc/12/stat", text);
    TaskWatch& watch = watch_as(::getuid());
    watch.start({});
    EXPECT_TRUE(watch.screen().hides(12)) << text;
  }
}

}  // namespace
}  // namespace netperfd::trace
