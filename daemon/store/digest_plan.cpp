// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/digest_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "daemon/store/rows.hpp"
#include "daemon/store/schema_check.hpp"

namespace netperfd::store {
namespace {

// Columns that a reader of the other ones leaves alone, as they are long.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kLong{
    {{"documents", "content"},
     {"functions", "histogram"},
     {"functions", "slice_hits"},
     {"functions", "slice_self_ns"},
     {"latency_spans", "histogram"}}};

struct SchemaColumn {
  std::string name, type;
  std::optional<std::string> by_default;  // as SQL
  int primary_key = 0;                    // its position in the key, from 1; 0: not in it
};
struct SchemaTable {
  bool refers = false;
  std::vector<SchemaColumn> columns;

  [[nodiscard]] bool has(std::string_view column) const {
    return std::ranges::find(columns, column, &SchemaColumn::name) != columns.end();
  }
};

Result<std::map<std::string, SchemaTable>> read_schema(Connection& connection) {
  auto select = connection.prepare(
      "SELECT m.name, EXISTS (SELECT 1 FROM pragma_foreign_key_list(m.name)), c.name, c.type, c.dflt_value, "
      "c.pk FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' "
      "AND m.name NOT IN ('run_digests', 'job_digests') ORDER BY m.name, c.cid");
  if (!select) return std::unexpected(select.error());
  std::map<std::string, SchemaTable> tables;
  auto read = for_each_row(*select, [&](RowReader& row) {
    std::string table;
    bool refers = false;
    SchemaColumn column;
    row.read(table, refers, column.name, column.type, column.by_default, column.primary_key);
    tables[table].refers = refers;
    tables[table].columns.push_back(std::move(column));
  });
  if (!read) return std::unexpected(read.error());
  return tables;
}

// Whose rows a table has, and the condition for those of the owner ?1.
std::optional<std::pair<Whose, std::string>> owner_in(const std::string& name, const SchemaTable& table) {
  constexpr const char* kShared = "{} = (SELECT fingerprint FROM environments WHERE run = ?1)";
  if (name == "runs") return std::pair{Whose::run, std::string{"id = ?1"}};
  if (name == "jobs") return std::pair{Whose::job, std::string{"id = ?1"}};
  if (name == "audit") return std::pair{Whose::audit_entry, std::string{"id = ?1"}};
  if (name == "fingerprints") return std::pair{Whose::run, fmt::format(kShared, "id")};
  if (!table.refers) return std::nullopt;
  if (table.has("run")) return std::pair{Whose::run, std::string{"run = ?1"}};
  if (table.has("job")) return std::pair{Whose::job, std::string{"job = ?1"}};
  if (table.has("fingerprint")) return std::pair{Whose::run, fmt::format(kShared, "fingerprint")};
  return std::nullopt;
}

bool is_long(std::string_view table, const SchemaColumn& column) {
  return std::ranges::find(kLong, std::pair{table, std::string_view{column.name}}) != kLong.end();
}

// Of the rows of one owner, so that the position alone decides in a table that has it.
std::string order_in(SchemaTable table, const std::string& chunk_column) {
  std::erase_if(table.columns, [](const SchemaColumn& column) { return column.primary_key == 0; });
  std::ranges::sort(table.columns, {}, &SchemaColumn::primary_key);
  if (!chunk_column.empty() && !table.has(chunk_column)) return chunk_column;
  std::vector<std::string> names;
  for (const SchemaColumn& column : table.columns) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

class PlanMaker {
 public:
  explicit PlanMaker(Connection& connection) : connection_(connection) {}

  Status add(const std::string& name, const SchemaTable& table) {
    const auto owner = owner_in(name, table);
    if (!owner) return {};
    std::vector<SchemaColumn> columns, long_columns;
    for (const SchemaColumn& column : table.columns) {
      if (name == "audit" && column.name == "digest") continue;
      (is_long(name, column) ? long_columns : columns).push_back(column);
    }
    DigestPart part;
    part.name = name;
    std::string chunk_column;
    if (owner->first == Whose::run && name != "runs" && name != "fingerprints") {
      for (const char* column : {"sample", "position", "id"}) {
        if (!chunk_column.empty() || !table.has(column)) continue;
        chunk_column = column;
        part.chunk_rows = chunk_column == "id" ? 1 : kRowsOfChunk;
      }
    }
    const std::string order = order_in(table, chunk_column);
    const std::string range =
        chunk_column.empty() ? "" : fmt::format(" AND {} BETWEEN ?2 AND ?3", chunk_column);
    const std::string chunk =
        chunk_column.empty() ? "0" : fmt::format("{} / {}", chunk_column, part.chunk_rows);
    const std::string from = fmt::format("FROM {} WHERE {}{} ORDER BY {}", name, owner->second, range, order);
    if (auto done = add(part, owner->first, chunk, columns, from); !done) return done;
    if (long_columns.empty()) return {};
    part.name = fmt::format("{}.{}", name, long_columns.front().name);
    return add(part, owner->first, chunk, long_columns, from);
  }

  std::shared_ptr<DigestPlan> plan = std::make_shared<DigestPlan>();

 private:
  Status add(const DigestPart& like, Whose whose, const std::string& chunk,
             const std::vector<SchemaColumn>& columns, const std::string& from) {
    DigestPart part{.name = like.name, .columns = {}, .chunk_rows = like.chunk_rows, .sql = {}};
    std::vector<std::string> names;
    for (const SchemaColumn& column : columns) {
      names.push_back(column.name);
      DigestColumn& digested = part.columns.emplace_back();
      digested.tag = XXH3_64bits(column.name.data(), column.name.size());
      if (!column.by_default) continue;
      auto value = connection_.value<StoredValue>(fmt::format("SELECT {}", *column.by_default));
      if (!value) return std::unexpected(value.error());
      const auto* const number = std::get_if<std::int64_t>(&*value);
      if (column.type == "REAL" && number != nullptr) {
        digested.by_default = static_cast<double>(*number);
      } else {
        digested.by_default = std::move(*value);
      }
    }
    part.sql = fmt::format("SELECT {}, \"{}\" {}", chunk, fmt::join(names, "\", \""), from);
    plan->parts[whose].push_back(std::move(part));
    return {};
  }

  Connection& connection_;
};

}  // namespace

Result<std::shared_ptr<DigestPlan>> make_digest_plan(Connection& connection) {
  const auto source = schema_source(connection);
  if (!source) return std::unexpected(source.error());
  const auto tables = read_schema(**source);
  if (!tables) return std::unexpected(tables.error());
  PlanMaker maker{connection};
  for (const auto& [name, table] : *tables) {
    if (auto done = maker.add(name, table); !done) return std::unexpected(done.error());
  }
  return maker.plan;
}

}  // namespace netperfd::store
