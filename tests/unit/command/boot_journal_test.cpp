// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>

#include "daemon/command/boot_journal_file.hpp"
#include "daemon/command/bring_back.hpp"
#include "daemon/command/child_commands.hpp"
#include "tests/unit/command/support.hpp"

namespace netperfd::command::test {
namespace {

using testing::HasSubstr;

core::BootNote full_note() {
  return {.job = 4'711,
          .taken = {.spent = std::chrono::microseconds{86'000'001},
                    .at = WallTime{std::chrono::microseconds{1'795'260'300'000'001}},
                    .since_boot = std::chrono::microseconds{55'000'002},
                    .boot = "boot-1"},
          .boots = 3,
          .original = 'B',
          .is_original = {"/x/check", "two\nlines", "", "$x"},
          .to_original = {"/x/switch", "", "back"},
          .held = true,
          .block = 2,
          .letter = 4,
          .target = 'B',
          .from = "boot-1",
          .arrived = "boot-2",
          .failures = 1};
}

class BootJournalTest : public testing::Test {
 protected:
  [[nodiscard]] std::string bytes() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void leave(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }
  // What the daemon of the next boot reads.
  [[nodiscard]] Result<std::optional<core::BootNote>> read_next() const {
    return BootJournalFile{path, "boot-2"}.read();
  }
  [[nodiscard]] ErrorKind error_of_next() const {
    const auto read = read_next();
    return read ? ErrorKind::internal : read.error().kind;
  }

  Scratch scratch;
  std::string path = scratch.path("netperfd.db.boots");
  BootJournalFile journal{path, "boot-1"};
};

TEST_F(BootJournalTest, gives_the_next_daemon_every_field) {
  ASSERT_TRUE(journal.write(full_note()));
  EXPECT_EQ(read_next().value(), full_note());
  core::BootNote other{.job = 1,
                       .taken = {.spent = {},
                                 .at = WallTime{std::chrono::microseconds{1}},
                                 .since_boot = {},
                                 .boot = "boot-0"},
                       .boots = 1,
                       .original = 'A',
                       .is_original = {"/x/check"},
                       .to_original = {"/x/switch"},
                       .held = false,
                       .block = 0,
                       .letter = 0,
                       .target = 'A',
                       .from = "boot-1",
                       .arrived = "",
                       .failures = 0};
  ASSERT_TRUE(journal.write(other)) << "replaces a longer one";
  EXPECT_EQ(read_next().value(), other);
}

TEST_F(BootJournalTest, knows_the_boot_of_the_running_kernel) {
  EXPECT_EQ(journal.boot_id(), "boot-1");
}

TEST_F(BootJournalTest, is_absent_until_it_is_written_and_once_it_was_cleared) {
  EXPECT_EQ(read_next().value(), std::nullopt);
  ASSERT_TRUE(journal.write(full_note()));
  ASSERT_TRUE(journal.clear());
  EXPECT_EQ(read_next().value(), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(journal.clear()) << "again";
}

TEST_F(BootJournalTest, is_refused_if_it_was_cut_off_before_its_last_word) {
  core::BootNote note = full_note();
  note.is_original = {"/x/check"};
  ASSERT_TRUE(journal.write(note));
  const std::string whole = bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    leave(whole.substr(0, length));
    EXPECT_EQ(error_of_next(), ErrorKind::io) << length;
  }
}

// A field and the one after it are separated by a NUL.
std::string fields(std::initializer_list<std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text.append(word).push_back('\0');
  return text;
}

// The notes of jobs that older daemons began.
TEST_F(BootJournalTest, of_older_versions_lack_the_time_and_the_switch) {
  const std::string common =
      fields({"4711", "1795260300000001", "3", "B", "1", "2", "4", "B", "boot-1", "boot-2", "1"});
  core::BootNote note = full_note();
  note.taken = {.spent = {}, .at = note.taken.at, .since_boot = {}, .boot = {}};
  const std::string check = fields({"/x/check", "two\nlines", "", "$x"});
  leave(fields({"netperfd-boots 2"}) + common + fields({"4", "3"}) + check +
        fields({"/x/switch", "", "back"}));
  EXPECT_EQ(read_next().value(), note);
  note.to_original.clear();
  leave(fields({"netperfd-boots 1"}) + common + check);
  EXPECT_EQ(read_next().value(), note);
}

TEST_F(BootJournalTest, is_refused_if_it_is_another_file) {
  ASSERT_TRUE(journal.write(full_note()));
  const std::string good = bytes();
  const auto replaced = [&good](std::string_view what, std::string_view with) {
    const std::string from = '\0' + std::string{what} + '\0';
    std::string text = good;
    EXPECT_NE(text.find(from), std::string::npos);
    return text.replace(text.find(from), from.size(), '\0' + std::string{with} + '\0');
  };
  std::string later = good;
  later.replace(later.find("netperfd-boots 3"), 16, "netperfd-boots 4");
  for (const std::string& text :
       {std::string{"#!/bin/sh\n"}, later, replaced("4711", "job"), replaced("4711", "-1"),
        replaced("4711", "99999999999999999999"), replaced("3", "4294967296"), replaced("B", "C"),
        replaced("B", ""), replaced("4", ""), replaced("86000001", "-1"),
        replaced("55000002", "9223372036854775807")}) {
    leave(text);
    EXPECT_EQ(error_of_next(), ErrorKind::io) << text;
  }
  leave(good);
  EXPECT_TRUE(read_next());
}

TEST_F(BootJournalTest, is_refused_if_others_could_have_written_it) {
  ASSERT_TRUE(journal.write(full_note()));
  for (const mode_t mode : {0620U, 0602U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_EQ(error_of_next(), ErrorKind::access_denied) << mode;
  }
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  EXPECT_TRUE(read_next());
  const std::string aside = scratch.path("aside");
  std::filesystem::rename(path, aside);
  std::filesystem::create_symlink(aside, path);
  EXPECT_FALSE(read_next());
}

TEST_F(BootJournalTest, is_for_its_owner_alone) {
  ASSERT_TRUE(journal.write(full_note()));
  struct stat found{};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777U, 0600U);
}

// A crash while the new note is written leaves a part of it beside the old one.
TEST_F(BootJournalTest, is_the_old_one_until_the_new_one_is_whole) {
  ASSERT_TRUE(journal.write(full_note()));
  const std::string fresh = path + ".new";
  std::ofstream(fresh, std::ios::binary) << bytes().substr(0, 20);
  EXPECT_EQ(read_next().value(), full_note());
  core::BootNote next = full_note();
  next.boots = 4;
  ASSERT_TRUE(journal.write(next));
  EXPECT_EQ(read_next().value(), next);
  EXPECT_FALSE(std::filesystem::exists(fresh));
}

TEST_F(BootJournalTest, stays_as_it_is_if_the_new_one_cannot_be_written) {
  ASSERT_TRUE(journal.write(full_note()));
  ASSERT_TRUE(std::filesystem::create_directory(path + ".new"));
  core::BootNote next = full_note();
  next.boots = 4;
  EXPECT_FALSE(journal.write(next));
  EXPECT_EQ(read_next().value(), full_note());
}

class EndReboots : public BootJournalTest {
 protected:
  // A note of job 7, whose check of the original side is this script.
  void leave_note(std::uint32_t letter, const std::string& check, const std::string& from = "boot-0",
                  const std::string& change = "exit 1") {
    core::BootNote note = full_note();
    note.from = from;
    note.to_original = shell(change);
    note.job = 7;
    note.letter = letter;
    note.is_original = shell(check);
    ASSERT_TRUE(journal.write(note));
  }
  Result<std::string> end(JobId live = 0) {
    return end_reboots(
        loop, commands, journal, [live](JobId job) { return job == live; }, std::chrono::seconds{10});
  }
  [[nodiscard]] bool is_noted() const { return read_next().value().has_value(); }
  [[nodiscard]] bool was_checked() const { return std::filesystem::exists(seen); }

  std::string seen = scratch.path("seen");
  EventLoop loop = make_loop();
  ChildCommands commands{loop};
};

TEST_F(EndReboots, has_nothing_to_say_without_a_note) {
  EXPECT_EQ(end().value(), "");
}

TEST_F(EndReboots, says_that_the_machine_is_back) {
  leave_note(0, "echo >" + seen);
  EXPECT_EQ(end().value(), "job 7 has ended after 3 reboots, and the machine is back on its side");
  EXPECT_TRUE(was_checked());
  EXPECT_FALSE(is_noted());
}

TEST_F(EndReboots, says_that_the_machine_is_not_back_and_which_check_told) {
  leave_note(0, "echo kernel 6.1; exit 1");
  const auto ended = end();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, ErrorKind::io);
  EXPECT_THAT(
      ended.error().message,
      HasSubstr("job 7 has ended after 3 reboots, and the machine is not back on its side: /bin/sh -c"));
  EXPECT_THAT(ended.error().message, HasSubstr("exit code 1: kernel 6.1"));
  EXPECT_FALSE(is_noted()) << "said once";
}

// The last daemon was killed while `switch` ran, which ended with it.
TEST_F(EndReboots, asks_for_the_way_back_once_more_if_the_machine_has_not_rebooted) {
  const std::string changed = scratch.path("changed");
  leave_note(0, "exit 1", "boot-1", "echo >" + changed);
  EXPECT_EQ(end().value(), "job 7 has ended after 3 reboots, and reboots the machine back to its side");
  EXPECT_TRUE(std::filesystem::exists(changed));
  EXPECT_TRUE(is_noted()) << "the daemon of the next boot says whether it is back";
}

TEST_F(EndReboots, gives_up_if_the_way_back_cannot_be_asked) {
  leave_note(0, "exit 1", "boot-1", "exit 1");
  EXPECT_THAT(end().error().message, HasSubstr("the machine is not back on its side"));
  EXPECT_FALSE(is_noted());
}

TEST_F(EndReboots, does_not_reboot_a_machine_that_is_back_without_a_reboot) {
  const std::string changed = scratch.path("changed");
  leave_note(0, "echo >" + seen, "boot-1", "echo >" + changed);
  EXPECT_EQ(end().value(), "job 7 has ended after 3 reboots, and the machine is back on its side");
  EXPECT_FALSE(std::filesystem::exists(changed));
}

TEST_F(EndReboots, clears_the_note_of_a_job_that_is_gone) {
  leave_note(3, "echo >" + seen);
  EXPECT_EQ(end(8).value(), "job 7 reboots this machine no more");
  EXPECT_FALSE(was_checked());
  EXPECT_FALSE(is_noted());
}

TEST_F(EndReboots, keeps_the_note_of_a_live_job) {
  leave_note(3, "echo >" + seen);
  EXPECT_EQ(end(7).value(), "");
  EXPECT_FALSE(was_checked());
  EXPECT_TRUE(is_noted());
}

TEST_F(EndReboots, does_not_believe_a_note_that_others_could_have_written) {
  leave_note(0, "echo >" + seen);
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  EXPECT_EQ(end().error().kind, ErrorKind::access_denied);
  EXPECT_FALSE(was_checked());
}

}  // namespace
}  // namespace netperfd::command::test
