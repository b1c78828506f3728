// SPDX-License-Identifier: GPL-2.0-or-later
// The bytes of a query and of its answer, between the daemon and the process that answers (daemon/query).
//
// The daemon does not trust the process: it reads an answer strictly, cleans its texts as it cleans all texts
// for the bus, and refuses one that would not fit into a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "daemon/base/byte_archive.hpp"
#include "daemon/base/error.hpp"
#include "daemon/bus/rows/row.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

void put_value(ByteWriter& writer, const std::string& text);
void put_value(ByteWriter& writer, std::uint64_t number);
void put_value(ByteWriter& writer, const Row& row);
void put_value(ByteWriter& writer, const Rows& rows);
// Throws std::logic_error for a value of a type that no row of netperfd has.
void put_value(ByteWriter& writer, const dbus::Row& options);

// Reads values, and counts the bytes that they take in a message.
class QueryReader {
 public:
  explicit QueryReader(std::string_view bytes);
  void take(std::string& text);
  void take(std::uint64_t& number);
  void take(Row& row);
  void take(Rows& rows);
  void take(dbus::Row& options);
  // internal if the bytes were not those of the values taken, no more and no less, or exceed a message.
  [[nodiscard]] Status finish() const;

 private:
  ByteReader reader_;
  std::size_t message_bytes_ = 0;
};

template <class... Values>
[[nodiscard]] std::string to_query_bytes(const Values&... values) {
  ByteWriter writer;
  (put_value(writer, values), ...);
  return writer.take();
}

template <class... Values>
[[nodiscard]] Result<std::tuple<Values...>> from_query_bytes(std::string_view bytes) {
  QueryReader reader{bytes};
  std::tuple<Values...> values;
  std::apply([&reader](Values&... each) { (reader.take(each), ...); }, values);
  if (auto finished = reader.finish(); !finished) return std::unexpected(std::move(finished.error()));
  return values;
}

}  // namespace netperfd::bus
