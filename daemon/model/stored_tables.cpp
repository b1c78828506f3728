// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/stored_tables.hpp"

#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

namespace netperfd {
namespace {

// Small numbers of either sign take few bytes: 0, -1, 1, -2 are 0, 1, 2, 3.
std::uint64_t folded(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63U);
}

std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1U) ^ (0 - (value & 1U)));
}

StoredValue take_value(ByteReader& reader) {
  std::uint64_t kind = 0;
  reader.number(kind);
  std::uint64_t number = 0;
  std::string text;
  switch (kind) {
    case 0:
      return {};
    case 1:
      reader.number(number);
      return unfolded(number);
    case 2:
      reader.number(number);
      return std::bit_cast<double>(number);
    case 3:
      reader.text(text);
      return text;
    case 4:
      reader.text(text);
      return StoredBytes{std::move(text)};
    default:
      reader.fail();
      return {};
  }
}

}  // namespace

void StoredTable::add(const StoredValue& value) {
  ByteWriter writer;
  writer.number(value.index());
  std::visit(
      [&]<class Held>(const Held& held) {
        if constexpr (std::is_same_v<Held, std::int64_t>) {
          writer.number(folded(held));
        } else if constexpr (std::is_same_v<Held, double>) {
          writer.number(std::bit_cast<std::uint64_t>(held));
        } else if constexpr (std::is_same_v<Held, std::string>) {
          writer.text(held);
        } else if constexpr (std::is_same_v<Held, StoredBytes>) {
          writer.text(held.bytes);
        }
      },
      value);
  values += writer.take();
}

// Each row is read into the same vector, so its bytes are the only limit that is needed.
StoredRows::StoredRows(const StoredTable& table)
    : reader_(table.values, std::numeric_limits<std::size_t>::max()), columns_(table.columns.size()) {}

bool StoredRows::next(std::vector<StoredValue>& row) {
  row.clear();
  if (reader_.at_end() || columns_ == 0) return false;
  for (std::size_t i = 0; i < columns_; ++i) row.push_back(take_value(reader_));
  return !reader_.failed();
}

}  // namespace netperfd
