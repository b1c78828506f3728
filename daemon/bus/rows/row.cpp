// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/rows/row.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "daemon/bus/rows/row_values.hpp"

namespace netperfd::bus {
namespace {

// Rows within a row have no rows themselves.
constexpr int kDepth = 1;
constexpr std::size_t kRowHeadBytes = 8;

// An entry is its key, the signature of its value (a length byte, its characters, a NUL) and the value.
std::size_t entry_bytes(std::string_view key, const MessageSize& value) {
  const std::size_t head = text_bytes(key.size()) + 2 + value.signature_length;
  return round_up(round_up(head, value.alignment) + value.bytes, 8);
}

// Of rows that take `bytes` together.
MessageSize size_of_rows(std::size_t bytes) {
  return {std::string_view{"aa{sv}"}.size(), 4, 8 + bytes};
}

std::uint64_t letter_of(ByteReader& reader) {
  std::uint64_t letter = 0;
  reader.number(letter);
  return letter;
}

// Reads entries of our own: they need no memory.
ByteReader reader_of(std::string_view entries) {
  return {entries, 0};
}

[[noreturn]] void fail_own_bytes() {
  throw std::logic_error("a row of the answer has a value of an unknown type");
}

// Goes past a value, and returns what it takes in a message.
MessageSize skip_value(ByteReader& reader, std::uint64_t letter) {
  MessageSize size;
  if (letter == kRowsLetter) {
    std::size_t bytes = 0;
    for (std::size_t rows = count_of(reader); rows > 0; --rows) {
      bytes += kRowHeadBytes;
      for (std::size_t entries = count_of(reader); entries > 0; --entries) {
        const std::string_view key = reader.view();
        bytes += entry_bytes(key, skip_value(reader, letter_of(reader)));
      }
    }
    return size_of_rows(bytes);
  }
  if (!visit_value(reader, letter, [&](const auto& value) { size = message_size(value); })) fail_own_bytes();
  return size;
}

Rows read_rows(ByteReader& reader, std::size_t& bytes, int depth);

template <class Value>
void put_clean(Row& row, std::string_view key, const Value& value) {
  if constexpr (std::is_same_v<Value, std::string_view>) {
    row.put(key, value, kAnswerTextBytes);
  } else if constexpr (std::is_same_v<Value, std::vector<std::string_view>>) {
    row.put(key, std::vector<std::string>(value.begin(), value.end()), kAnswerTextBytes);
  } else {
    row.put(key, value);
  }
}

Row read_row(ByteReader& reader, std::size_t& bytes, int depth) {
  Row row;
  std::string last;
  const std::size_t entries = count_of(reader);
  for (std::size_t i = 0; i < entries && !reader.failed(); ++i) {
    std::string key = wire_text(reader.view(), kShortTextBytes);
    if (i > 0 && key <= last) reader.fail();
    const std::uint64_t letter = letter_of(reader);
    if (letter == kRowsLetter && depth > 0) {
      std::size_t inner = 0;
      row.put(key, read_rows(reader, inner, depth - 1));
    } else if (!visit_value(reader, letter, [&](const auto& value) { put_clean(row, key, value); })) {
      reader.fail();
    }
    if (bytes + row.bytes() > kMessageBytes) reader.fail();
    last = std::move(key);
  }
  bytes += row.bytes();
  return row;
}

Rows read_rows(ByteReader& reader, std::size_t& bytes, int depth) {
  Rows rows;
  const std::size_t count = count_of(reader);
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
    rows.push_back(read_row(reader, bytes, depth));
    if (bytes > kMessageBytes) reader.fail();
  }
  return rows;
}

// Appends to a message. libsystemd's calls return a negative errno.

void expect_appended(int r) {
  if (r < 0) throw sdbus::createError(-r, "append a row to a message");
}

class Container {
 public:
  Container(sd_bus_message* message, char type, const char* contents) : message_(message) {
    expect_appended(sd_bus_message_open_container(message, type, contents));
  }
  void close() { expect_appended(sd_bus_message_close_container(message_)); }

 private:
  sd_bus_message* message_;
};

// A row's texts are clean, and not terminated.
void append(sd_bus_message* message, std::string_view text) {
  char* space = nullptr;
  expect_appended(sd_bus_message_append_string_space(message, text.size(), &space));
  std::ranges::copy(text, space);
}
template <RowNumber Number>
void append(sd_bus_message* message, Number value) {
  if constexpr (std::is_same_v<Number, bool>) {
    const int truth = value ? 1 : 0;
    expect_appended(sd_bus_message_append_basic(message, 'b', &truth));
  } else {
    expect_appended(sd_bus_message_append_basic(message, kLetter<Number>, &value));
  }
}
template <class Element>
void append(sd_bus_message* message, const std::vector<Element>& list) {
  constexpr char kContents[] = {kLetter<Element>, '\0'};
  if constexpr (RowNumber<Element> && !std::is_same_v<Element, bool>) {
    expect_appended(
        sd_bus_message_append_array(message, kLetter<Element>, list.data(), list.size() * sizeof(Element)));
  } else {
    Container array{message, 'a', kContents};
    for (std::size_t i = 0; i < list.size(); ++i) append(message, static_cast<Element>(list[i]));
    array.close();
  }
}

template <class Value>
struct SignatureOf {
  static constexpr char value[] = {kLetter<Value>, '\0'};
};
template <class Element>
struct SignatureOf<std::vector<Element>> {
  static constexpr char value[] = {'a', kLetter<Element>, '\0'};
};

void append_entries(sd_bus_message* message, ByteReader& reader, std::size_t count);

void append_variant(sd_bus_message* message, ByteReader& reader, std::uint64_t letter) {
  if (letter == kRowsLetter) {
    Container variant{message, 'v', "aa{sv}"};
    Container rows{message, 'a', "a{sv}"};
    for (std::size_t count = count_of(reader); count > 0; --count) {
      append_entries(message, reader, count_of(reader));
    }
    rows.close();
    return variant.close();
  }
  const bool known = visit_value(reader, letter, [&]<class Value>(const Value& value) {
    Container variant{message, 'v', SignatureOf<Value>::value};
    append(message, value);
    variant.close();
  });
  if (!known || reader.failed()) fail_own_bytes();
}

void append_entries(sd_bus_message* message, ByteReader& reader, std::size_t count) {
  Container row{message, 'a', "{sv}"};
  for (; count > 0; --count) {
    Container entry{message, 'e', "sv"};
    append(message, reader.view());
    append_variant(message, reader, letter_of(reader));
    entry.close();
  }
  row.close();
}

// A value as others hold it: texts of their own.
template <class Value>
const Value& owned(const Value& value) {
  return value;
}
std::string owned(std::string_view text) {
  return std::string{text};
}
std::vector<std::string> owned(const std::vector<std::string_view>& texts) {
  return {texts.begin(), texts.end()};
}

dbus::Row map_of(ByteReader& reader, std::size_t entries) {
  dbus::Row map;
  for (; entries > 0; --entries) {
    sdbus::Variant& variant = map[std::string{reader.view()}];
    const std::uint64_t letter = letter_of(reader);
    if (letter == kRowsLetter) {
      dbus::Rows rows(count_of(reader));
      for (dbus::Row& row : rows) row = map_of(reader, count_of(reader));
      variant = sdbus::Variant{rows};
    } else if (!visit_value(reader, letter,
                            [&](const auto& value) { variant = sdbus::Variant{owned(value)}; })) {
      fail_own_bytes();
    }
  }
  return map;
}

template <class... Values>
bool put_variant(Row& row, const std::string& key, const sdbus::Variant& variant) {
  const auto put_if = [&]<class Value>(const Value* /*type*/) {
    if (!variant.containsValueOfType<Value>()) return false;
    if constexpr (std::is_same_v<Value, std::string> || std::is_same_v<Value, std::vector<std::string>>) {
      row.put(key, variant.get<Value>(), kAnswerTextBytes);
    } else if constexpr (std::is_same_v<Value, dbus::Rows>) {
      Rows rows;
      for (const dbus::Row& each : variant.get<Value>()) rows.push_back(to_row(each));
      row.put(key, rows);
    } else {
      row.put(key, variant.get<Value>());
    }
    return true;
  };
  return (put_if(static_cast<const Values*>(nullptr)) || ...);
}

}  // namespace

template <class Write>
void Row::insert(std::string_view key, const MessageSize& size, Write write) {
  const std::size_t last = last_;
  const std::size_t entries_before = entries_.size();
  const std::string behind = cut_at(key);
  last_ = entries_.size();
  ByteWriter writer{std::move(entries_)};
  writer.text(key);
  write(writer);
  entries_ = writer.take();
  ++count_;
  bytes_ += entry_bytes(key, size);
  if (behind.empty()) return;
  last_ = entries_.size() + last - (entries_before - behind.size());
  entries_ += behind;
}

std::string Row::cut_at(std::string_view key) {
  if (entries_.empty() || reader_of(std::string_view{entries_}.substr(last_)).view() < key) return {};
  ByteReader reader = reader_of(entries_);
  for (;;) {
    const std::size_t begin = entries_.size() - reader.bytes_left();
    const std::string_view present = reader.view();
    const MessageSize size = skip_value(reader, letter_of(reader));
    if (present < key) continue;
    std::size_t end = begin;
    if (present == key) {
      end = entries_.size() - reader.bytes_left();
      --count_;
      bytes_ -= entry_bytes(key, size);
    }
    std::string behind = entries_.substr(end);
    entries_.resize(begin);
    return behind;
  }
}

template <class Value>
void Row::add(std::string_view key, const Value& value) {
  insert(key, message_size(value), [&](ByteWriter& writer) {
    writer.number(static_cast<unsigned char>(kLetter<Value>));
    write_value(writer, value);
  });
}

template void Row::add(std::string_view, const bool&);
template void Row::add(std::string_view, const std::uint16_t&);
template void Row::add(std::string_view, const std::uint32_t&);
template void Row::add(std::string_view, const std::uint64_t&);
template void Row::add(std::string_view, const std::int32_t&);
template void Row::add(std::string_view, const std::int64_t&);
template void Row::add(std::string_view, const double&);
template void Row::add(std::string_view, const std::vector<bool>&);
template void Row::add(std::string_view, const std::vector<std::uint32_t>&);
template void Row::add(std::string_view, const std::vector<std::uint64_t>&);

void Row::put(std::string_view key, std::string_view text, std::size_t limit_bytes) {
  add(key, std::string_view{wire_text(text, limit_bytes)});
}

void Row::put(std::string_view key, const std::vector<std::string>& texts, std::size_t limit_bytes) {
  const WireTexts clean = wire_texts(texts, limit_bytes);
  add(key, std::vector<std::string_view>(clean.texts.begin(), clean.texts.end()));
}

void Row::put(std::string_view key, const Rows& rows) {
  std::size_t bytes = 0;
  for (const Row& row : rows) bytes += row.bytes();
  insert(key, size_of_rows(bytes), [&](ByteWriter& writer) {
    writer.number(static_cast<unsigned char>(kRowsLetter));
    write_rows(writer, rows);
  });
}

template <class Value>
std::optional<Value> Row::get(std::string_view key) const {
  std::optional<Value> found;
  ByteReader reader = reader_of(entries_);
  for (std::size_t i = 0; i < count_; ++i) {
    const bool is_it = reader.view() == key;
    const std::uint64_t letter = letter_of(reader);
    if (!is_it) {
      (void)skip_value(reader, letter);
      continue;
    }
    (void)visit_value(reader, letter, [&](const auto& value) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(owned(value))>, Value>) found = owned(value);
    });
    break;
  }
  return found;
}

template std::optional<std::uint32_t> Row::get(std::string_view) const;
template std::optional<std::uint64_t> Row::get(std::string_view) const;
template std::optional<double> Row::get(std::string_view) const;
template std::optional<std::string> Row::get(std::string_view) const;
template std::optional<std::vector<std::uint64_t>> Row::get(std::string_view) const;

void write_row(ByteWriter& writer, const Row& row) {
  writer.number(row.size());
  writer.bytes(row.entries());
}

void write_rows(ByteWriter& writer, const Rows& rows) {
  writer.number(rows.size());
  for (const Row& row : rows) write_row(writer, row);
}

Row read_row(ByteReader& reader, std::size_t& bytes) {
  return read_row(reader, bytes, kDepth);
}

Rows read_rows(ByteReader& reader, std::size_t& bytes) {
  return read_rows(reader, bytes, kDepth);
}

sdbus::Message& operator<<(sdbus::Message& message, const Row& row) {
  ByteReader reader = reader_of(row.entries());
  append_entries(dbus::RawMessage::of(message), reader, row.size());
  return message;
}

Row to_row(const dbus::Row& map) {
  Row row;
  for (const auto& [key, value] : map) {
    const bool known =
        put_variant<bool, std::uint16_t, std::uint32_t, std::uint64_t, std::int32_t, std::int64_t, double,
                    std::string, std::vector<std::string>, std::vector<bool>, std::vector<std::uint32_t>,
                    std::vector<std::uint64_t>, dbus::Rows>(row, key, value);
    if (!known) fail_own_bytes();
  }
  return row;
}

dbus::Row to_map(const Row& row) {
  ByteReader reader = reader_of(row.entries());
  return map_of(reader, row.size());
}

dbus::Rows to_map(const Rows& rows) {
  dbus::Rows maps;
  maps.reserve(rows.size());
  for (const Row& row : rows) maps.push_back(to_map(row));
  return maps;
}

}  // namespace netperfd::bus
