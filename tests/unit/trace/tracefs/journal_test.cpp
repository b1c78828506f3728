// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/journal.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <string>
#include <utility>

#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {
namespace {

Change setting(std::string path, std::string before) {
  return {.kind = ChangeKind::setting,
          .path = std::move(path),
          .before = std::move(before),
          .left = std::nullopt};
}

class JournalTest : public ::testing::Test {
 protected:
  [[nodiscard]] Result<Journal> open(const std::string& boot = "boot-1") const {
    return Journal::open(scratch_.path("journal"), boot);
  }
  // A journal of three changes left by a dead session.
  void leave_three() const {
    auto journal = open();
    ASSERT_TRUE(journal && journal->begin());
    ASSERT_TRUE(
        journal->announce({.kind = ChangeKind::instance, .path = "instances/a", .before = "", .left = {}}));
    ASSERT_TRUE(journal->announce(setting("tracing_on", "1\n")));
    journal->note_left("tracing_on", "0\n");
    ASSERT_TRUE(journal->announce(
        {.kind = ChangeKind::list, .path = "set_ftrace_filter", .before = "f\tg\\n\nh [m]\n", .left = {}}));
  }
  ScratchDirectory scratch_;
};

TEST_F(JournalTest, gives_back_what_a_dead_session_announced) {
  leave_three();
  const auto journal = open();
  ASSERT_TRUE(journal);
  ASSERT_EQ(journal->changes().size(), 3U);
  EXPECT_EQ(journal->changes()[0].kind, ChangeKind::instance);
  EXPECT_EQ(journal->changes()[1].before, "1\n");
  EXPECT_EQ(journal->changes()[1].left, "0\n");
  EXPECT_EQ(journal->changes()[2].kind, ChangeKind::list);
  EXPECT_EQ(journal->changes()[2].before, "f\tg\\n\nh [m]\n");
  EXPECT_FALSE(journal->changes()[2].left);
  EXPECT_EQ(journal->damaged_lines(), 0U);
}

TEST_F(JournalTest, is_on_disk_before_announce_returns) {
  auto journal = open();
  ASSERT_TRUE(journal && journal->begin());
  ASSERT_TRUE(journal->announce(setting("tracing_on", "1\n")));
  EXPECT_EQ(scratch_.read("journal"), "netperfd-journal\t1\tboot-1\nchange\tsetting\ttracing_on\t1\\n\n");
}

TEST_F(JournalTest, torn_off_at_any_byte_loses_only_the_last_line) {
  leave_three();
  const std::string whole = scratch_.read("journal");
  std::size_t most = 0;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    scratch_.write("journal", whole.substr(0, length));
    const auto journal = open();
    ASSERT_TRUE(journal);
    EXPECT_EQ(journal->damaged_lines(), 0U) << length;
    EXPECT_GE(journal->changes().size(), most) << length;
    most = journal->changes().size();
  }
  EXPECT_EQ(most, 3U);
}

TEST_F(JournalTest, passes_over_lines_that_are_none_of_its_own) {
  leave_three();
  std::string text = scratch_.read("journal");
  text.insert(text.find("change\tsetting"), "change\tsurprise\tx\ty\nrubbish\nleft\tnobody\t1\n\n");
  scratch_.write("journal", text);
  const auto journal = open();
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->damaged_lines(), 4U);
  EXPECT_EQ(journal->changes().size(), 3U);
}

TEST_F(JournalTest, of_another_boot_says_nothing) {
  leave_three();
  const auto journal = open("boot-2");
  ASSERT_TRUE(journal);
  EXPECT_TRUE(journal->of_another_boot());
  EXPECT_TRUE(journal->changes().empty());
}

TEST_F(JournalTest, of_another_boot_is_no_obstacle_however_long_it_is) {
  leave_three();
  scratch_.write("journal", scratch_.read("journal") + std::string(std::size_t{17} << 20U, 'x'));
  EXPECT_FALSE(open());
  auto journal = open("boot-2");
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_TRUE(journal->of_another_boot());
  ASSERT_TRUE(journal->begin());
  EXPECT_LT(scratch_.read("journal").size(), 100U);
}

TEST_F(JournalTest, is_one_sessions_alone) {
  auto first = open();
  ASSERT_TRUE(first);
  const auto second = open();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::busy);
  ASSERT_TRUE(first->remove());
  // The removed file is still locked; the new one is a different file.
  EXPECT_TRUE(open());
}

TEST_F(JournalTest, keeps_the_first_before_and_forgets_what_was_left_when_a_path_changes_again) {
  {
    auto journal = open();
    ASSERT_TRUE(journal && journal->begin());
    ASSERT_TRUE(journal->announce(setting("tracing_on", "1\n")));
    journal->note_left("tracing_on", "0\n");
    ASSERT_TRUE(journal->announce(setting("tracing_on", "0\n")));
    EXPECT_FALSE(journal->changes()[0].left);
  }
  const auto journal = open();
  ASSERT_TRUE(journal);
  ASSERT_EQ(journal->changes().size(), 1U);
  EXPECT_EQ(journal->changes()[0].before, "1\n");
  EXPECT_FALSE(journal->changes()[0].left);
}

TEST_F(JournalTest, forgets_what_is_undone) {
  leave_three();
  open()->note_undone("tracing_on");
  const auto journal = open();
  ASSERT_TRUE(journal);
  ASSERT_EQ(journal->changes().size(), 2U);
  EXPECT_EQ(journal->changes()[1].path, "set_ftrace_filter");
}

// Limits the size of files to `bytes` while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, signal_);
  }

 private:
  rlimit before_{};
  void (*signal_)(int);
};

TEST_F(JournalTest, refuses_a_change_that_the_disk_has_no_room_for_and_stays_readable) {
  {
    auto journal = open();
    ASSERT_TRUE(journal && journal->begin());
    {
      const FileSizeLimit limit(scratch_.read("journal").size() + 10);
      EXPECT_FALSE(journal->announce(setting("tracing_on", "1\n")));
    }
    EXPECT_TRUE(journal->changes().empty());
    ASSERT_TRUE(journal->announce(setting("trace_clock", "[local] mono\n")));
  }
  const auto journal = open();
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->damaged_lines(), 0U);
  ASSERT_EQ(journal->changes().size(), 1U);
  EXPECT_EQ(journal->changes()[0].path, "trace_clock");
}

}  // namespace
}  // namespace netperfd::trace
