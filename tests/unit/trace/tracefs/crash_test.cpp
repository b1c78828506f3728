// SPDX-License-Identifier: GPL-2.0-or-later
// kill -9 in every state of a session on the kernel's own tracefs: a child dies right before or right after
// each of its operations, and a clean-up finds everything that must be restored.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/trace/tracefs/session.hpp"
#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {
namespace {

// The operation at which the child dies, counted from 1.
struct Death {
  int operation = 0;
  bool after = false;
};

// The kernel's tracefs, which kills the process at the chosen operation.
class MortalTracefs final : public Tracefs {
 public:
  MortalTracefs(std::unique_ptr<Tracefs> real, Death death) : real_(std::move(real)), death_(death) {}

  Result<std::string> read(const std::string& path) override { return real_->read(path); }
  Result<std::vector<std::string>> list(const std::string& path) override { return real_->list(path); }
  bool exists(const std::string& path) override { return real_->exists(path); }
  Status write(const std::string& path, const std::string& text) override {
    const Step step(*this);
    return real_->write(path, text);
  }
  Status append(const std::string& path, const std::string& text) override {
    const Step step(*this);
    return real_->append(path, text);
  }
  Status make_directory(const std::string& path) override {
    const Step step(*this);
    return real_->make_directory(path);
  }
  Status remove_directory(const std::string& path) override {
    const Step step(*this);
    return real_->remove_directory(path);
  }
  Result<std::unique_ptr<TracefsFile>> open(const std::string& path, OpenMode mode) override {
    const Step step(*this);
    return real_->open(path, mode);
  }

 private:
  // Wraps one operation.
  class Step {
   public:
    explicit Step(MortalTracefs& tracefs) : tracefs_(tracefs) {
      ++tracefs_.count_;
      die_if(false);
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step() { die_if(true); }

   private:
    void die_if(bool after) const {
      if (tracefs_.count_ == tracefs_.death_.operation && tracefs_.death_.after == after) {
        (void)::kill(::getpid(), SIGKILL);
      }
    }
    MortalTracefs& tracefs_;
  };

  std::unique_ptr<Tracefs> real_;
  Death death_;
  int count_ = 0;
};

class CrashTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto root = find_tracefs();
    if (!root) GTEST_SKIP() << root.error().message;
    root_ = *root;
    tracefs_ = make_real_tracefs(root_);
    if (!tracefs_->exists("instances")) GTEST_SKIP() << "needs root";
  }

  // A complete session; the child's exit code shows how far it got.
  [[noreturn]] void live_and_die(Death death) const {
    MortalTracefs tracefs(make_real_tracefs(root_), death);
    auto session = TraceSession::open(tracefs, kernel_settings(scratch_), event_spec());
    if (!session) ::_exit(1);
    if (!(*session)->start({::getpid()})) ::_exit(2);
    if (!(*session)->stop()) ::_exit(3);
    if (!(*session)->restore()) ::_exit(4);
    ::_exit(0);
  }

  struct Dead {
    pid_t pid = 0;
    int status = 0;
  };
  [[nodiscard]] Dead child(Death death) const {
    const pid_t pid = ::fork();
    if (pid == 0) live_and_die(death);
    Dead dead{.pid = pid, .status = 0};
    EXPECT_EQ(::waitpid(pid, &dead.status, 0), pid);
    return dead;
  }

  std::string root_;
  std::unique_ptr<Tracefs> tracefs_;
  ScratchDirectory scratch_;
};

TEST_F(CrashTest, kill_9_in_every_state_leaves_nothing_behind_after_a_clean_up) {
  const std::string before = kernel_snapshot(*tracefs_);
  int deaths = 0;
  int left = 0;
  bool lived = false;
  for (int operation = 1; !lived; ++operation) {
    ASSERT_LT(operation, 100);
    for (const bool after : {false, true}) {
      const Dead dead = child({.operation = operation, .after = after});
      if (WIFEXITED(dead.status)) {
        // The session has fewer operations than this number.
        ASSERT_EQ(WEXITSTATUS(dead.status), 0);
        lived = true;
        break;
      }
      ASSERT_TRUE(WIFSIGNALED(dead.status) && WTERMSIG(dead.status) == SIGKILL);
      ++deaths;
      if (kernel_snapshot(*tracefs_, dead.pid) != before) ++left;
      EXPECT_TRUE(scratch_.has("journal"));
      const auto cleaned = clean_up(*tracefs_, kernel_settings(scratch_));
      ASSERT_TRUE(cleaned) << cleaned.error().message;
      EXPECT_EQ(kernel_snapshot(*tracefs_, dead.pid), before) << operation << (after ? " after" : " before");
      EXPECT_FALSE(scratch_.has("journal"));
    }
  }
  // Two for each operation; most of them left something to restore.
  EXPECT_GE(deaths, 2 * 16);
  EXPECT_GE(left, deaths - 4);
  RecordProperty("deaths", deaths);
}

TEST_F(CrashTest, an_instance_without_a_journal_is_removed_when_its_process_is_gone) {
  const std::string before = kernel_snapshot(*tracefs_);
  const Dead dead = child({.operation = 12, .after = false});
  ASSERT_TRUE(WIFSIGNALED(dead.status));
  ASSERT_NE(kernel_snapshot(*tracefs_, dead.pid), before);
  ScratchDirectory elsewhere;
  const auto cleaned = clean_up(*tracefs_, kernel_settings(elsewhere));
  ASSERT_TRUE(cleaned) << cleaned.error().message;
  ASSERT_GE(cleaned->size(), 1U);
  EXPECT_EQ(kernel_snapshot(*tracefs_, dead.pid), before);
}

TEST_F(CrashTest, an_instance_that_a_reader_holds_is_named_with_it_and_removed_later) {
  const std::string before = kernel_snapshot(*tracefs_);
  const Dead dead = child({.operation = 12, .after = false});
  ASSERT_TRUE(WIFSIGNALED(dead.status));
  const std::string instance = fmt::format("instances/netperfd-{}", dead.pid);
  auto pipe = tracefs_->open(instance + "/trace_pipe", OpenMode::read);
  ASSERT_TRUE(pipe);
  const auto held = clean_up(*tracefs_, kernel_settings(scratch_));
  ASSERT_FALSE(held);
  EXPECT_NE(held.error().message.find("rmdir " + instance), std::string::npos) << held.error().message;
  EXPECT_TRUE(scratch_.has("journal"));
  pipe->reset();
  EXPECT_TRUE(clean_up(*tracefs_, kernel_settings(scratch_)));
  EXPECT_EQ(kernel_snapshot(*tracefs_, dead.pid), before);
  EXPECT_FALSE(scratch_.has("journal"));
}

}  // namespace
}  // namespace netperfd::trace
