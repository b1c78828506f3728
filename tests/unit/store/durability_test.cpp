// SPDX-License-Identifier: GPL-2.0-or-later
// A full disk and a killed writer: stored data survives, and nothing is stored in part.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <future>

#include "daemon/base/fd.hpp"
#include "daemon/core/deferred_ends.hpp"
#include "daemon/store/database.hpp"
#include "daemon/store/run_reader.hpp"
#include "daemon/store/run_writer.hpp"
#include "tests/unit/store/small_file_system.hpp"

namespace netperfd::store {
namespace {

using testing::HasSubstr;

// ---- A full disk ------------------------------------------------------------------------------------------

class FullDisk : public StoreTest {};

TEST_F(FullDisk, of_sqlite_refuses_a_record_whole) {
  auto database = must(Database::open(path(), embedded_migrations()));
  auto& connection = database->connection();
  RunWriter writer{connection};
  RunReader reader{connection};
  auto spec = a_job();
  spec.repeat = 2;
  const auto job = must(add_job(writer, spec, 0, kMorning));
  for (const auto run : job.runs) {
    for (const auto state : {RunState::preparing, RunState::running, RunState::collecting})
      must(writer.set_state(run, state));
  }
  must(writer.finish(a_record(job.runs[0])));

  const auto pages = must(connection.value<std::int64_t>("PRAGMA page_count"));
  must(connection.execute(fmt::format("PRAGMA max_page_count = {}", pages + 20)));
  const auto refused = writer.finish(a_record(job.runs[1], 4, 20'000));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_space);
  EXPECT_THAT(refused.error().message, HasSubstr(path()));

  EXPECT_EQ(must(connection.value<std::string>("PRAGMA integrity_check")), "ok");
  EXPECT_EQ(must(reader.run(job.runs[1])).state, RunState::collecting);
  EXPECT_TRUE(must(reader.intervals(job.runs[1], "", 0)).rows.empty());
  EXPECT_EQ(must(reader.intervals(job.runs[0], "", 0)).rows.size(), 50U);
  must(writer.finish(a_record(job.runs[1], 1, 10)));
}

TEST_F(FullFileSystem, refuses_a_record_whole_and_takes_it_once_there_is_room) {
  open();
  auto spec = a_job();
  spec.repeat = 2;
  const auto job = must(add_job(*store, spec, 0, kMorning));
  for (const auto run : job.runs) bring_to_collecting(*store, run);
  must(store->finish(a_record(job.runs[0])));
  fill(64 * kKibibyte);

  const auto record = a_record(job.runs[1], 4, 3000);
  const auto refused = store->finish(record);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_space) << refused.error().message;
  EXPECT_THAT(refused.error().message, HasSubstr(path()));
  EXPECT_THAT(refused.error().message,
              HasSubstr("its file system " + std::filesystem::canonical(folder).string() + " has "));
  EXPECT_EQ(must(store->run(job.runs[1])).state, RunState::collecting);
  EXPECT_TRUE(must(store->intervals(job.runs[1], "", 0)).rows.empty());
  EXPECT_EQ(must(store->intervals(job.runs[0], "", 0)).rows.size(), 50U);

  std::filesystem::remove(folder / "ballast");
  must(store->finish(record));
  close();
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(ask(path(), fmt::format("SELECT count(*) FROM intervals WHERE run = {}", job.runs[1])), "3000");
}

TEST_F(FullFileSystem, refuses_a_job_below_its_floor_before_anything_is_written) {
  open(1024 * kKibibyte);
  fill(512 * kKibibyte);
  const auto refused = add_job(*store, a_job(), 0, kMorning);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_space);
  EXPECT_THAT(refused.error().message,
              HasSubstr("its file system " + std::filesystem::canonical(folder).string() +
                        " has 0.5 MiB free, and a run needs 1.0 MiB (store.min_free)"));
  std::filesystem::remove(folder / "ballast");
  EXPECT_TRUE(add_job(*store, a_job(), 0, kMorning));
}

TEST_F(FullFileSystem, without_a_free_page_still_ends_runs_and_deletes_others) {
  constexpr std::uint64_t kMinFree = 2048 * kKibibyte;
  open();
  open(kMinFree);  // the log begins anew, with its reserve
  auto spec = a_job();
  spec.repeat = 3;
  const auto job = must(add_job(*store, spec, 0, kMorning));
  for (const auto run : {job.runs[0], job.runs[1]}) bring_to_collecting(*store, run);
  must(store->finish(a_record(job.runs[0], 4, 300)));
  fill(0);

  EXPECT_FALSE(store->expect_room());
  const auto refused = store->finish(a_record(job.runs[1], 4, 20'000));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_space);
  must(store->finish(core::end_without_record(a_record(job.runs[1]), refused.error())));
  must(store->cancel_pending(job.id, "stopped by uid 1000"));
  must(store->remove(job.runs[0]));
  EXPECT_EQ(must(store->run(job.runs[1])).state, RunState::failed);
  EXPECT_EQ(must(store->run(job.runs[2])).state, RunState::canceled);
  close();
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM intervals"), "0");
}

// ---- Other faults of the disk -----------------------------------------------------------------------------

class DiskFault : public StoreTest {};

// SQLite calls one of these to write; they wait until the other end of the pipe closes.
int stalled_on = -1;
void stall() {
  char byte = 0;
  if (stalled_on >= 0) (void)!::read(stalled_on, &byte, 1);
}
ssize_t stalled_write(int fd, const void* bytes, std::size_t size) {
  stall();
  return ::write(fd, bytes, size);
}
ssize_t stalled_pwrite(int fd, const void* bytes, std::size_t size, off_t offset) {
  stall();
  return ::pwrite(fd, bytes, size, offset);
}

TEST_F(DiskFault, that_stalls_delays_a_commit_and_loses_nothing) {
  auto pipe = must(make_pipe());
  auto* const files = sqlite3_vfs_find(nullptr);
  const auto set = [files](const char* name, auto* function) {
    return files->xSetSystemCall(files, name, reinterpret_cast<sqlite3_syscall_ptr>(function));
  };
  ASSERT_EQ(set("write", &stalled_write), SQLITE_OK);
  for (const char* name : {"pwrite", "pwrite64"}) ASSERT_EQ(set(name, &stalled_pwrite), SQLITE_OK);
  open();
  const RunId run = run_under_way(a_job());
  stalled_on = pipe.read.get();
  auto finished = std::async(std::launch::async, [&] { return store->finish(a_record(run)); });
  EXPECT_EQ(finished.wait_for(std::chrono::milliseconds{50}), std::future_status::timeout) << "it waits";
  pipe.write.reset();
  EXPECT_TRUE(finished.get());
  stalled_on = -1;
  for (const char* name : {"write", "pwrite", "pwrite64"}) {
    EXPECT_EQ(files->xSetSystemCall(files, name, nullptr), SQLITE_OK);
  }
  EXPECT_EQ(must(store->run(run)).state, RunState::finished);
}

TEST_F(DiskFault, that_loses_the_log_leaves_what_was_stored_before_it_or_is_refused_as_damage) {
  open();
  const RunId first = store_job(a_job());
  close();
  const pid_t child = ::fork();
  if (child == 0) {
    open();
    for (int i = 0; i < 50; ++i) store_job(a_job());
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_TRUE(std::filesystem::remove(path() + "-wal"));
  std::filesystem::remove(path() + "-shm");
  auto opened = SqliteStore::open(path(), 0);
  if (!opened) {
    EXPECT_EQ(opened.error().kind, ErrorKind::io);
    EXPECT_THAT(opened.error().message, HasSubstr("the database is damaged"));
    return;
  }
  EXPECT_TRUE((*opened)->was_unclosed()) << "it was checked";
  EXPECT_TRUE((*opened)->run(first));
  EXPECT_TRUE(must((*opened)->check_store()).problems.empty());
}

TEST_F(DiskFault, of_a_wrong_owner_or_mode_is_mended_when_the_database_is_opened) {
  open();
  store_job(a_job());
  close();
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give the file to another user";
  ASSERT_EQ(::chown(path().c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(path().c_str(), 0666), 0);
  open();
  for (const auto* suffix : {"", "-wal", "-shm"}) {
    struct stat about{};
    ASSERT_EQ(::stat((path() + suffix).c_str(), &about), 0);
    EXPECT_EQ(about.st_uid, 0U) << suffix;
    EXPECT_EQ(about.st_mode & 0777U, 0640U) << suffix;
  }
}

TEST_F(DiskFault, of_a_lock_that_another_program_holds_refuses_the_change_whole) {
  auto database = must(Database::open(path(), embedded_migrations()));
  must(database->connection().execute("PRAGMA busy_timeout = 1"));
  RunWriter writer{database->connection()};
  auto other = must(Connection::open(path(), SQLITE_OPEN_READWRITE));
  must(other.execute("BEGIN IMMEDIATE"));
  const auto refused = add_job(writer, a_job(), 0, kMorning);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::busy);
  EXPECT_THAT(refused.error().message, testing::AllOf(HasSubstr(path()), HasSubstr("locked")));
  must(other.execute("ROLLBACK"));
  EXPECT_TRUE(add_job(writer, a_job(), 0, kMorning));
}

// ---- A killed writer --------------------------------------------------------------------------------------

class KilledWriter : public StoreTest, public testing::WithParamInterface<int> {
 protected:
  static constexpr std::size_t kRows = 2000;
  static constexpr int kCommitsOfARun = 5;  // the job, three states, the record

  // Stores runs in an endless loop. Each commit writes a byte when SQLite begins with it.
  [[noreturn]] void write_runs(const Fd& progress) {
    try {
      const auto database = must(Database::open(path(), embedded_migrations()));
      int fd = progress.get();
      sqlite3_commit_hook(
          database->connection().raw(),
          [](void* end) { return ::write(*static_cast<int*>(end), "", 1) == 1 ? 0 : 1; }, &fd);
      RunWriter writer{database->connection()};
      for (;;) {
        const auto run = must(add_job(writer, a_job(), 0, kMorning)).runs.front();
        for (const auto state : {RunState::preparing, RunState::running, RunState::collecting}) {
          must(writer.set_state(run, state));
        }
        must(writer.finish(a_record(run, 4, kRows)));
      }
    } catch (const std::exception& e) {
      fmt::print(stderr, "the writer: {}\n", e.what());
    }
    ::_exit(1);
  }
};

TEST_P(KilledWriter, leaves_every_run_whole_or_absent) {
  auto pipe = must(make_pipe());
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) write_runs(pipe.write);
  pipe.write.reset();

  const int begun = GetParam();
  for (int i = 0; i < begun; ++i) {
    char byte = 0;
    ASSERT_EQ(::read(pipe.read.get(), &byte, 1), 1);
  }
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));

  open();
  EXPECT_TRUE(store->was_unclosed());
  EXPECT_LE(store->interrupted_runs(), 1U);
  core::RunFilter finished;
  finished.state = RunState::finished;
  const auto kept = must(store->runs(finished, "", 0)).rows.size();
  EXPECT_GE(kept, static_cast<std::size_t>((begun - 1) / kCommitsOfARun)) << "what was acknowledged is there";
  close();
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM pragma_foreign_key_check"), "0");
  // Only finished runs have parts, and they have all of them.
  EXPECT_EQ(
      ask(path(),
          fmt::format(
              "SELECT count(*) FROM runs WHERE "
              "(SELECT count(*) FROM intervals WHERE run = runs.id) <> iif(state = 'finished', {}, 0) OR "
              "(SELECT count(*) FROM streams WHERE run = runs.id) <> iif(state = 'finished', 4, 0) OR "
              "(SELECT count(*) FROM documents WHERE run = runs.id) <> iif(state = 'finished', 2, 0)",
              kRows)),
      "0");
}

// Multiples of five hit the commit of a record.
INSTANTIATE_TEST_SUITE_P(AtTheCommit, KilledWriter, testing::Values(1, 3, 5, 10, 15, 20, 37, 50, 51, 75));

}  // namespace
}  // namespace netperfd::store
