// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "daemon/command/bring_back.hpp"
#include "daemon/command/child_commands.hpp"
#include "daemon/command/note_file.hpp"
#include "daemon/command/side_journal_file.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/command/support.hpp"
#include "tests/unit/core/command_fakes.hpp"

namespace netperfd::command::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SideJournalTest : public testing::Test {
 protected:
  [[nodiscard]] Result<SideJournalFile> open(const std::string& boot = "boot-1") const {
    return SideJournalFile::open(path, boot);
  }
  [[nodiscard]] static core::SideNote note() {
    return {.job = 7,
            .side = "list",
            .apply = {"/x/switch", "two\nlines", "", "$x"},
            .parts = {"module hsr", "program /x/switch"}};
  }
  [[nodiscard]] static core::SideNote note_of(JobId job) {
    return {.job = job, .side = "b", .apply = {"/y"}, .parts = {"device eth1"}};
  }
  // The jobs whose notes the next daemon finds.
  [[nodiscard]] std::vector<JobId> left_jobs(const std::string& boot = "boot-1") const {
    std::vector<JobId> jobs;
    const auto journal = open(boot);
    if (!journal) return jobs;
    for (const core::SideNote& left : journal->left().value()) jobs.push_back(left.job);
    return jobs;
  }
  void write_note(const core::SideNote& left) const {
    auto journal = open();
    ASSERT_TRUE(journal && journal->write(left));
  }
  [[nodiscard]] std::string bytes() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Scratch scratch;
  std::string path = scratch.path("side.journal");
};

TEST_F(SideJournalTest, gives_the_next_daemon_what_was_noted) {
  EXPECT_THAT(left_jobs(), IsEmpty());
  write_note(note());
  const auto left = open()->left();
  ASSERT_TRUE(left && left->size() == 1);
  EXPECT_EQ(left->front().job, 7);
  EXPECT_EQ(left->front().side, "list");
  EXPECT_THAT(left->front().apply, ElementsAre("/x/switch", "two\nlines", "", "$x"));
  EXPECT_THAT(left->front().parts, ElementsAre("module hsr", "program /x/switch"));
}

TEST_F(SideJournalTest, keeps_a_way_back_that_was_not_taken) {
  write_note(note());
  auto journal = open();
  core::SideNote again = note();
  again.apply = {"/other"};
  const auto written = journal->write(again);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::busy);
  EXPECT_EQ(journal->left().value().front().apply, note().apply);
  ASSERT_TRUE(journal->clear(7));
  EXPECT_TRUE(journal->write(again));
}

TEST_F(SideJournalTest, has_the_notes_of_several_jobs_and_clears_each_alone) {
  for (const JobId job : {1, 2, 3}) write_note(note_of(job));
  EXPECT_THAT(left_jobs(), ElementsAre(1, 2, 3));
  ASSERT_TRUE(open()->clear(2)) << "in the middle";
  EXPECT_THAT(left_jobs(), ElementsAre(1, 3));
  write_note(note_of(4));
  EXPECT_THAT(left_jobs(), ElementsAre(1, 3, 4));
  ASSERT_TRUE(open()->clear(4)) << "at the end";
  ASSERT_TRUE(open()->clear(1)) << "at the beginning";
  EXPECT_THAT(left_jobs(), ElementsAre(3));
  EXPECT_THAT(open()->left().value().front().parts, ElementsAre("device eth1"));
  ASSERT_TRUE(open()->clear(3));
  EXPECT_EQ(bytes(), "") << "nothing is left to grow";
}

TEST_F(SideJournalTest, does_not_grow_with_each_job_that_comes_after_a_note) {
  write_note(note());
  write_note(note_of(8));
  const std::size_t size = bytes().size();
  ASSERT_TRUE(open()->clear(8));
  write_note(note_of(9));
  EXPECT_EQ(bytes().size(), size);
}

TEST_F(SideJournalTest, reads_what_an_older_version_wrote) {
  std::ofstream(path) << text_of_fields({"netperfd-side 1", "boot-1", "7", "list", "2", "/x/switch", "list"});
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  const auto left = open()->left();
  ASSERT_TRUE(left && left->size() == 1);
  EXPECT_THAT(left->front().apply, ElementsAre("/x/switch", "list"));
  EXPECT_THAT(left->front().parts, IsEmpty()) << "so it is not known what it concerns";
  write_note(note_of(8));
  EXPECT_THAT(left_jobs(), ElementsAre(7, 8));
  ASSERT_TRUE(open()->clear(7));
  EXPECT_THAT(left_jobs(), ElementsAre(8));
}

TEST_F(SideJournalTest, a_note_of_another_boot_says_nothing) {
  write_note(note());
  EXPECT_THAT(left_jobs("boot-2"), IsEmpty());
}

TEST_F(SideJournalTest, a_note_that_was_cut_off_anywhere_says_nothing) {
  write_note(note_of(6));
  const std::size_t first = bytes().size();
  write_note(note());
  const std::string whole = bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(path) << whole.substr(0, length);
    EXPECT_THAT(left_jobs(), length < first ? std::vector<JobId>{} : std::vector<JobId>{6}) << length;
  }
}

TEST_F(SideJournalTest, is_held_by_one_at_a_time) {
  const auto held = open();
  const auto second = open();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::busy);
}

TEST_F(SideJournalTest, is_not_believed_where_others_could_have_written_it) {
  write_note(note());
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  EXPECT_EQ(open().error().kind, ErrorKind::access_denied);
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::symlink("/etc/hostname", path.c_str()), 0);
  EXPECT_FALSE(open());
}

TEST_F(SideJournalTest, is_for_its_owner_alone) {
  write_note(note());
  struct stat found{};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777U, 0600U);
}

// In a mount namespace that ends with this process.
class SideJournalOnADisk : public SideJournalTest {
 protected:
  void SetUp() override {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mkdir(folder.c_str(), 0700) != 0 ||
        ::mount("netperfd-test", folder.c_str(), "tmpfs", 0, "size=1m,nr_inodes=2") != 0) {
      GTEST_SKIP() << "needs root to mount a small file system";
    }
    path = folder + "/side.journal";
  }
  void TearDown() override { (void)::umount2(folder.c_str(), MNT_DETACH); }
  void remount(unsigned long flags) const {
    ASSERT_EQ(::mount(nullptr, folder.c_str(), nullptr, MS_REMOUNT | flags, nullptr), 0);
  }

  std::string folder = scratch.path("disk");
};

TEST_F(SideJournalOnADisk, is_opened_without_room_and_takes_a_note_once_there_is_some) {
  std::ofstream{folder + "/last"};
  auto journal = open();
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_THAT(journal->left().value(), IsEmpty());
  EXPECT_TRUE(journal->clear(7));
  EXPECT_EQ(journal->write(note()).error().kind, ErrorKind::no_space);
  ASSERT_EQ(::unlink((folder + "/last").c_str()), 0);
  EXPECT_TRUE(journal->write(note()));
  EXPECT_EQ(open().error().kind, ErrorKind::busy) << "from then on it is held";
}

TEST_F(SideJournalOnADisk, that_is_read_only_is_read_and_takes_a_note_once_it_is_writable) {
  remount(MS_RDONLY);
  {
    auto without_file = open();
    ASSERT_TRUE(without_file) << without_file.error().message;
    EXPECT_THAT(without_file->left().value(), IsEmpty());
  }
  remount(0);
  write_note(note());
  remount(MS_RDONLY);
  auto journal = open();
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_EQ(journal->left().value().front().job, note().job);
  EXPECT_FALSE(journal->clear(7));
  EXPECT_FALSE(journal->write(note()));
  remount(0);
  EXPECT_EQ(journal->write(note()).error().kind, ErrorKind::busy) << "the way back is still to be taken";
  EXPECT_TRUE(journal->clear(7));
  EXPECT_TRUE(journal->write(note()));
}

class BringBack : public SideJournalTest {
 protected:
  Result<std::string> bring(std::chrono::milliseconds timeout = kTestPatience) {
    auto journal = open();
    if (!journal) return std::unexpected(journal.error());
    return bring_back(loop, commands, *journal, parts, timeout);
  }

  core::FakeMachineParts parts;
  EventLoop loop = make_loop();
  ChildCommands commands{loop};
};

TEST_F(BringBack, runs_the_noted_command_once) {
  const std::string seen = scratch.path("seen");
  write_note({.job = 7, .side = "list", .apply = shell("echo back >>" + seen)});
  const auto done = bring();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, testing::AllOf(HasSubstr("job 7"), HasSubstr("side list"), HasSubstr("/bin/sh -c")));
  EXPECT_EQ(bring().value(), "") << "there is nothing left to do";
  std::ifstream file(seen);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "back\n");
}

TEST_F(BringBack, keeps_the_note_of_a_command_that_fails) {
  write_note({.job = 7, .side = "list", .apply = shell("echo no such module; exit 1")});
  const auto done = bring();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("exit code 1: no such module"));
  EXPECT_THAT(left_jobs(), ElementsAre(7));
}

TEST_F(BringBack, goes_on_with_the_notes_behind_one_that_fails) {
  const std::string seen = scratch.path("seen");
  write_note({.job = 7, .side = "list", .apply = shell("exit 1")});
  write_note({.job = 8, .side = "on", .apply = shell("echo back >>" + seen)});
  const auto done = bring();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message,
              testing::AllOf(HasSubstr("job 7 left the machine off side list"), HasSubstr("job 8 left")));
  EXPECT_THAT(left_jobs(), ElementsAre(7));
}

TEST_F(BringBack, has_one_time_for_all_notes) {
  const std::string seen = scratch.path("seen");
  write_note({.job = 7, .side = "list", .apply = shell("exec sleep 1000")});
  write_note({.job = 8, .side = "on", .apply = shell("echo back >>" + seen)});
  const auto done = bring(std::chrono::milliseconds{200});
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message,
              testing::AllOf(HasSubstr("not done within"),
                             HasSubstr("job 8 left the machine off side on: not tried")));
  EXPECT_THAT(left_jobs(), ElementsAre(7, 8));
  EXPECT_FALSE(std::filesystem::exists(seen));
}

TEST_F(BringBack, has_nothing_to_do_for_what_is_gone) {
  write_note({.job = 7, .side = "on", .apply = {"/bin/false/ip", "-n", "left", "link", "set", "dev", "v0"}});
  EXPECT_FALSE(bring());
  EXPECT_THAT(left_jobs(), ElementsAre(7)) << "as long as the namespace is there";
  parts.gone = {"netns left", "device v0"};
  const auto done = bring();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, HasSubstr("since namespace left is gone"));
  EXPECT_THAT(left_jobs(), IsEmpty());
}

}  // namespace
}  // namespace netperfd::command::test
