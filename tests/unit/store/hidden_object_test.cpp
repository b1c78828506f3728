// SPDX-License-Identifier: GPL-2.0-or-later
// A file that is restored has nothing in its schema but what the migrations make.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>

#include "daemon/store/database.hpp"
#include "tests/unit/store/next_steps.hpp"
#include "tests/unit/store/whole_store.hpp"

namespace netperfd::store {
namespace {

using testing::HasSubstr;

// What is hidden in the file, and what must be said of it.
struct Hidden {
  std::string sql;
  std::string named;
};

class HiddenObject : public WholeStore {
 protected:
  // A backup that somebody changed with SQLite's own means.
  std::string changed(const std::string& sql) {
    const std::string file = backup("hidden.db");
    auto writer = must(Connection::open(file, SQLITE_OPEN_READWRITE));
    sqlite3_db_config(writer.raw(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    must(writer.execute("PRAGMA foreign_keys = OFF; " + sql));
    return file;
  }
  // What a restore would refuse the file for; empty: nothing.
  std::string problems(const std::string& file) {
    const auto copied = candidate(file);
    if (!copied) return copied.error().message;
    const auto opened = SqliteStore::open_to_look(candidate_of(path()));
    if (!opened) return opened.error().message;
    const auto check = must((*opened)->check_store());
    return fmt::format("{}", fmt::join(check.problems, "\n"));
  }
};

TEST_F(HiddenObject, of_each_kind_is_found_whatever_it_is_called) {
  ASSERT_EQ(problems(changed("SELECT 1")), "");
  const std::string steals = " AFTER UPDATE ON runs BEGIN UPDATE jobs SET owner_uid = 666; END";
  // Rows of the schema that no statement can make.
  const auto row = [](const std::string& type, const std::string& name, const std::string& sql) {
    return fmt::format(
        "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('{}', '{}', 'runs', 0, '{}')", type,
        name, sql);
  };
  const auto rewritten = [](const std::string& name, const std::string& from, const std::string& to) {
    return fmt::format(
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '{}', '{}') WHERE "
        "name = '{}'",
        from, to, name);
  };
  for (const auto& [sql, named] : {
           Hidden{"CREATE TRIGGER thief" + steals, "has a trigger \"thief\" on \"runs\""},
           Hidden{"CREATE TRIGGER sqliteXthief" + steals, "has a trigger \"sqliteXthief\""},
           Hidden{row("trigger", "Jobs_After_Stored", "CREATE TRIGGER second" + steals), "Jobs_After_Stored"},
           Hidden{row("trigger", "sqlite_thief", "CREATE TRIGGER sqlite_thief" + steals), "\"sqlite_thief\""},
           Hidden{row("index", "sqlite_autoindex_runs_9", "CREATE TRIGGER thief" + steals),
                  "sqlite_autoindex_runs_9"},
           Hidden{row("trigger", "runs_after_delete", "CREATE TRIGGER second" + steals), "runs_after_delete"},
           Hidden{"DROP TRIGGER runs_after_delete; CREATE TRIGGER runs_after_delete" + steals,
                  "another trigger runs_after_delete"},
           Hidden{"DROP TRIGGER runs_after_delete", "no trigger runs_after_delete"},
           Hidden{"DROP VIEW run_overview; CREATE VIEW run_overview AS SELECT 1 AS run",
                  "no column run_overview.job"},
           Hidden{"CREATE VIEW more AS SELECT * FROM jobs", "has a view \"more\""},
           Hidden{"CREATE TABLE more (a)", "has a table \"more\""},
           Hidden{"CREATE TABLE \"a\u202eb\" (a)", "has a table \"a\\u202eb\""},
           Hidden{"CREATE VIRTUAL TABLE more USING fts5(a)", "has a table \"more\""},
           Hidden{"CREATE INDEX more ON jobs (label)", "has a index \"more\" on \"jobs\""},
           Hidden{"DROP INDEX runs_by_job; CREATE INDEX runs_by_job ON runs (state)",
                  "another index runs_by_job"},
           Hidden{"DROP INDEX runs_by_job; CREATE UNIQUE INDEX runs_by_job ON runs (job)",
                  "another index runs_by_job"},
           Hidden{"ANALYZE", "\"sqlite_stat1\""},
           Hidden{"ALTER TABLE jobs ADD COLUMN more TEXT", "a column \"more\" in jobs"},
           Hidden{"ALTER TABLE jobs ADD COLUMN more TEXT GENERATED ALWAYS AS (label) VIRTUAL",
                  "a column \"more\" in jobs"},
           Hidden{rewritten("flags", ", WITHOUT ROWID", ""), "another table flags"},
           Hidden{rewritten("flags", "STRICT", ""), "another table flags"},
           Hidden{rewritten("jobs", "CHECK (tied IN (0, 1))", ""), "another table jobs"},
           Hidden{rewritten("sums", " ON DELETE CASCADE", ""), "another table sums"},
           Hidden{"UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'runs'",
                  "last number of table \"runs\""},
           Hidden{"INSERT INTO sqlite_sequence VALUES ('runs', 5)", "last number of table \"runs\""},
           Hidden{"UPDATE runs SET id = 9223372036854775807",
                  "table runs has the number 9223372036854775807"},
           Hidden{"UPDATE sums SET position = 9223372036854775807",
                  "positions of run 1 in table sums have gaps"},
           Hidden{"PRAGMA auto_vacuum = NONE; VACUUM", "auto_vacuum is 0"},
       }) {
    EXPECT_THAT(problems(changed(sql)), HasSubstr(named)) << sql;
  }
}

TEST_F(HiddenObject, in_a_file_of_another_encoding_is_refused) {
  close();
  std::filesystem::remove(path());
  {
    auto writer = must(Connection::open(path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    must(writer.execute("PRAGMA encoding = 'UTF-16le'; PRAGMA auto_vacuum = INCREMENTAL"));
    must(apply(embedded_migrations(), 0, writer));
  }
  const std::string file = in_folder("other.db");
  std::filesystem::rename(path(), file);
  open();
  EXPECT_THAT(problems(file), HasSubstr("its texts are not UTF-8"));
}

// Before anything of it could be executed.
TEST_F(HiddenObject, in_an_older_store_is_found_before_it_is_migrated) {
  const std::string file = in_folder("older.db");
  must(Database::open(file, embedded_migrations()));
  {
    auto writer = must(Connection::open(file, SQLITE_OPEN_READWRITE));
    must(writer.execute(
        "CREATE TRIGGER thief AFTER UPDATE ON jobs BEGIN UPDATE jobs SET owner_uid = 666; END"));
  }
  const Error refused = refusal_of_candidate(file, with_next_steps());
  EXPECT_EQ(refused.kind, ErrorKind::invalid_argument);
  EXPECT_EQ(refused.message,
            "it is no store of netperfd's: the schema has a trigger \"thief\" on \"jobs\", which no "
            "netperfd makes");
}

// ALTER TABLE and CREATE TABLE leave different texts of one schema.
TEST_F(HiddenObject, is_none_in_a_store_that_the_migrations_of_development_versions_made) {
  const std::string file = in_folder("older.db");
  make_old_store(file, oldest_of(embedded_migrations()));
  ASSERT_NE(ask(file, "SELECT sql FROM sqlite_schema WHERE name = 'runs'"),
            ask(path(), "SELECT sql FROM sqlite_schema WHERE name = 'runs'"));
  EXPECT_EQ(problems(file), "");
}

// SQLite of another version may write comments, blanks and quotes otherwise.
TEST_F(HiddenObject, is_none_where_only_blanks_and_comments_differ) {
  EXPECT_EQ(problems(changed(
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(replace(sql, '  ', "
                "' /* a */'), 'CREATE TABLE runs', 'create  TABLE \"runs\"') WHERE type = 'table'")),
            "");
}

TEST_F(WholeStore, of_its_own_tells_of_a_trigger_that_somebody_added) {
  close();
  {
    auto writer = must(Connection::open(path(), SQLITE_OPEN_READWRITE));
    must(writer.execute(
        "CREATE TRIGGER sqliteXthief AFTER UPDATE ON runs BEGIN UPDATE jobs SET owner_uid = 666; END"));
  }
  EXPECT_THAT(
      must(must(SqliteStore::open_to_look(path()))->check_store()).problems,
      testing::ElementsAre("the schema has a trigger \"sqliteXthief\" on \"runs\", which no netperfd makes"));
}

}  // namespace
}  // namespace netperfd::store
