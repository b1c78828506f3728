// SPDX-License-Identifier: GPL-2.0-or-later
// Opening a database: creating it, taking it over, migrating it, or refusing it and leaving it unchanged.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "daemon/base/fd.hpp"
#include "daemon/store/database.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::HasSubstr;

std::string content_of(const std::string& file) {
  return must(read_file(file, std::size_t{1} << 30));
}

mode_t mode_of(const std::string& file) {
  struct stat status{};
  EXPECT_EQ(::stat(file.c_str(), &status), 0) << file;
  return status.st_mode & 0777;
}

class DatabaseTest : public StoreTest {
 protected:
  void write_with_sql(const std::string& sql) {
    auto connection = must(Connection::open(path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    must(connection.execute(sql));
  }

  Error refusal() {
    const auto opened = SqliteStore::open(path(), 0);
    if (opened) throw std::runtime_error("it was opened");
    return opened.error();
  }

  // Simulates the death of an owner.
  void leave_unclosed() { std::ofstream{path() + ".lock"} << "4711"; }
};

TEST_F(DatabaseTest, creates_files_that_others_cannot_read) {
  const auto mask = ::umask(022);
  store = must(SqliteStore::open(path(), 0));
  must(add_job(*store, a_job(), 0, kMorning));
  ::umask(mask);
  for (const auto* suffix : {"", "-wal", "-shm", ".lock"})
    EXPECT_EQ(mode_of(path() + suffix) & ~mode_t{S_IXUSR}, 0640U) << suffix;
}

TEST_F(DatabaseTest, is_set_up_as_documented) {
  must(SqliteStore::open(path(), 0)).reset();
  EXPECT_EQ(ask(path(), "PRAGMA journal_mode"), "wal");
  EXPECT_EQ(ask(path(), "PRAGMA application_id"), std::to_string(0x6e706664));
  EXPECT_EQ(ask(path(), "PRAGMA user_version"), std::to_string(embedded_migrations().back().version));
  EXPECT_EQ(ask(path(), "PRAGMA auto_vacuum"), "2");

  auto database = must(Database::open(path(), embedded_migrations()));
  auto& connection = database->connection();
  EXPECT_EQ(must(connection.value<int>("PRAGMA foreign_keys")), 1);
  EXPECT_EQ(must(connection.value<int>("PRAGMA synchronous")), 1);
  EXPECT_EQ(must(connection.value<int>("PRAGMA busy_timeout")), 5000);
  EXPECT_EQ(must(connection.value<int>("PRAGMA trusted_schema")), 0);
  EXPECT_EQ(must(connection.value<int>("PRAGMA journal_size_limit")), 16'777'216);
}

TEST_F(DatabaseTest, commits_of_full_durability_leave_the_setting_as_it_was) {
  auto database = must(Database::open(path(), embedded_migrations()));
  auto& connection = database->connection();
  {
    auto transaction = must(Transaction::begin(connection, Durability::full));
    EXPECT_EQ(must(connection.value<int>("PRAGMA synchronous")), 2);
    must(transaction.commit());
  }
  EXPECT_EQ(must(connection.value<int>("PRAGMA synchronous")), 1);
}

TEST_F(DatabaseTest, refuses_a_second_owner_and_lets_readers_in) {
  open();
  store_job(a_job());
  const auto error = refusal();
  EXPECT_EQ(error.kind, ErrorKind::busy);
  EXPECT_THAT(error.message, HasSubstr(fmt::format("process {} has this database open", ::getpid())));
  EXPECT_EQ(ask(path(), "SELECT state FROM run_overview"), "finished");
  close();
  open();
}

TEST_F(DatabaseTest, refuses_a_database_of_another_program_and_leaves_it_alone) {
  for (const auto* sql :
       {"CREATE TABLE bookmarks (url)", "PRAGMA application_id = 252006675", "PRAGMA user_version = 3"}) {
    std::filesystem::remove(path());
    write_with_sql(sql);
    const auto before = content_of(path());
    const auto error = refusal();
    EXPECT_EQ(error.kind, ErrorKind::invalid_argument) << sql;
    EXPECT_THAT(error.message, HasSubstr(path() + ": this is another program's database"));
    EXPECT_EQ(content_of(path()), before);
  }
}

TEST_F(DatabaseTest, refuses_a_file_that_is_no_database_and_leaves_it_alone) {
  const std::string text(8192, 'x');
  std::ofstream{path()} << text;
  const auto error = refusal();
  EXPECT_EQ(error.kind, ErrorKind::io);
  EXPECT_THAT(error.message, HasSubstr(path() + ": file is not a database"));
  EXPECT_EQ(content_of(path()), text);
}

TEST_F(DatabaseTest, refuses_a_database_of_a_newer_netperfd) {
  open();
  close();
  write_with_sql("PRAGMA user_version = 77");
  const auto before = content_of(path());
  const auto error = refusal();
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_THAT(error.message, HasSubstr("version 77"));
  EXPECT_THAT(error.message, HasSubstr(path() + ".before-v77"));
  EXPECT_EQ(content_of(path()), before);
}

TEST_F(DatabaseTest, refuses_a_database_of_a_development_version) {
  open();
  close();
  for (const int version : {24, 1, 0}) {
    write_with_sql(fmt::format("PRAGMA user_version = {}", version));
    const auto before = content_of(path());
    const auto error = refusal();
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
    EXPECT_EQ(error.message,
              fmt::format("{}: a development version of netperfd made this database, of schema version {}, "
                          "and this one knows versions from 25 on; it was left as it is. Read it with the "
                          "version that made it, or move it away to begin a new one",
                          path(), version));
    EXPECT_EQ(content_of(path()), before);
    EXPECT_EQ(SqliteStore::open_to_look(path()).error().kind, ErrorKind::unsupported);
  }
}

TEST_F(DatabaseTest, says_which_folder_is_missing) {
  const auto refused = SqliteStore::open((folder / "absent" / "netperfd.db").string(), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::io);
  EXPECT_THAT(refused.error().message, HasSubstr("absent"));
  EXPECT_THAT(refused.error().message, HasSubstr("No such file or directory"));
}

TEST_F(DatabaseTest, knows_whether_the_owner_before_closed_it) {
  open();
  EXPECT_FALSE(store->was_unclosed());
  open();
  EXPECT_FALSE(store->was_unclosed());
  close();
  leave_unclosed();
  open();
  EXPECT_TRUE(store->was_unclosed());
}

TEST_F(DatabaseTest, checks_a_database_that_was_not_closed) {
  open();
  const auto run = run_under_way(a_job());
  must(store->finish(a_record(run, 4, 5000)));
  close();
  {
    // The second half of the file, which has the intervals.
    const auto size = static_cast<std::streamoff>(std::filesystem::file_size(path()));
    std::fstream file{path(), std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(size / 2);
    file << std::string(static_cast<std::size_t>(size / 4), '\xa5');
  }
  leave_unclosed();
  const auto error = refusal();
  EXPECT_EQ(error.kind, ErrorKind::io);
  EXPECT_THAT(error.message, HasSubstr("the database is damaged"));
  EXPECT_EQ(refusal().message, error.message) << "a refused start must not count as a close";
}

TEST_F(DatabaseTest, ends_runs_under_way_as_interrupted_and_keeps_those_to_come) {
  open();
  auto spec = a_job();
  spec.repeat = 5;
  const auto job = must(add_job(*store, spec, 0, kMorning));
  must(store->set_state(job.runs[1], RunState::preparing));
  must(store->set_state(job.runs[2], RunState::preparing));
  must(store->set_state(job.runs[2], RunState::running));
  bring_to_collecting(*store, job.runs[3]);
  bring_to_collecting(*store, job.runs[4]);
  must(store->finish(a_record(job.runs[4])));

  open();
  EXPECT_EQ(store->interrupted_runs(), 3U);
  const auto rows = must(store->runs_of_job(job.id));
  EXPECT_EQ(rows[0].state, RunState::pending);
  EXPECT_EQ(rows[1].state, RunState::interrupted);
  EXPECT_EQ(rows[1].error, "netperfd ended while this run was preparing.");
  EXPECT_EQ(rows[2].error, "netperfd ended while this run was running.");
  EXPECT_EQ(rows[3].error, "netperfd ended while this run was collecting.");
  EXPECT_EQ(rows[4].state, RunState::finished);
  open();
  EXPECT_EQ(store->interrupted_runs(), 0U);
}

// ---- Migrations -------------------------------------------------------------------------------------------

constexpr std::array<Migration, 2> kTwoSteps{{
    {.version = 1, .name = "0001_first.sql", .sql = "CREATE TABLE notes (text TEXT NOT NULL) STRICT"},
    {.version = 2,
     .name = "0002_second.sql",
     .sql = "ALTER TABLE notes ADD COLUMN author TEXT; UPDATE notes SET author = 'us'"},
}};

constexpr std::array<Migration, 2> kSecondStepFails{{
    kTwoSteps[0],
    {.version = 2,
     .name = "0002_wrong.sql",
     .sql = "DELETE FROM notes; CREATE TABLE more (x); INSERT INTO absent VALUES (1)"},
}};

class MigrationTest : public DatabaseTest {
 protected:
  // A database at version 1 with one note.
  void make_version_1() {
    auto database = must(Database::open(path(), std::span{kTwoSteps}.first(1)));
    must(database->connection().execute("INSERT INTO notes VALUES ('keep me')"));
  }
};

TEST_F(MigrationTest, of_the_schema_begin_with_the_first_release_and_have_no_gaps) {
  std::int64_t expected = 25;
  for (const auto& migration : embedded_migrations())
    EXPECT_EQ(migration.version, expected++) << migration.name;
  EXPECT_EQ(embedded_migrations().front().name, "0025_schema.sql");
}

TEST_F(MigrationTest, to_a_version_are_those_up_to_it) {
  for (const auto& [version, count] :
       {std::pair{0, 0U}, std::pair{1, 1U}, std::pair{2, 2U}, std::pair{3, 2U}})
    EXPECT_EQ(migrations_to(version, kTwoSteps).size(), count) << version;
  EXPECT_TRUE(migrations_to(24, embedded_migrations()).empty());
  EXPECT_EQ(migrations_to(25, embedded_migrations()).size(), 1U);
}

TEST_F(MigrationTest, lead_a_new_database_to_the_newest_version_without_a_copy) {
  auto database = must(Database::open(path(), kTwoSteps));
  EXPECT_EQ(database->copy_path(), "");
  EXPECT_EQ(must(database->connection().value<int>("PRAGMA user_version")), 2);
  EXPECT_FALSE(std::filesystem::exists(path() + ".before-v2"));
}

TEST_F(MigrationTest, of_which_the_first_one_is_newer_than_the_database_refuse_it) {
  make_version_1();
  const auto refused = Database::open(path(), std::span{kTwoSteps}.last(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(ask(path(), "PRAGMA user_version"), "1");
}

TEST_F(MigrationTest, copy_an_older_database_before_they_change_it) {
  make_version_1();
  {
    auto database = must(Database::open(path(), kTwoSteps));
    EXPECT_EQ(database->copy_path(), path() + ".before-v2");
  }
  EXPECT_EQ(ask(path(), "PRAGMA user_version"), "2");
  EXPECT_EQ(ask(path(), "SELECT text || ' ' || author FROM notes"), "keep me us");

  const auto copy = path() + ".before-v2";
  EXPECT_EQ(mode_of(copy), 0640);
  EXPECT_EQ(ask(copy, "PRAGMA user_version"), "1");
  EXPECT_EQ(ask(copy, "PRAGMA application_id"), std::to_string(kApplicationId));
  EXPECT_EQ(ask(copy, "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(ask(copy, "SELECT text FROM notes"), "keep me");
  EXPECT_FALSE(std::filesystem::exists(copy + ".partial"));
}

TEST_F(MigrationTest, copy_what_only_the_write_ahead_log_holds) {
  make_version_1();
  // A reader that is open during the close keeps the log from being merged into the file.
  auto reader = must(Connection::open(path(), SQLITE_OPEN_READONLY));
  {
    auto database = must(Database::open(path(), std::span{kTwoSteps}.first(1)));
    must(reader.execute("BEGIN; SELECT * FROM notes"));
    must(database->connection().execute("INSERT INTO notes VALUES ('in the log')"));
  }
  auto database = must(Database::open(path(), kTwoSteps));
  EXPECT_EQ(ask(database->copy_path(), "SELECT count(*) FROM notes"), "2");
}

TEST_F(MigrationTest, that_fail_leave_the_database_as_it_was) {
  make_version_1();
  const auto refused = Database::open(path(), kSecondStepFails);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("the migration 0002_wrong.sql failed and was undone"));
  EXPECT_THAT(refused.error().message, HasSubstr("no such table: absent"));

  EXPECT_EQ(ask(path(), "PRAGMA user_version"), "1");
  EXPECT_EQ(ask(path(), "SELECT text FROM notes"), "keep me");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM sqlite_schema WHERE name = 'more'"), "0");
  EXPECT_EQ(ask(path() + ".before-v2", "SELECT text FROM notes"), "keep me");
  EXPECT_TRUE(Database::open(path(), kTwoSteps)) << "a corrected migration must still work";
}

TEST_F(MigrationTest, that_leave_dangling_references_fail) {
  static constexpr std::array<Migration, 1> kDangling{{
      {.version = 1,
       .name = "0001_dangling.sql",
       .sql = "CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (parent REFERENCES parent "
              "(id)); "
              "INSERT INTO child VALUES (5)"},
  }};
  const auto refused = Database::open(path(), kDangling);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("rows of table child that refer to nothing"));
}

TEST_F(MigrationTest, do_not_begin_where_the_copy_cannot_be_made) {
  make_version_1();
  std::filesystem::create_directory(path() + ".before-v2");
  std::ofstream{path() + ".before-v2/in-the-way"} << "x";
  ASSERT_FALSE(Database::open(path(), kTwoSteps));
  EXPECT_EQ(ask(path(), "PRAGMA user_version"), "1");
  EXPECT_FALSE(std::filesystem::exists(path() + ".before-v2.partial"));
}

}  // namespace
}  // namespace netperfd::store
