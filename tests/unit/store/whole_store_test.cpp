// SPDX-License-Identifier: GPL-2.0-or-later
// The store as a whole: checked, copied while it changes, and replaced by a file.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "daemon/store/candidate.hpp"
#include "daemon/store/database.hpp"
#include "daemon/store/file_header.hpp"
#include "daemon/store/page_copy.hpp"
#include "tests/unit/store/killed_at.hpp"
#include "tests/unit/store/next_steps.hpp"
#include "tests/unit/store/whole_store.hpp"

namespace netperfd::store {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Before any test uses SQLite.
[[maybe_unused]] const bool kWatched = watch_first_page();

// ---- Copies -----------------------------------------------------------------------------------------------

TEST_F(WholeStore, is_copied_byte_for_byte_in_order_however_many_pages_it_has) {
  ASSERT_TRUE(kWatched);
  for (int i = 0; i < 20; ++i) store_job(a_job());
  close();
  const std::string copy = bytes_of(backup());
  std::string original = bytes_of(path());
  ASSERT_GT(original.size(), 300'000U) << "many more pages than the copy's cache";
  ASSERT_EQ(copy.size(), original.size());
  const auto header = read_header(copy);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->pages * header->page_bytes, copy.size());
  make_self_contained(original, header->pages);
  EXPECT_TRUE(copy == original);
}

TEST_F(WholeStore, is_copied_as_it_was_when_the_copy_began) {
  for (int i = 0; i < 20; ++i) store_job(a_job());
  auto reader = must(Connection::open(path(), SQLITE_OPEN_READONLY));
  must(reader.execute("BEGIN"));
  const auto before = must(reader.value<std::int64_t>("SELECT count(*) FROM runs"));
  std::string copy;
  int chunks = 0;
  must(copy_pages(reader, [&](std::string_view bytes) -> Status {
    if (++chunks % 10 == 0) store_job(a_job("veth-tcp", "later"));
    copy += bytes;
    return {};
  }));
  const std::string file = in_folder("copy.db");
  write(file, copy);
  EXPECT_EQ(ask(file, "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(ask(file, "SELECT count(*) FROM runs"), std::to_string(before));
  EXPECT_THAT(labels(path()), HasSubstr("later"));
}

TEST_F(WholeStore, is_copied_no_further_if_nobody_takes_the_bytes) {
  std::size_t taken = 0;
  auto reader = must(SqliteStore::open_to_look(path()));
  const auto copied = reader->copy_store([&taken](std::string_view) -> Status {
    if (++taken == 5) return fail(ErrorKind::io, "nobody reads");
    return {};
  });
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().message, "nobody reads");
  EXPECT_EQ(taken, 5U);
}

// ---- Checks -----------------------------------------------------------------------------------------------

TEST_F(WholeStore, that_is_whole_has_no_problems_and_its_figures) {
  const auto check = must(store->check_store());
  EXPECT_THAT(check.problems, IsEmpty());
  EXPECT_EQ(check.version, check.newest_version);
  EXPECT_EQ(check.jobs, 1U);
  EXPECT_EQ(check.runs, 1U);
  EXPECT_GT(check.bytes, 0U);
}

TEST_F(WholeStore, with_a_row_that_refers_to_nothing_has_that_problem) {
  close();
  {
    auto writer = must(Connection::open(path(), SQLITE_OPEN_READWRITE));
    must(writer.execute("PRAGMA foreign_keys = OFF; DELETE FROM jobs"));
  }
  const auto check = must(must(SqliteStore::open_to_look(path()))->check_store());
  EXPECT_THAT(check.problems, testing::Contains("1 row of table runs refer to nothing"));
}

TEST_F(WholeStore, without_a_part_of_its_schema_has_that_problem) {
  close();
  {
    auto writer = must(Connection::open(path(), SQLITE_OPEN_READWRITE));
    must(writer.execute("DROP INDEX runs_by_job; ALTER TABLE jobs RENAME COLUMN description TO text_of_it"));
  }
  EXPECT_THAT(must(must(SqliteStore::open_to_look(path()))->check_store()).problems,
              testing::IsSupersetOf(
                  {"the schema has no index runs_by_job", "the schema has no column jobs.description"}));
}

// A problem of the schema is no reason not to look at the rows.
TEST_F(WholeStore, with_a_problem_of_its_schema_has_those_of_its_rows_too) {
  const RunId run = store_job(a_job());
  auto writer = must(Connection::open(path(), SQLITE_OPEN_READWRITE));
  must(writer.execute(
      "CREATE INDEX added ON runs (note); ALTER TABLE boots RENAME COLUMN kernel TO release_of_it"));
  damage(path(), fmt::format("UPDATE runs SET note = 'forged', stored_bytes = 1 << 40 WHERE id = {}; "
                             "UPDATE sqlite_sequence SET seq = 'x' WHERE name = 'jobs'",
                             run));
  const auto check = must(store->check_store());
  EXPECT_THAT(check.problems,
              testing::IsSupersetOf({"the schema has no column boots.kernel",
                                     fmt::format("run {}: table runs is not as it was stored", run).c_str(),
                                     "the last number of table \"jobs\" cannot be one",
                                     "the stored bytes of uid 1000 are not those of its jobs and runs"}));
  EXPECT_THAT(check.damaged_runs, ElementsAre(run));
}

TEST_F(WholeStore, with_one_number_that_cannot_be_read_keeps_the_others) {
  store_job(a_job());
  damage(path(), "UPDATE sqlite_sequence SET seq = 'x' WHERE name = 'jobs'");
  auto connection = must(Connection::open(path(), SQLITE_OPEN_READONLY));
  const LastNumbers numbers = last_numbers(connection);
  EXPECT_FALSE(numbers.contains("jobs"));
  EXPECT_EQ(numbers.at("runs"), connection.value<std::int64_t>("SELECT max(id) FROM runs").value());
}

TEST_F(WholeStore, with_a_corrupt_page_has_problems) {
  for (int i = 0; i < 20; ++i) store_job(a_job());
  close();
  const auto root = std::stoul(ask(path(), "SELECT rootpage FROM sqlite_schema WHERE name = 'intervals'"));
  {
    std::fstream file{path(), std::ios::binary | std::ios::in | std::ios::out};
    file.seekp(static_cast<std::streamoff>((root - 1) * 4096 + 8));
    file << std::string(2000, '\x5a');
  }
  EXPECT_THAT(must(must(SqliteStore::open_to_look(path()))->check_store()).problems, Not(IsEmpty()));
}

// ---- Candidates -------------------------------------------------------------------------------------------

TEST_F(WholeStore, refuses_files_that_are_no_store_and_leaves_nothing_of_them) {
  const std::string whole = bytes_of(backup());
  const std::string file = in_folder("hostile.db");
  write(file, "");
  EXPECT_THAT(refusal_of_candidate(file).message, HasSubstr("it does not begin as one"));
  std::string garbage;
  for (int i = 0; i < 50'000; ++i) garbage += static_cast<char>(i * 7919 >> 5);
  write(file, garbage);
  EXPECT_THAT(refusal_of_candidate(file).message, HasSubstr("It may be encrypted"));
  for (const std::size_t bytes : {std::size_t{50}, std::size_t{4096}, whole.size() / 2, whole.size() - 1}) {
    write(file, whole.substr(0, bytes));
    const Error refused = refusal_of_candidate(file);
    EXPECT_EQ(refused.kind, ErrorKind::invalid_argument) << bytes;
    if (bytes > 100) {
      EXPECT_THAT(refused.message,
                  HasSubstr(fmt::format("its end is missing: it has {} bytes, and its header says {}", bytes,
                                        whole.size())));
    }
  }
  std::string other = whole;
  other[71] = 'x';
  write(file, other);
  EXPECT_THAT(refusal_of_candidate(file).message, HasSubstr("no database of netperfd's"));
}

TEST_F(WholeStore, refuses_a_newer_schema_and_says_both_versions) {
  std::string newer = bytes_of(backup());
  const auto known = static_cast<int>(newest_of(embedded_migrations()));
  newer[63] = static_cast<char>(known + 1);
  const std::string file = in_folder("newer.db");
  write(file, newer);
  const Error refused = refusal_of_candidate(file);
  EXPECT_EQ(refused.kind, ErrorKind::unsupported);
  EXPECT_THAT(refused.message,
              HasSubstr(fmt::format("its schema has version {}, and this netperfd knows versions up "
                                    "to {}",
                                    known + 1, known)));
}

TEST_F(WholeStore, refuses_the_schema_of_a_development_version) {
  std::string older = bytes_of(backup());
  const auto known = static_cast<int>(oldest_of(embedded_migrations()));
  const std::string file = in_folder("older.db");
  for (const int version : {known - 1, 1, 0}) {
    older[63] = static_cast<char>(version);
    write(file, older);
    const Error refused = refusal_of_candidate(file);
    EXPECT_EQ(refused.kind, ErrorKind::unsupported);
    EXPECT_EQ(refused.message,
              fmt::format("a development version of netperfd made it: its schema has version {}, and this "
                          "netperfd knows versions from {} on. Read it with the version that made it",
                          version, known));
  }
}

TEST_F(WholeStore, migrates_a_candidate_of_an_older_version) {
  const auto steps = with_next_steps();
  EXPECT_EQ(must(candidate(backup(), steps)), newest_of(embedded_migrations()));
  EXPECT_EQ(ask(candidate_of(path()), "PRAGMA user_version"), std::to_string(newest_of(steps)));
  EXPECT_EQ(labels(candidate_of(path())), "old");
}

TEST_F(WholeStore, of_the_oldest_version_takes_the_place) {
  const std::string file = in_folder("older.db");
  make_old_store(file, oldest_of(embedded_migrations()));
  EXPECT_EQ(must(candidate(file)), oldest_of(embedded_migrations()));
  must(store->replace_by_candidate(kMorning));
  EXPECT_THAT(must(store->check_store()).problems, IsEmpty());
}

TEST_F(WholeStore, replaced_keeps_the_old_file_gives_no_number_again_and_begins_no_job) {
  const RunId under_way = run_under_way(a_job("veth-tcp", "under way"));
  must(add_job(*store, a_job("veth-tcp", "waiting"), 1000, kMorning));
  const std::string file = backup();
  must(store->remove(store_job(a_job())));
  const RunId last = store_job(a_job("veth-tcp", "newer"));
  must(candidate(file));
  const std::string kept = must(store->replace_by_candidate(kMorning));
  EXPECT_EQ(kept, path() + ".before-restore-1750000000");
  EXPECT_EQ(labels(path()), "old,under way,waiting");
  EXPECT_EQ(ask(kept, "SELECT label FROM jobs ORDER BY id DESC LIMIT 1"), "newer");
  EXPECT_EQ(must(store->run(under_way)).state, RunState::interrupted);
  EXPECT_EQ(must(store->run(under_way + 1)).state, RunState::canceled);
  EXPECT_GT(store_job(a_job()), last) << "the number of another run";
  EXPECT_FALSE(std::filesystem::exists(candidate_of(path())));
  close();
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
}

TEST_F(WholeStore, replaced_several_times_within_a_second_keeps_each_old_file) {
  const std::string file = backup();
  for (const auto& [label, suffix] :
       {std::pair{"one", ""}, std::pair{"two", "-2"}, std::pair{"three", "-3"}}) {
    store_job(a_job("veth-tcp", label));
    must(candidate(file));
    const std::string kept = must(store->replace_by_candidate(kMorning));
    EXPECT_EQ(kept, path() + ".before-restore-1750000000" + suffix);
    EXPECT_EQ(labels(kept), std::string{"old,"} + label);
  }
  EXPECT_EQ(labels(path()), "old");
}

TEST_F(WholeStore, is_not_replaced_while_another_program_reads_it) {
  must(candidate(backup()));
  const RunId after = store_job(a_job("veth-tcp", "after"));
  auto reader = must(Connection::open(path(), SQLITE_OPEN_READONLY));
  must(reader.execute("BEGIN"));
  must(reader.value<std::int64_t>("SELECT count(*) FROM runs"));
  store_job(a_job());
  const auto replaced = store->replace_by_candidate(kMorning);
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().kind, ErrorKind::busy);
  EXPECT_TRUE(store->run(after)) << "it goes on";
  must(reader.execute("COMMIT"));
  must(store->replace_by_candidate(kMorning));
  EXPECT_EQ(labels(path()), "old");
}

// ---- Killed at each step ----------------------------------------------------------------------------------

TEST_F(WholeStore, killed_at_any_step_of_its_replacement_is_the_old_one_or_the_new_one) {
  must(add_job(*store, a_job("veth-tcp", "waiting"), 1000, kMorning));
  const std::string file = backup();
  close();
  store_in_log("newer");
  must(candidate(file));
  const std::string before = in_folder("before");
  std::filesystem::create_directory(before);
  for (const std::string name : {"netperfd.db", "netperfd.db-wal"}) {
    std::filesystem::rename(in_folder(name), before + "/" + name);
  }
  std::filesystem::rename(candidate_of(in_folder("netperfd.db")), before + "/candidate");
  std::set<std::string> seen;
  for (int step = 1;; ++step) {
    SCOPED_TRACE(step);
    const std::string now = in_folder(fmt::format("step-{}", step));
    std::filesystem::copy(before, now);
    const std::string database = now + "/netperfd.db";
    const bool killed = killed_at(step, [&](const Begin& begin) {
      auto own = SqliteStore::open(database, 0);
      std::filesystem::rename(now + "/candidate", candidate_of(database));  // opening removes an older one
      begin();
      if (own) (void)(*own)->replace_by_candidate(kMorning);
    });
    must(SqliteStore::open(database, 0)).reset();  // the next start, which also rolls back what had begun
    EXPECT_EQ(ask(database, "PRAGMA integrity_check"), "ok");
    const std::string found = labels(database);
    if (found != "old,waiting,newer") {
      EXPECT_EQ(found, "old,waiting");
      const std::string kept = database + ".before-restore-1750000000";
      EXPECT_EQ(labels(kept), "old,waiting,newer") << "nothing is lost";
      EXPECT_EQ(ask(database, "SELECT count(*) FROM runs WHERE state = 'pending'"), "0")
          << "none would begin";
      for (const char* last : {"SELECT seq FROM sqlite_sequence WHERE name = 'jobs'",
                               "SELECT seq FROM sqlite_sequence WHERE name = 'runs'"}) {
        EXPECT_EQ(ask(database, last), ask(kept, last)) << "no number is given again";
      }
    }
    seen.insert(found);
    if (!killed) break;
  }
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_TRUE(std::filesystem::exists(in_folder("step-5"))) << "there are so many steps at least";
}

TEST_F(WholeStore, killed_at_any_step_of_a_migration_is_of_the_old_version_or_the_new_one) {
  const auto migrations = with_next_steps();
  const std::int64_t newest = newest_of(migrations);
  close();
  const std::string older = in_folder("older.db");
  must(Database::open(older, embedded_migrations()));
  std::set<std::string> seen;
  for (int step = 1;; step += 8 + step / 10) {  // of some hundred
    SCOPED_TRACE(step);
    const std::string file = in_folder(fmt::format("step-{}.db", step));
    std::filesystem::copy(older, file);
    const bool killed = killed_at(step, [&](const Begin& begin) {
      begin();
      (void)Database::open(file, migrations);
    });
    EXPECT_EQ(ask(file, "PRAGMA integrity_check"), "ok");
    const std::string version = ask(file, "PRAGMA user_version");
    EXPECT_GE(std::stoll(version), newest_of(embedded_migrations()));
    seen.insert(version);
    if (!killed) break;
    must(Database::open(file, migrations));
    EXPECT_EQ(ask(file, "PRAGMA user_version"), std::to_string(newest)) << "the next start goes on";
  }
  EXPECT_GE(seen.size(), 2U);
}

}  // namespace
}  // namespace netperfd::store
