// SPDX-License-Identifier: GPL-2.0-or-later
// A row of an answer, from the model or from a query's process to the message of the bus, without an object
// for each value. It knows the bytes that it takes there: a message must stay below 1 MiB, and sd-bus reports
// an excess only when it is too late.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "daemon/base/byte_archive.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

struct MessageSize;
class Row;
using Rows = std::vector<Row>;  // aa{sv}

// An a{sv}. Its keys are in their order, each once, and its texts are such as the bus takes.
class Row {
 public:
  // If the row has the key, the new value replaces the old one.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  void put(std::string_view key, Number value) {
    // A figure that is not finite comes from a division by zero: it is not known.
    if constexpr (std::is_floating_point_v<Number>) {
      if (!std::isfinite(value)) return;
    }
    add(key, value);
  }
  template <class Word>
    requires std::is_enum_v<Word>
  void put(std::string_view key, Word word) {
    put(key, std::string_view{to_string(word)});
  }
  void put(std::string_view key, std::string_view text, std::size_t limit_bytes = kShortTextBytes);
  void put(std::string_view key, const std::vector<std::string>& texts, std::size_t limit_bytes = kListBytes);
  void put(std::string_view key, const std::vector<bool>& truths) { add(key, truths); }
  void put(std::string_view key, const std::vector<std::uint32_t>& numbers) { add(key, numbers); }
  void put(std::string_view key, const std::vector<std::uint64_t>& numbers) { add(key, numbers); }
  void put(std::string_view key, const Rows& rows);
  void reserve(std::size_t entries) { entries_.reserve(entries * kUsualEntryBytes); }

  // Number of entries.
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  // In a message, padding included.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // The entries as row_values.hpp writes them, each behind its key.
  [[nodiscard]] std::string_view entries() const { return entries_; }
  // The value of a key; absent also if it has another type. Of numbers, texts and lists of numbers.
  template <class Value>
  [[nodiscard]] std::optional<Value> get(std::string_view key) const;

 private:
  static constexpr std::size_t kUsualEntryBytes = 20;

  template <class Value>
  void add(std::string_view key, const Value& value);
  // Takes out the entry of this key, and returns the entries behind its place.
  std::string cut_at(std::string_view key);
  template <class Write>
  void insert(std::string_view key, const MessageSize& size, Write write);

  std::string entries_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 8;  // the row's length and padding
  std::size_t last_ = 0;   // where the last entry begins
};

void write_row(ByteWriter& writer, const Row& row);
void write_rows(ByteWriter& writer, const Rows& rows);
// Reads rows that a process without privileges wrote: cleans their texts. `bytes` counts what the rows take
// in a message; the reader fails as soon as it exceeds one. Rows within a row have no rows themselves.
[[nodiscard]] Row read_row(ByteReader& reader, std::size_t& bytes);
[[nodiscard]] Rows read_rows(ByteReader& reader, std::size_t& bytes);

sdbus::Message& operator<<(sdbus::Message& message, const Row& row);

// Options and filters of a caller are read with the types of sdbus-c++. Throws std::logic_error for a value
// of a type that no row of netperfd has.
[[nodiscard]] Row to_row(const dbus::Row& map);
[[nodiscard]] dbus::Row to_map(const Row& row);
[[nodiscard]] dbus::Rows to_map(const Rows& rows);

}  // namespace netperfd::bus

template <>
struct sdbus::signature_of<netperfd::bus::Row> : sdbus::signature_of<netperfd::dbus::Row> {};
