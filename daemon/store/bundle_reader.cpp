// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/bundle_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "daemon/store/bundle_tables.hpp"
#include "daemon/store/compression.hpp"
#include "daemon/store/rows.hpp"
#include "daemon/store/schema_check.hpp"

namespace netperfd::store {
namespace {

std::string condition(const BundleTable& table, const std::string& runs) {
  switch (table.of) {
    case BundleTable::Of::runs:
      return fmt::format("{} IN ({})", table.key, runs);
    case BundleTable::Of::jobs:
      return fmt::format("{} IN (SELECT job FROM runs WHERE id IN ({}))", table.key, runs);
    case BundleTable::Of::fingerprints:
      break;
  }
  return fmt::format("{} IN (SELECT fingerprint FROM environments WHERE run IN ({}))", table.key, runs);
}

Status expect_ended(Connection& connection, const std::string& runs, std::size_t wanted) {
  const auto known =
      connection.value<std::uint64_t>(fmt::format("SELECT count(*) FROM runs WHERE id IN ({})", runs));
  if (!known) return std::unexpected(known.error());
  if (wanted == 0 || *known != wanted) return fail(ErrorKind::not_found, "no such run");
  const auto open = connection.value<std::int64_t>(
      fmt::format("SELECT id FROM runs WHERE state IN ('pending', 'preparing', 'running', 'collecting') AND "
                  "id IN ({}) LIMIT 1",
                  runs));
  if (!open) return std::unexpected(open.error());
  if (*open == 0) return {};
  return fail(ErrorKind::busy, fmt::format("run {} has not ended: a bundle has only ended runs", *open));
}

// Reads one table, with its BLOBs unpacked.
class TableReader {
 public:
  TableReader(Connection& connection, const BundleTable& plan) : connection_(connection), plan_(plan) {}

  Result<StoredTable> read(const std::string& runs, std::size_t most_bytes) {
    StoredTable table{.name = plan_.name, .columns = plan_.columns, .values = {}};
    const std::string size = plan_.blob.empty() ? "0" : "size";
    auto select = connection_.prepare(fmt::format("SELECT {}, \"{}\" FROM {} WHERE {} ORDER BY {}", size,
                                                  fmt::join(plan_.columns, "\", \""), plan_.name,
                                                  condition(plan_, runs), plan_.order));
    if (!select) return std::unexpected(select.error());
    std::vector<StoredValue> row(plan_.columns.size());
    Status done;
    auto read = for_each_row(*select, [&](RowReader& found) {
      if (!done) return;
      std::uint64_t bytes = 0;
      found.read(bytes, row);
      done = unpack(row, bytes);
      for (const StoredValue& value : row) table.add(value);
      if (done && table.values.size() > most_bytes) {
        done = fail(ErrorKind::invalid_argument,
                    fmt::format("the runs have more than a bundle may hold: table {} alone leaves no room",
                                plan_.name));
      }
    });
    if (read) read = std::move(done);
    if (!read) return std::unexpected(std::move(read.error()));
    return table;
  }

 private:
  Status unpack(std::vector<StoredValue>& row, std::uint64_t size) const {
    for (StoredValue& value : row) {
      auto* const blob = std::get_if<StoredBytes>(&value);
      if (blob == nullptr) continue;
      auto bytes = decompress(blob->bytes, size);
      if (!bytes) {
        return fail(bytes.error().kind, fmt::format("table {}: {}", plan_.name, bytes.error().message));
      }
      blob->bytes = std::move(*bytes);
    }
    return {};
  }

  Connection& connection_;
  const BundleTable& plan_;
};

}  // namespace

Result<StoredTables> read_tables(Connection& connection, const std::vector<RunId>& runs,
                                 std::size_t most_bytes) {
  const std::string list = fmt::format("{}", fmt::join(runs, ", "));
  if (auto ended = expect_ended(connection, list, runs.size()); !ended) {
    return std::unexpected(std::move(ended.error()));
  }
  const auto source = schema_source(connection);
  if (!source) return std::unexpected(source.error());
  const auto plans = bundle_tables(**source);
  if (!plans) return std::unexpected(plans.error());
  StoredTables content;
  const auto version = connection.value<std::uint32_t>("PRAGMA user_version");
  if (!version) return std::unexpected(version.error());
  content.schema = *version;
  std::size_t left = most_bytes;
  for (const BundleTable& plan : *plans) {
    auto table = TableReader{connection, plan}.read(list, left);
    if (!table) return std::unexpected(std::move(table.error()));
    left -= std::min(left, table->values.size());
    content.tables.push_back(std::move(*table));
  }
  return content;
}

}  // namespace netperfd::store
