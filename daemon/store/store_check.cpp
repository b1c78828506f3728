// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/store_check.hpp"

#include <fmt/format.h>

#include <string>

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
  check.jobs = number(connection, "SELECT count(*) FROM jobs", check);
  check.runs = number(connection, "SELECT count(*) FROM runs WHERE removing = 0", check);
  return check;
}

}  // namespace netperfd::store
