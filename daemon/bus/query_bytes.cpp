// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/query_bytes.hpp"

#include <bit>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "daemon/bus/row_maker.hpp"
#include "daemon/bus/wire.hpp"

namespace netperfd::bus {
namespace {

// Longest text that the daemon keeps of an answer.
constexpr std::size_t kTextBytes = kRowsBudgetBytes / 2;
// Memory of the texts of an answer. Its rows have about the same, before they become a message.
constexpr std::size_t kMemoryBytes = std::size_t{16} << 20U;
// A message is below 1 MiB with its header.
constexpr std::size_t kMessageBytes = kRowsBudgetBytes + std::size_t{24} * 1024;
// Rows within a row have no rows themselves.
constexpr int kDepth = 1;

template <class T>
struct Type {
  using Value = T;
  char letter;                 // in the bytes
  std::string_view signature;  // on the bus
};

// The types that values of rows have.
constexpr std::tuple kTypes{Type<bool>{'b', "b"},
                            Type<std::uint16_t>{'q', "q"},
                            Type<std::uint32_t>{'u', "u"},
                            Type<std::uint64_t>{'t', "t"},
                            Type<std::int32_t>{'i', "i"},
                            Type<std::int64_t>{'x', "x"},
                            Type<double>{'d', "d"},
                            Type<std::string>{'s', "s"},
                            Type<std::vector<std::string>>{'S', "as"},
                            Type<std::vector<bool>>{'B', "ab"},
                            Type<std::vector<std::uint32_t>>{'U', "au"},
                            Type<std::vector<std::uint64_t>>{'T', "at"},
                            Type<dbus::Rows>{'R', "aa{sv}"}};

// Calls `work(type)` for each type until one returns true. Returns whether one did.
template <class Work>
bool any_type(Work work) {
  return std::apply([&](const auto&... type) { return (work(type) || ...); }, kTypes);
}

template <class Number>
std::uint64_t bits_of(Number value) {
  if constexpr (std::is_same_v<Number, double>) {
    return std::bit_cast<std::uint64_t>(value);
  } else if constexpr (std::is_signed_v<Number>) {
    // Small numbers of either sign take few bytes: 0, -1, 1, -2 are 0, 1, 2, 3.
    return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(std::int64_t{value} >> 63U);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

// False if no number of this type has these bits.
template <class Number>
bool from_bits(std::uint64_t bits, Number& value) {
  if constexpr (std::is_same_v<Number, double>) {
    value = std::bit_cast<double>(bits);
    return true;
  } else if constexpr (std::is_signed_v<Number>) {
    const auto wide = static_cast<std::int64_t>((bits >> 1U) ^ (0 - (bits & 1U)));
    value = static_cast<Number>(wide);
    return std::in_range<Number>(wide);
  } else {
    value = static_cast<Number>(bits);
    return bits <= std::uint64_t{std::numeric_limits<Number>::max()};
  }
}

// An element of a list, or a single value.
template <class Value>
void put_single(ByteWriter& writer, const Value& value) {
  if constexpr (std::is_same_v<Value, std::string>) {
    writer.text(value);
  } else if constexpr (std::is_arithmetic_v<Value>) {
    writer.number(bits_of(value));
  } else {
    put_value(writer, value);
  }
}

void put_variant(ByteWriter& writer, const sdbus::Variant& variant) {
  const std::string signature{variant.peekValueType()};
  const bool known = any_type([&](const auto& type) {
    using Value = typename std::remove_cvref_t<decltype(type)>::Value;
    if (signature != type.signature) return false;
    writer.number(static_cast<unsigned char>(type.letter));
    const auto value = variant.template get<Value>();
    if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string> ||
                  std::is_same_v<Value, dbus::Rows>) {
      put_single(writer, value);
    } else {
      writer.number(value.size());
      for (std::size_t i = 0; i < value.size(); ++i) {
        put_single<typename Value::value_type>(writer, value[i]);
      }
    }
    return true;
  });
  if (!known) throw std::logic_error("a row of the answer has a value of an unknown type");
}

// The rows of an answer, made anew.
class RowReader {
 public:
  explicit RowReader(ByteReader& reader) : reader_(reader) {}

  WireRow row(int depth) {
    RowMaker made;
    const std::size_t entries = count();
    for (std::size_t i = 0; i < entries && !reader_.failed(); ++i) {
      std::string key;
      reader_.text(key);
      key = wire_text(key, kShortTextBytes);
      std::uint64_t letter = 0;
      reader_.number(letter);
      const bool known = any_type([&](const auto& type) {
        if (letter != static_cast<unsigned char>(type.letter)) return false;
        put<typename std::remove_cvref_t<decltype(type)>::Value>(made, key, depth);
        return true;
      });
      if (!known) reader_.fail();
    }
    return made.take();
  }

  dbus::Rows rows(int depth, std::size_t& bytes) {
    dbus::Rows all;
    const std::size_t rows = count();
    for (std::size_t i = 0; i < rows && !reader_.failed(); ++i) {
      WireRow made = row(depth);
      bytes += made.bytes;
      if (bytes > kMessageBytes) reader_.fail();
      all.push_back(std::move(made.row));
    }
    return all;
  }

 private:
  // Of elements that follow, each of which takes a byte at least.
  std::size_t count() {
    std::uint64_t number = 0;
    reader_.number(number);
    if (number > reader_.bytes_left()) reader_.fail();
    return reader_.failed() ? 0 : static_cast<std::size_t>(number);
  }

  template <class Value>
  Value single() {
    Value value{};
    if constexpr (std::is_same_v<Value, std::string>) {
      reader_.text(value);
    } else {
      std::uint64_t bits = 0;
      reader_.number(bits);
      if (!from_bits(bits, value)) reader_.fail();
    }
    return value;
  }

  template <class Value>
  void put(RowMaker& made, const std::string& key, int depth) {
    if constexpr (std::is_same_v<Value, dbus::Rows>) {
      if (depth == 0) return reader_.fail();
      std::size_t bytes = 0;
      const dbus::Rows inner = rows(depth - 1, bytes);
      made.put_list(key, inner, std::string_view{"aa{sv}"}.size(), bytes);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      made.put(key, single<std::string>(), kTextBytes);
    } else if constexpr (std::is_arithmetic_v<Value>) {
      made.put(key, single<Value>());
    } else {
      Value list;
      const std::size_t elements = count();
      if (!reader_.may_take(elements * sizeof(std::uint64_t))) return;
      for (std::size_t i = 0; i < elements && !reader_.failed(); ++i) {
        list.push_back(single<typename Value::value_type>());
      }
      if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        made.put(key, list, kTextBytes);
      } else {
        made.put(key, list);
      }
    }
  }

  ByteReader& reader_;
};

}  // namespace

void put_value(ByteWriter& writer, const std::string& text) {
  writer.text(text);
}

void put_value(ByteWriter& writer, std::uint64_t number) {
  writer.number(number);
}

void put_value(ByteWriter& writer, const dbus::Row& row) {
  writer.number(row.size());
  for (const auto& [key, value] : row) {
    writer.text(key);
    put_variant(writer, value);
  }
}

void put_value(ByteWriter& writer, const dbus::Rows& rows) {
  writer.number(rows.size());
  for (const dbus::Row& row : rows) put_value(writer, row);
}

QueryReader::QueryReader(std::string_view bytes) : reader_(bytes, kMemoryBytes) {}

void QueryReader::take(std::string& text) {
  reader_.text(text);
  text = wire_text(text, kTextBytes);
  message_bytes_ += text_bytes(text.size());
}

void QueryReader::take(std::uint64_t& number) {
  reader_.number(number);
  message_bytes_ += sizeof number;
}

void QueryReader::take(dbus::Row& row) {
  WireRow made = RowReader{reader_}.row(kDepth);
  message_bytes_ += made.bytes;
  row = std::move(made.row);
}

void QueryReader::take(dbus::Rows& rows) {
  rows = RowReader{reader_}.rows(kDepth, message_bytes_);
}

Status QueryReader::finish() const {
  if (reader_.failed() || !reader_.at_end()) {
    return fail(ErrorKind::internal, "the answer to the query is damaged");
  }
  if (message_bytes_ > kMessageBytes) {
    return fail(ErrorKind::internal, "the answer to the query does not fit into a message");
  }
  return {};
}

}  // namespace netperfd::bus
