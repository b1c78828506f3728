// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/store_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "daemon/model/wording.hpp"
#include "daemon/store/bundle_tables.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/migrations.hpp"
#include "daemon/store/rows.hpp"
#include "daemon/store/schema_check.hpp"

namespace netperfd::store {
namespace {

// Enough to see what kind of damage it is.
constexpr int kMostProblems = 20;
constexpr int kMostOfTable = 3;

// What each statement meets once is told once.
void add_problem(core::StoreCheck& check, const std::string& problem) {
  if (std::ranges::find(check.problems, problem) == check.problems.end()) check.problems.push_back(problem);
}

// A statement that ends with an error has found a problem too.
template <class Read>
void add_problems(Connection& connection, const std::string& sql, core::StoreCheck& check, Read read) {
  auto select = connection.prepare(sql);
  const Status done = select ? for_each_row(*select, read) : Status{std::unexpected(select.error())};
  if (!done) add_problem(check, done.error().message);
}

std::uint64_t number(Connection& connection, const std::string& sql, core::StoreCheck& check) {
  const auto value = connection.value<std::uint64_t>(sql);
  if (value) return *value;
  add_problem(check, value.error().message);
  return 0;
}

void add_schema(Connection& connection, core::StoreCheck& check) {
  const auto problems = schema_problems(connection, embedded_migrations());
  if (!problems) return add_problem(check, problems.error().message);
  std::ranges::copy(*problems, std::back_inserter(check.problems));
}

// Each page of a list would have a row of a position beyond it, and so would the next one.
void add_positions(Connection& connection, core::StoreCheck& check) {
  const auto source = schema_source(connection);
  if (!source) return add_problem(check, source.error().message);
  const auto tables = bundle_tables(**source);
  if (!tables) return add_problem(check, tables.error().message);
  for (const BundleTable& table : *tables) {
    if (std::ranges::find(table.columns, "position") == table.columns.end()) continue;
    const bool of_sample = std::ranges::find(table.columns, "sample") != table.columns.end();
    add_problems(connection,
                 fmt::format("SELECT {0} FROM {1} GROUP BY {0}{2} HAVING min(position) <> 0 OR "
                             "max(position) <> count(*) - 1 LIMIT {3}",
                             table.key, table.name, of_sample ? ", sample" : "", kMostOfTable),
                 check, [&](RowReader& row) {
                   std::int64_t number = 0;
                   if (!row.try_read(number)) return;
                   check.problems.push_back(fmt::format("the positions of {} {} in table {} have gaps",
                                                        table.key, number, table.name));
                 });
  }
}

// Nothing could be stored any more once the numbers are used up.
void add_numbers(Connection& connection, core::StoreCheck& check) {
  constexpr std::int64_t kMostNumbers = std::int64_t{1} << 53U;
  add_problems(
      connection,
      fmt::format("SELECT name FROM sqlite_sequence WHERE typeof(seq) <> 'integer' OR seq NOT BETWEEN 0 "
                  "AND {} OR name IN (SELECT name FROM sqlite_sequence GROUP BY name HAVING count(*) > 1)",
                  kMostNumbers),
      check, [&check](RowReader& row) {
        std::string table;
        row.read(table);
        check.problems.push_back(fmt::format("the last number of table {} cannot be one", in_quotes(table)));
      });
  for (const char* table : {"jobs", "runs", "audit", "fingerprints", "documents"}) {
    add_problems(
        connection,
        fmt::format("SELECT id FROM {} WHERE id NOT BETWEEN 1 AND {} LIMIT 1", table, kMostNumbers), check,
        [&](RowReader& row) {
          std::int64_t id = 0;
          if (!row.try_read(id)) return;
          check.problems.push_back(fmt::format("table {} has the number {}, which cannot be", table, id));
        });
  }
}

void add_damaged(Connection& connection, core::StoreCheck& check) {
  int told = 0;
  auto looked = find_damage(connection, [&](Owner owner, std::string words) {
    auto& damaged = owner.whose == Whose::run ? check.damaged_runs : check.damaged_jobs;
    const bool known = !damaged.empty() && damaged.back() == owner.number;
    if (owner.whose != Whose::audit_entry && !known) damaged.push_back(owner.number);
    if (++told <= kMostProblems) check.problems.push_back(std::move(words));
  });
  if (!looked) add_problem(check, looked.error().message);
  if (told > kMostProblems)
    check.problems.push_back(fmt::format("{} more tables are not as they were stored", told - kMostProblems));
}

// What the store derives of its jobs and runs.
void add_wrong_sums(Connection& connection, core::StoreCheck& check) {
  add_problems(connection,
               fmt::format("WITH stored (uid, bytes) AS (SELECT owner_uid, stored_bytes FROM jobs UNION ALL "
                           "SELECT j.owner_uid, r.stored_bytes FROM runs r JOIN jobs j ON j.id = r.job "
                           "UNION ALL SELECT owner_uid, -stored_bytes FROM stored_by_owner) "
                           "SELECT uid FROM stored GROUP BY uid HAVING sum(bytes) <> 0 LIMIT {}",
                           kMostProblems),
               check, [&check](RowReader& row) {
                 std::int64_t uid = 0;
                 if (!row.try_read(uid)) return;
                 check.problems.push_back(
                     fmt::format("the stored bytes of uid {} are not those of its jobs and runs", uid));
               });
  for (const char* table : {"jobs", "runs", "audit"}) {
    const auto last = number(connection, fmt::format("SELECT ifnull(max(id), 0) FROM {}", table), check);
    const auto given = number(
        connection,
        fmt::format(
            "SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = '{}' AND typeof(seq) = 'integer'",
            table),
        check);
    if (given < last)
      check.problems.push_back(fmt::format("table {}: numbers that were given would be given again", table));
  }
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
               [&check](RowReader& row) {
                 std::string line;
                 row.read(line);
                 if (line != "ok") check.problems.push_back(line);
               });
  add_problems(connection,
               fmt::format("SELECT \"table\", count(*) FROM pragma_foreign_key_check GROUP BY 1 LIMIT {}",
                           kMostProblems),
               check, [&check](RowReader& row) {
                 std::string table;
                 std::uint64_t rows = 0;
                 row.read(table, rows);
                 check.problems.push_back(
                     fmt::format("{} row{} of table {} refer to nothing", rows, rows == 1 ? "" : "s", table));
               });
  if (std::cmp_equal(check.version, check.newest_version)) {
    add_schema(connection, check);
    add_positions(connection, check);
    add_numbers(connection, check);
    add_damaged(connection, check);
    add_wrong_sums(connection, check);
  }
  check.jobs = number(connection, "SELECT count(*) FROM jobs", check);
  check.runs = number(connection, "SELECT count(*) FROM runs WHERE removing = 0", check);
  return check;
}

}  // namespace netperfd::store
