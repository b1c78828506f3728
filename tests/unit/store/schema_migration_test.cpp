// SPDX-License-Identifier: GPL-2.0-or-later
// Migrating a full store to the schema of a later netperfd.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/store/database.hpp"
#include "daemon/store/digests.hpp"
#include "tests/unit/store/next_steps.hpp"
#include "tests/unit/store/stored_runs.hpp"

namespace netperfd::store {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class SchemaMigration : public StoreTest {
 protected:
  SchemaMigration() {
    open();
    store_runs(*store);
    close();
    auto connection = must(Connection::open(path(), SQLITE_OPEN_READONLY));
    for (const std::string& table :
         list_of(connection,
                 "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")) {
      columns_[table] = must(connection.value<std::string>(fmt::format(
          "SELECT group_concat('quote(\"' || name || '\")', ' || '','' || ') FROM pragma_table_info('{}')",
          table)));
    }
  }

  static std::string known_version() { return std::to_string(newest_of(embedded_migrations())); }
  [[nodiscard]] std::unique_ptr<Database> migrated() { return must(Database::open(path(), steps_)); }

  // Every value of every table with its type, a line for each row, in the columns of the older version.
  [[nodiscard]] std::map<std::string, std::string> content(const std::string& file) const {
    std::map<std::string, std::string> content;
    for (const auto& [table, columns] : columns_) {
      content[table] = ask(
          file, fmt::format("SELECT ifnull(group_concat(row, char(10)), '') FROM (SELECT {} AS row FROM {} "
                            "ORDER BY 1)",
                            columns, table));
    }
    return content;
  }

  const std::vector<Migration> steps_ = with_next_steps();

 private:
  std::map<std::string, std::string> columns_;  // of each table, as SQL
};

TEST_F(SchemaMigration, keeps_every_row_that_it_does_not_change) {
  auto before = content(path());
  ASSERT_THAT(before.at("environment_unknown"), HasSubstr("veth0")) << "refers to the table that is rebuilt";
  migrated().reset();
  auto after = content(path());
  EXPECT_THAT(after.at("flags"), HasSubstr(" So it was."));
  for (const char* changed : {"flags", "run_digests"}) {
    before.erase(changed);
    after.erase(changed);
  }
  EXPECT_EQ(after, before);
  EXPECT_EQ(ask(path(), "SELECT group_concat(DISTINCT weather) FROM runs"), "unknown");
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM pragma_foreign_key_check"), "0");
}

TEST_F(SchemaMigration, leaves_a_copy_of_the_older_version) {
  const auto before = content(path());
  const std::string copy = migrated()->copy_path();
  EXPECT_EQ(copy, fmt::format("{}.before-v{}", path(), newest_of(steps_)));
  EXPECT_EQ(ask(copy, "PRAGMA user_version"), known_version());
  EXPECT_EQ(content(copy), before);
}

TEST_F(SchemaMigration, leaves_views_and_references_bound_to_a_rebuilt_table) {
  const std::string facts = ask(path(), "SELECT count(*) FROM environment_overview");
  migrated().reset();
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM environment_overview"), facts);
  EXPECT_EQ(ask(path(), "SELECT \"table\" FROM pragma_foreign_key_list('environment_unknown')"),
            "environments");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%new_environments%'"), "0");
}

TEST_F(SchemaMigration, computes_the_digests_of_changed_values_anew) {
  const auto database = migrated();
  std::vector<std::string> damaged;
  must(find_damage(database->connection(),
                   [&](Owner, std::string words) { damaged.push_back(std::move(words)); }));
  EXPECT_THAT(damaged, IsEmpty());
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM runs WHERE id NOT IN (SELECT run FROM run_digests)"), "0");
}

TEST_F(SchemaMigration, that_changes_values_and_keeps_their_digests_is_noticed) {
  std::vector<Migration> steps{steps_.begin(), steps_.end() - 1};
  steps.push_back(
      {.version = newest_of(steps_), .name = "next_values.sql", .sql = "UPDATE flags SET message = 'x'"});
  const auto database = must(Database::open(path(), steps));
  std::vector<std::string> damaged;
  must(find_damage(database->connection(),
                   [&](Owner, std::string words) { damaged.push_back(std::move(words)); }));
  ASSERT_FALSE(damaged.empty());
  EXPECT_THAT(damaged.front(), HasSubstr("run 1: table flags"));
}

TEST_F(SchemaMigration, goes_not_on_while_foreign_keys_are_enforced) {
  auto connection = must(Connection::open(path(), SQLITE_OPEN_READWRITE));
  must(connection.execute("PRAGMA foreign_keys = ON"));
  const auto refused = apply(steps_, newest_of(embedded_migrations()), connection);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("migrations need foreign keys switched off"));
  EXPECT_EQ(must(connection.value<std::string>("PRAGMA user_version")), known_version());
}

TEST_F(SchemaMigration, that_meets_a_row_without_its_job_is_undone) {
  {
    auto connection = must(Connection::open(path(), SQLITE_OPEN_READWRITE));
    must(connection.execute("PRAGMA foreign_keys = OFF; DELETE FROM jobs WHERE id = 2"));
  }
  const auto refused = Database::open(path(), steps_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("that refer to nothing"));
  EXPECT_EQ(ask(path(), "PRAGMA user_version"), known_version());
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'weather'"), "0");
}

TEST_F(SchemaMigration, leaves_renames_as_strict_as_they_were) {
  EXPECT_EQ(must(migrated()->connection().value<int>("PRAGMA legacy_alter_table")), 0);
}

}  // namespace
}  // namespace netperfd::store
