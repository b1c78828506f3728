// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/big_store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <map>
#include <stdexcept>
#include <vector>

#include "tests/system/harness/database.hpp"

namespace netperfd::system_test {
namespace {

using Replacements = std::map<std::string, std::string>;  // column -> expression

void execute(sqlite3* database, const std::string& sql) {
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw std::runtime_error(fmt::format("{}: {}", sql, sqlite3_errmsg(database)));
  }
}

// Copies the rows of a table that `from` selects, each as often as that has rows, with some columns replaced.
// Knows no other column, so that it copies the rows of every version of the schema.
void copy_rows(sqlite3* database, const std::string& path, const std::string& table, const std::string& from,
               const Replacements& replacements) {
  std::vector<std::string> columns;
  std::vector<std::string> values;
  for (const auto& row :
       Database{path}.rows(fmt::format("SELECT name FROM pragma_table_info('{}')", table))) {
    const std::string& column = row.front();
    const auto replaced = replacements.find(column);
    if (column == "id" && replaced == replacements.end()) continue;
    columns.push_back(column);
    values.push_back(replaced == replacements.end() ? "t." + column : replaced->second);
  }
  execute(database, fmt::format("INSERT INTO {} ({}) SELECT {} FROM {} t {}", table, fmt::join(columns, ", "),
                                fmt::join(values, ", "), table, from));
}

}  // namespace

void multiply_run(const std::string& path, std::uint64_t run, const std::string& label, int count) {
  sqlite3* raw = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE, nullptr);
  const Connection database{raw};
  if (opened != SQLITE_OK) throw std::runtime_error("open " + path);
  const Database reader{path};
  const auto first = reader.number("SELECT max(id) + 1 FROM runs");
  const auto job = reader.number("SELECT max(id) + 1 FROM jobs");
  execute(raw, "PRAGMA synchronous = OFF; BEGIN");
  copy_rows(raw, path, "jobs", fmt::format("WHERE id = (SELECT job FROM runs WHERE id = {})", run),
            {{"id", std::to_string(job)}, {"label", "'" + label + "'"}, {"repeat", std::to_string(count)}});
  execute(raw, fmt::format("CREATE TEMP TABLE copies AS WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i "
                           "+ 1 FROM n WHERE i + 1 < {}) SELECT {} + i AS id, i FROM n",
                           count, first));
  copy_rows(raw, path, "runs", fmt::format("CROSS JOIN copies WHERE t.id = {}", run),
            {{"id", "copies.id"},
             {"job", std::to_string(job)},
             {"idx", "copies.i + 1"},
             {"started_us", "t.started_us + copies.i"}});
  const std::string of_run = fmt::format("CROSS JOIN copies WHERE t.run = {}", run);
  // No two runs are alike.
  copy_rows(
      raw, path, "sums", of_run,
      {{"run", "copies.id"},
       {"received_bits_per_second", "t.received_bits_per_second * (1 + (copies.i * 7919 % 1000) / 1e5)"}});
  copy_rows(raw, path, "counters", of_run,
            {{"run", "copies.id"}, {"delta", "t.delta + copies.i * 104729 % 997"}});
  copy_rows(raw, path, "environments", of_run, {{"run", "copies.id"}});
  copy_rows(raw, path, "traffic", of_run, {{"run", "copies.id"}});
  execute(raw, "COMMIT");
  alter_database(path, "");
}

}  // namespace netperfd::system_test
