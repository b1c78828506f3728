// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/store_check.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/store/migrations.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

// Enough to see what kind of damage it is.
constexpr int kMostProblems = 20;

// A statement that ends with an error has found a problem too.
template <class Read>
void add_problems(Connection& connection, const std::string& sql, core::StoreCheck& check, Read read) {
  auto select = connection.prepare(sql);
  const Status done = select ? for_each_row(*select, read) : Status{std::unexpected(select.error())};
  if (!done) check.problems.push_back(done.error().message);
}

std::uint64_t number(Connection& connection, const std::string& sql, core::StoreCheck& check) {
  const auto value = connection.value<std::uint64_t>(sql);
  if (value) return *value;
  check.problems.push_back(value.error().message);
  return 0;
}

// Tables and views with their columns, indexes and triggers, in words.
Result<std::set<std::string>> read_parts(Connection& connection) {
  auto select = connection.prepare(
      "SELECT m.type || ' ' || m.name FROM sqlite_schema AS m WHERE m.name NOT LIKE 'sqlite_%' UNION ALL "
      "SELECT 'column ' || m.name || '.' || c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c "
      "WHERE m.type IN ('table', 'view')");
  if (!select) return std::unexpected(select.error());
  std::set<std::string> parts;
  auto read = for_each_row(*select, [&parts](const Statement& row) {
    std::string part;
    row.read(part);
    parts.insert(std::move(part));
  });
  if (!read) return std::unexpected(read.error());
  return parts;
}

// Those of an empty store of the newest version.
Result<std::set<std::string>> expected_parts() {
  auto connection = Connection::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY);
  if (!connection) return std::unexpected(connection.error());
  if (auto set = connection->execute("PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF"); !set)
    return std::unexpected(set.error());
  if (auto applied = apply(embedded_migrations(), 0, *connection); !applied)
    return std::unexpected(applied.error());
  return read_parts(*connection);
}

void add_missing_parts(Connection& connection, core::StoreCheck& check) {
  const auto expected = expected_parts();
  const auto found = read_parts(connection);
  if (!expected || !found) {
    check.problems.push_back((expected ? found : expected).error().message);
    return;
  }
  std::vector<std::string> missing;
  std::ranges::set_difference(*expected, *found, std::back_inserter(missing));
  if (missing.size() > kMostProblems) missing.resize(kMostProblems);
  for (const std::string& part : missing) check.problems.push_back(fmt::format("the schema has no {}", part));
}

}  // namespace

Result<core::StoreCheck> check_store(Connection& connection, std::int64_t newest_version) {
  core::StoreCheck check;
  check.newest_version = static_cast<std::uint64_t>(newest_version);
  check.version = number(connection, "PRAGMA user_version", check);
  const std::uint64_t page = number(connection, "PRAGMA page_size", check);
  check.bytes = page * number(connection, "PRAGMA page_count", check);
  check.free_bytes = page * number(connection, "PRAGMA freelist_count", check);
  add_problems(connection, fmt::format("PRAGMA integrity_check({})", kMostProblems), check,
               [&check](const Statement& row) {
                 std::string line;
                 row.read(line);
                 if (line != "ok") check.problems.push_back(line);
               });
  add_problems(connection,
               fmt::format("SELECT \"table\", count(*) FROM pragma_foreign_key_check GROUP BY 1 LIMIT {}",
                           kMostProblems),
               check, [&check](const Statement& row) {
                 std::string table;
                 std::uint64_t rows = 0;
                 row.read(table, rows);
                 check.problems.push_back(
                     fmt::format("{} row{} of table {} refer to nothing", rows, rows == 1 ? "" : "s", table));
               });
  if (std::cmp_equal(check.version, check.newest_version)) add_missing_parts(connection, check);
  check.jobs = number(connection, "SELECT count(*) FROM jobs", check);
  check.runs = number(connection, "SELECT count(*) FROM runs WHERE removing = 0", check);
  return check;
}

}  // namespace netperfd::store
