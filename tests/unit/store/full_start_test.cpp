// SPDX-License-Identifier: GPL-2.0-or-later
// A start that finds the disk full, without an inode or read-only: the stored runs can be read, and deleted
// if the file system takes that much; once there is room, the same store takes new runs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/store/database.hpp"
#include "tests/unit/store/small_file_system.hpp"

namespace netperfd::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t kMinFree = 2048 * kKibibyte;

// Does `work` with the store in a process that is killed then, after `beside` it.
void killed_after(const std::function<void()>& work, const std::function<void()>& beside = [] {}) {
  auto pipe = must(make_pipe());
  const pid_t child = ::fork();
  if (child == 0) {
    pipe.read.reset();
    try {
      work();
    } catch (const std::exception& e) {
      fmt::print(stderr, "before it was killed: {}\n", e.what());
    }
    pipe.write.reset();
    for (;;) ::pause();
  }
  pipe.write.reset();
  char byte = 0;
  ASSERT_EQ(::read(pipe.read.get(), &byte, 1), 0);
  beside();
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
}

class FullStart : public FullFileSystem {
 protected:
  // What an owner left that was no longer able to keep anything, or a netperfd that removed its log.
  void remove_log() const {
    for (const char* beside : {"-wal", "-shm"}) std::filesystem::remove(path() + beside);
  }
  [[nodiscard]] std::string mount_point() const { return std::filesystem::canonical(folder).string(); }
  void expect_refusal(ErrorKind kind, const std::string& words) {
    const auto refused = add_job(*store, a_job(), 0, kMorning);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, kind) << refused.error().message;
    EXPECT_THAT(refused.error().message, AllOf(HasSubstr(path()), HasSubstr(words)));
    EXPECT_EQ(store->expect_room().error().message, refused.error().message);
  }
  // In a process of its own, since it changes how SQLite opens files. Empty: it was opened.
  std::string refusal_of_query() {
    auto pipe = must(make_pipe());
    const pid_t child = ::fork();
    if (child == 0) {
      const auto queries = SqliteStore::open_read_only(path());
      const std::string words = queries ? "" : queries.error().message;
      ::_exit(std::cmp_equal(::write(pipe.write.get(), words.data(), words.size()), words.size()) ? 0 : 1);
    }
    pipe.write.reset();
    std::array<char, 1000> words{};
    const ssize_t size = ::read(pipe.read.get(), words.data(), words.size());
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return {words.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
  }
  // What a process sees that answers a query beside the daemon.
  void expect_answers(RunId run) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto queries = SqliteStore::open_read_only(path());
      if (!queries) fmt::print(stderr, "{}\n", queries.error().message);
      const auto found = queries ? (*queries)->run(run) : std::unexpected(queries.error());
      ::_exit(found && found->state == RunState::finished ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "a query has no answer";
    EXPECT_EQ(must(store->run(run)).state, RunState::finished);
  }
  void expect_whole() {
    close();
    EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
    EXPECT_EQ(ask(path(), "SELECT count(*) FROM pragma_foreign_key_check"), "0");
  }
};

TEST_F(FullStart, after_a_clean_end_reads_and_deletes_and_takes_runs_once_there_is_room) {
  open(kMinFree);
  const RunId first = store_job(a_job());
  const RunId second = store_job(a_job());
  close();
  fill(0);
  open(kMinFree);
  EXPECT_FALSE(store->was_unclosed());
  expect_answers(first);
  expect_refusal(ErrorKind::no_space, "its file system " + mount_point() + " has 0.0 MiB free");
  must(store->remove(first));
  open(kMinFree);
  must(store->remove(second));
  make_room();
  EXPECT_TRUE(add_job(*store, a_job(), 0, kMorning));
  expect_whole();
}

TEST_F(FullStart, after_a_kill_ends_the_runs_that_were_under_way_and_deletes) {
  RunId finished = 0;
  open(kMinFree);
  finished = store_job(a_job());
  close();
  killed_after([&] {
    open(kMinFree);
    store_job(a_job());
    run_under_way(a_job());
    fill(0);
  });
  ASSERT_GT(std::filesystem::file_size(path() + "-wal"), 0U) << "there is a log to recover";
  open(kMinFree);
  EXPECT_TRUE(store->was_unclosed());
  EXPECT_EQ(store->interrupted_runs(), 1U);
  expect_answers(finished);
  must(store->remove(finished));
  expect_refusal(ErrorKind::no_space, "0.0 MiB free");
  make_room();
  EXPECT_TRUE(add_job(*store, a_job(), 0, kMorning));
  expect_whole();
}

// Only where no owner can write: here one has the store open, whose index was damaged.
TEST_F(FullStart, is_no_reason_to_read_without_locks_what_cannot_be_read_for_another_reason) {
  open();
  store_job(a_job());
  close();
  std::filesystem::remove(path() + "-shm");
  EXPECT_EQ(refusal_of_query(), "") << "a query cannot make an index";
  std::string refusal;
  killed_after([&] { open(); },
               [&] {
                 EXPECT_EQ(refusal_of_query(), "");
                 std::fstream{path() + "-shm"} << std::string(136, '\x5a');
                 refusal = refusal_of_query();
               });
  EXPECT_THAT(refusal, HasSubstr(path()));
}

// The owner is killed again and again, each time by a start on a disk that stays full.
TEST_F(FullStart, is_possible_again_and_again) {
  open(kMinFree);
  const RunId run = store_job(a_job());
  close();
  fill(0);
  for (int i = 0; i < 5; ++i) killed_after([&] { open(kMinFree); });
  open(kMinFree);
  EXPECT_TRUE(store->was_unclosed());
  expect_answers(run);
  must(store->remove(run));
  expect_whole();
}

TEST_F(FullStart, without_a_reserve_reads_and_deletes_once_there_is_room) {
  open();
  const RunId run = store_job(a_job());
  close();
  fill(0);
  open();
  expect_answers(run);
  const auto refused = store->remove(run);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_space) << refused.error().message;
  EXPECT_THAT(refused.error().message, HasSubstr("has 0.0 MiB free"));
  make_room();
  must(store->remove(run));
  expect_whole();
}

TEST_F(FullStart, without_a_reserve_ends_the_runs_that_were_under_way_once_there_is_room) {
  RunId run = 0;
  open();
  run = store_job(a_job()) + 1;
  close();
  killed_after([&] {
    open();
    run_under_way(a_job());
    fill(0);
  });
  open();
  EXPECT_EQ(store->interrupted_runs(), 0U) << "that could not be stored";
  EXPECT_EQ(must(store->run(run)).state, RunState::collecting);
  EXPECT_EQ(store->remove(run).error().kind, ErrorKind::no_space);
  make_room();
  const auto job = must(add_job(*store, a_job(), 0, kMorning));
  EXPECT_EQ(must(store->run(run)).state, RunState::interrupted);
  bring_to_collecting(*store, job.runs[0]);
  EXPECT_EQ(must(store->run(job.runs[0])).state, RunState::collecting) << "only what an earlier owner left";
  must(store->remove(run));
  expect_whole();
}

TEST_F(FullStart, with_the_reserve_but_without_the_index_of_the_log_deletes) {
  open(kMinFree);
  const RunId run = store_job(a_job());
  close();
  std::filesystem::remove(path() + "-shm");
  fill(0);
  open(kMinFree);
  expect_answers(run);
  must(store->remove(run));
  expect_whole();
}

// An older netperfd, or another program, removed the log when it closed the file, and emptied the lock's.
TEST_F(FullStart, without_a_log_reads_and_changes_nothing_until_there_is_room) {
  open();
  const RunId run = store_job(a_job());
  close();
  remove_log();
  std::filesystem::resize_file(path() + ".lock", 0);
  fill(0);
  open(kMinFree);
  expect_answers(run);
  EXPECT_FALSE(store->remove(run));
  expect_refusal(ErrorKind::no_space, "can only be read");
  EXPECT_EQ(SqliteStore::open(path(), 0).error().kind, ErrorKind::busy) << "it is owned all the same";
  make_room();
  must(store->remove(run));
  EXPECT_TRUE(add_job(*store, a_job(), 0, kMorning));
  expect_whole();
}

TEST_F(FullStart, without_a_free_inode_measures_as_before) {
  open(kMinFree / 2);
  const RunId run = store_job(a_job());
  close();
  fill_inodes();
  open(kMinFree / 2);
  expect_answers(run);
  must(store->remove(run));
  expect_answers(store_job(a_job()));
  expect_whole();
}

TEST_F(FullStart, without_a_free_inode_for_a_log_reads) {
  open();
  const RunId run = store_job(a_job());
  close();
  remove_log();
  fill_inodes();
  std::filesystem::remove(path() + ".lock");
  fill_inodes();
  open();
  expect_answers(run);
  expect_refusal(ErrorKind::no_space, "can only be read");
  for (int i = 0; i < 3; ++i) std::filesystem::remove(folder / ("file-" + std::to_string(i)));
  EXPECT_TRUE(add_job(*store, a_job(), 0, kMorning));
  expect_whole();
}

TEST_F(FullStart, of_a_new_store_says_that_there_is_no_space) {
  fill_inodes();
  const auto refused = SqliteStore::open(path(), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_space) << refused.error().message;
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr(path()), HasSubstr("No space left on device")));
}

TEST_F(FullStart, on_a_disk_that_became_read_only_reads_and_goes_on_once_it_is_writable) {
  for (const bool with_log : {true, false}) {
    open();
    const RunId run = store_job(a_job());
    close();
    if (!with_log) remove_log();
    remount(MS_RDONLY);
    open();
    expect_answers(run);
    EXPECT_FALSE(store->remove(run));
    expect_refusal(ErrorKind::io, "Read-only file system");
    remount(0);
    EXPECT_TRUE(add_job(*store, a_job(), 0, kMorning));
    must(store->remove(run));
    expect_whole();
  }
}

TEST_F(FullStart, on_a_read_only_disk_after_a_kill_reads_what_is_in_the_log) {
  RunId run = 0;
  open();
  close();
  killed_after([&] {
    open();
    store_job(a_job());
    run_under_way(a_job());
  });
  run = 1;
  remount(MS_RDONLY);
  open();
  expect_answers(run);
  EXPECT_EQ(store->interrupted_runs(), 0U) << "that could not be stored";
  remount(0);
  EXPECT_TRUE(add_job(*store, a_job(), 0, kMorning));
  EXPECT_EQ(must(store->run(2)).state, RunState::interrupted);
  expect_whole();
}

TEST_F(FullStart, with_a_migration_to_make_says_what_it_needs_and_changes_nothing) {
  constexpr std::array<Migration, 2> kSteps{{
      {.version = 1,
       .name = "0001_first.sql",
       .sql = "CREATE TABLE notes (text); INSERT INTO notes VALUES (zeroblob(900000))"},
      {.version = 2, .name = "0002_second.sql", .sql = "DELETE FROM notes"},
  }};
  must(Database::open(path(), std::span{kSteps}.first(1)));
  fill(200 * kKibibyte);
  const auto refused = Database::open(path(), kSteps);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_space) << refused.error().message;
  EXPECT_THAT(
      refused.error().message,
      AllOf(HasSubstr(path() + ": "), HasSubstr("from version 1 to 2"), HasSubstr("needs 0.9 MiB"),
            HasSubstr("its file system " + mount_point() + " has 0.2 MiB free"), HasSubstr("make room")));
  EXPECT_FALSE(std::filesystem::exists(path() + ".before-v2"));
  EXPECT_FALSE(std::filesystem::exists(path() + ".before-v2.partial"));
  EXPECT_EQ(ask(path(), "SELECT length(text) FROM notes"), "900000");
  EXPECT_EQ(ask(path(), "PRAGMA user_version"), "1");
}

// What an interrupted copy left would take the space that is missing.
TEST_F(FullStart, first_removes_what_an_earlier_one_left_unfinished) {
  open();
  const RunId run = store_job(a_job());
  close();
  for (const char* left : {".restoring", ".restoring-wal", ".before-v99.partial"}) {
    std::ofstream{path() + left} << std::string(64 * kKibibyte, 'x');
  }
  remove_log();
  fill(0);
  open();
  must(store->remove(run));
  expect_whole();
}

}  // namespace
}  // namespace netperfd::store
