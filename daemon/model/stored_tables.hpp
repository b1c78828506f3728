// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of the store's tables as they are, on their way from one store to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/base/byte_archive.hpp"
#include "daemon/model/run_record.hpp"
#include "dbus/rows/field.hpp"

namespace netperfd {

// The content of a BLOB, unpacked.
struct StoredBytes {
  std::string bytes;
  bool operator==(const StoredBytes&) const = default;
};

// monostate: NULL.
using StoredValue = std::variant<std::monostate, std::int64_t, double, std::string, StoredBytes>;

struct StoredTable {
  std::string name;
  std::vector<std::string> columns;
  std::string values;  // of all rows, one row after the other; StoredRows reads them

  void add(const StoredValue& value);
  bool operator==(const StoredTable&) const = default;
};
template <>
inline constexpr auto rows::kFields<StoredTable> =
    std::tuple{rows::field("name", &netperfd::StoredTable::name),
               rows::field("columns", &netperfd::StoredTable::columns),
               rows::field("values", &netperfd::StoredTable::values)};
static_assert(rows::kDescribed<StoredTable>);

// Runs with their jobs and everything that the store has of them.
struct StoredTables {
  std::uint32_t schema = 0;  // version of the store's schema that names tables and columns
  std::vector<StoredTable> tables;

  bool operator==(const StoredTables&) const = default;
};
template <>
inline constexpr auto rows::kFields<StoredTables> =
    std::tuple{rows::field("schema", &netperfd::StoredTables::schema),
               rows::field("tables", &netperfd::StoredTables::tables)};
static_assert(rows::kDescribed<StoredTables>);

// The rows of a table, one after the other. The bytes may be untrusted.
class StoredRows {
 public:
  explicit StoredRows(const StoredTable& table);
  // Fills `row` with a value for each column. False at the end, and if the bytes are damaged.
  [[nodiscard]] bool next(std::vector<StoredValue>& row);
  [[nodiscard]] bool damaged() const { return reader_.failed(); }

 private:
  ByteReader reader_;
  std::size_t columns_;
};

// Where a bundle comes from, by its own word.
struct BundleOrigin {
  std::string host;     // empty: taken out
  std::string version;  // of the netperfd that made it
  WallTime made{};
  bool redacted = false;

  bool operator==(const BundleOrigin&) const = default;
};
template <>
inline constexpr auto rows::kFields<BundleOrigin> =
    std::tuple{rows::field("host", &netperfd::BundleOrigin::host),
               rows::field("version", &netperfd::BundleOrigin::version),
               rows::field("made", &netperfd::BundleOrigin::made),
               rows::field("redacted", &netperfd::BundleOrigin::redacted)};
static_assert(rows::kDescribed<BundleOrigin>);

struct Bundle {
  BundleOrigin origin;
  StoredTables content;

  bool operator==(const Bundle&) const = default;
};
template <>
inline constexpr auto rows::kFields<Bundle> = std::tuple{rows::field("origin", &netperfd::Bundle::origin),
                                                         rows::field("content", &netperfd::Bundle::content)};
static_assert(rows::kDescribed<Bundle>);

// Code of the quality flag of each run that came in a bundle.
inline constexpr std::string_view kFromBundle = "from-bundle";
// In its text: what follows is of this run alone, the rest of the whole bundle.
inline constexpr std::string_view kOriginalRun = "; it was run ";

}  // namespace netperfd
