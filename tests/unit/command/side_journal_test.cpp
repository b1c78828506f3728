// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "daemon/command/bring_back.hpp"
#include "daemon/command/child_commands.hpp"
#include "daemon/command/side_journal_file.hpp"
#include "tests/unit/command/support.hpp"

namespace netperfd::command::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SideJournalTest : public testing::Test {
 protected:
  [[nodiscard]] Result<SideJournalFile> open(const std::string& boot = "boot-1") const {
    return SideJournalFile::open(path, boot);
  }
  [[nodiscard]] static core::SideNote note() {
    return {.job = 7, .side = "list", .apply = {"/x/switch", "two\nlines", "", "$x"}};
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
  EXPECT_FALSE(open()->read().value());
  write_note(note());
  const auto read = open()->read();
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->job, 7);
  EXPECT_EQ((*read)->side, "list");
  EXPECT_THAT((*read)->apply, ElementsAre("/x/switch", "two\nlines", "", "$x"));
}

TEST_F(SideJournalTest, keeps_a_way_back_that_was_not_taken) {
  write_note(note());
  auto journal = open();
  const auto written = journal->write({.job = 8, .side = "b", .apply = {"/y"}});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::busy);
  EXPECT_EQ(journal->read().value()->job, note().job);
  ASSERT_TRUE(journal->clear());
  EXPECT_TRUE(journal->write({.job = 8, .side = "b", .apply = {"/y"}}));
}

TEST_F(SideJournalTest, holds_nothing_once_it_was_cleared) {
  auto journal = open();
  ASSERT_TRUE(journal->write(note()));
  ASSERT_TRUE(journal->clear());
  EXPECT_FALSE(journal->read().value());
}

TEST_F(SideJournalTest, a_note_of_another_boot_says_nothing) {
  write_note(note());
  EXPECT_FALSE(open("boot-2")->read().value());
}

TEST_F(SideJournalTest, a_note_that_was_cut_off_anywhere_says_nothing) {
  write_note(note());
  const std::string whole = bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(path) << whole.substr(0, length);
    EXPECT_FALSE(open()->read().value()) << length;
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
  EXPECT_FALSE(journal->read().value());
  EXPECT_TRUE(journal->clear());
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
    EXPECT_FALSE(without_file->read().value());
  }
  remount(0);
  write_note(note());
  remount(MS_RDONLY);
  auto journal = open();
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_EQ(journal->read().value()->job, note().job);
  EXPECT_FALSE(journal->clear());
  EXPECT_FALSE(journal->write(note()));
  remount(0);
  EXPECT_EQ(journal->write(note()).error().kind, ErrorKind::busy) << "the way back is still to be taken";
  EXPECT_TRUE(journal->clear());
  EXPECT_TRUE(journal->write(note()));
}

class BringBack : public SideJournalTest {
 protected:
  Result<std::string> bring() {
    auto journal = open();
    if (!journal) return std::unexpected(journal.error());
    return bring_back(loop, commands, *journal, std::chrono::seconds{10});
  }

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
  EXPECT_TRUE(open()->read().value());
}

}  // namespace
}  // namespace netperfd::command::test
