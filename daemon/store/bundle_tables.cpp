// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/bundle_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

using Of = BundleTable::Of;

constexpr std::array<std::pair<std::string_view, Of>, 3> kNumbered{
    {{"jobs", Of::jobs}, {"runs", Of::runs}, {"fingerprints", Of::fingerprints}}};
// The columns that name one, by the table that they name.
constexpr std::array<std::pair<std::string_view, Of>, 3> kReferences{
    {{"run", Of::runs}, {"job", Of::jobs}, {"fingerprint", Of::fingerprints}}};
// What a store says of its own rows.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kOwn{{{"jobs", "owner_uid"},
                                                                             {"jobs", "created_us"},
                                                                             {"jobs", "stored_bytes"},
                                                                             {"jobs", "tied"},
                                                                             {"jobs", "held"},
                                                                             {"runs", "stored_bytes"},
                                                                             {"runs", "removing"}}};

struct Column {
  std::string name;
  std::string type;
  int primary_key = 0;  // its position in the key, from 1; 0: not in it
};

Result<std::vector<Column>> columns_in(Connection& connection, const std::string& table) {
  auto select = connection.prepare("SELECT name, type, pk FROM pragma_table_info(?)");
  if (!select) return std::unexpected(select.error());
  std::vector<Column> columns;
  auto read = for_each_row(select->bind(table), [&](RowReader& row) {
    Column& column = columns.emplace_back();
    row.read(column.name, column.type, column.primary_key);
  });
  if (!read) return std::unexpected(read.error());
  return columns;
}

// Absent if the rows belong to no run and no job.
std::optional<std::pair<Of, std::string>> owner_of(std::string_view table, bool refers,
                                                   const std::vector<Column>& columns) {
  for (const auto& [name, of] : kNumbered) {
    if (name == table) return std::pair{of, std::string{"id"}};
  }
  if (!refers) return std::nullopt;
  for (const auto& [name, of] : kReferences) {
    if (std::ranges::find(columns, name, &Column::name) != columns.end())
      return std::pair{of, std::string{name}};
  }
  return std::nullopt;
}

bool is_own(const BundleTable& table, const Column& column) {
  if (column.name == "id") return !table.is_numbered();  // nothing refers to it
  if (!table.blob.empty() && column.name == "size") return true;
  return std::ranges::any_of(
      kOwn, [&](const auto& own) { return own.first == table.name && own.second == column.name; });
}

// Where a position is not in the key, it orders the rows nevertheless: a number of their own need not follow
// it.
std::string order_of(std::vector<Column> columns, const std::string& key) {
  const bool has_position = std::ranges::find(columns, "position", &Column::name) != columns.end();
  std::erase_if(columns, [](const Column& column) { return column.primary_key == 0; });
  std::ranges::sort(columns, {}, &Column::primary_key);
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  if (has_position && std::ranges::find(names, "position") == names.end()) names = {key, "position"};
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<std::optional<BundleTable>> plan(Connection& connection, const std::string& name, bool refers) {
  const auto columns = columns_in(connection, name);
  if (!columns) return std::unexpected(columns.error());
  auto owner = owner_of(name, refers, *columns);
  if (!owner) return std::optional<BundleTable>{};
  BundleTable table{.name = name,
                    .of = owner->first,
                    .key = std::move(owner->second),
                    .columns = {},
                    .blob = {},
                    .order = {}};
  table.order = order_of(*columns, table.key);
  const auto blob = std::ranges::find(*columns, "BLOB", &Column::type);
  if (blob != columns->end()) table.blob = blob->name;
  for (const Column& column : *columns) {
    if (!is_own(table, column)) table.columns.push_back(column.name);
  }
  return std::optional{std::move(table)};
}

}  // namespace

Result<std::vector<BundleTable>> bundle_tables(Connection& connection) {
  std::vector<std::pair<std::string, bool>> names;
  auto select = connection.prepare(
      "SELECT name, EXISTS (SELECT 1 FROM pragma_foreign_key_list(s.name)) FROM sqlite_schema s "
      "WHERE type = 'table' AND name NOT IN ('run_digests', 'job_digests') ORDER BY name");
  if (!select) return std::unexpected(select.error());
  auto read = for_each_row(*select, [&](RowReader& row) {
    auto& [name, refers] = names.emplace_back();
    row.read(name, refers);
  });
  if (!read) return std::unexpected(read.error());
  std::vector<BundleTable> tables;
  for (const auto& [name, refers] : names) {
    auto table = plan(connection, name, refers);
    if (!table) return std::unexpected(table.error());
    if (*table) tables.push_back(std::move(**table));
  }
  std::ranges::stable_sort(tables, {}, [](const BundleTable& table) {
    return table.is_numbered() ? static_cast<int>(table.of) : static_cast<int>(kNumbered.size());
  });
  return tables;
}

const BundleTable* referred(std::span<const BundleTable> tables, const BundleTable& table,
                            std::string_view column) {
  if (table.name == "jobs" && column == "confirms") return &tables.front();
  for (const auto& [name, of] : kReferences) {
    if (name != column) continue;
    const auto found = std::ranges::find_if(
        tables, [&](const BundleTable& other) { return other.is_numbered() && other.of == of; });
    return found == tables.end() ? nullptr : &*found;
  }
  return nullptr;
}

}  // namespace netperfd::store
