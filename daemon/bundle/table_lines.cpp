// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bundle/table_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::bundle {
namespace {

// A value that JSON has no form for is an object with one of these.
constexpr std::string_view kEntry = "entry";  // a BLOB: the entry that has its bytes
constexpr std::string_view kHex = "hex";      // a text that is not UTF-8

std::string entry_of(std::string_view table) {
  return fmt::format("tables/{}.jsonl", table);
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::optional<std::string> from_hex(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const std::size_t high = kDigits.find(text[i]);
    const std::size_t low = kDigits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes.push_back(static_cast<char>(16 * high + low));
  }
  return text.size() % 2 == 0 ? std::optional(bytes) : std::nullopt;
}

// Writes one table.
class LineWriter {
 public:
  LineWriter(const StoredTable& table, std::vector<Entry>& entries) : table_(table), entries_(entries) {}

  Result<TableHead> write() {
    TableHead head{.name = table_.name, .columns = table_.columns, .rows = 0};
    std::string lines;
    std::vector<Entry> blobs;
    StoredRows rows{table_};
    std::vector<StoredValue> row;
    while (rows.next(row)) {
      ++head.rows;
      for (std::size_t i = 0; i < row.size(); ++i) {
        lines += i == 0 ? '{' : ',';
        lines += nlohmann::json(table_.columns[i]).dump() + ':';
        if (auto done = add_value(lines, row, i, blobs, head.rows); !done)
          return std::unexpected(done.error());
      }
      lines += "}\n";
    }
    entries_.push_back({entry_of(table_.name), std::move(lines)});
    std::ranges::move(blobs, std::back_inserter(entries_));
    return head;
  }

 private:
  Status add_value(std::string& lines, std::vector<StoredValue>& row, std::size_t column,
                   std::vector<Entry>& blobs, std::uint64_t number) const {
    StoredValue& value = row[column];
    if (auto* const blob = std::get_if<StoredBytes>(&value)) {
      blobs.push_back({blob_name(row, column, number), std::move(blob->bytes)});
      lines += nlohmann::json{{kEntry, blobs.back().name}}.dump();
    } else if (const auto* const text = std::get_if<std::string>(&value)) {
      lines += is_utf8(*text) ? nlohmann::json(*text).dump() : nlohmann::json{{kHex, to_hex(*text)}}.dump();
    } else if (const auto* const real = std::get_if<double>(&value)) {
      if (!std::isfinite(*real)) {
        return invalid(fmt::format("table {}, row {}: column {}: JSON has no form for it", table_.name,
                                   number, table_.columns[column]));
      }
      lines += nlohmann::json(*real).dump();
    } else if (const auto* const whole = std::get_if<std::int64_t>(&value)) {
      lines += fmt::format("{}", *whole);
    } else {
      lines += "null";
    }
    return {};
  }

  // documents/run-7/client.stdout
  [[nodiscard]] std::string blob_name(const std::vector<StoredValue>& row, std::size_t column,
                                      std::uint64_t number) const {
    std::string run = fmt::format("row-{}", number);
    std::string name = table_.columns[column];
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto* const whole = std::get_if<std::int64_t>(&row[i]);
      if (whole != nullptr && table_.columns[i] == "run") run = fmt::format("run-{}", *whole);
      const auto* const text = std::get_if<std::string>(&row[i]);
      if (text != nullptr && table_.columns[i] == "name") name = *text;
    }
    std::string wanted = fmt::format("{}/{}/{}", table_.name, run, name);
    return is_entry_name(wanted) ? wanted : fmt::format("{}/row-{}", table_.name, number);
  }

  const StoredTable& table_;
  std::vector<Entry>& entries_;
};

// One line: an object with a value for each column. It builds no tree, so nothing can nest deep.
class RowReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  RowReader(const TableHead& head, const TakeEntry& take) : head_(head), take_(take) {
    for (std::size_t i = 0; i < head.columns.size(); ++i) columns_.emplace(head.columns[i], i);
  }

  // Fills `row` with a value for each column.
  Status read(std::string_view line, std::vector<StoredValue>& row) {
    row.assign(head_.columns.size(), {});
    row_ = &row;
    known_.assign(head_.columns.size(), false);
    depth_ = 0;
    key_.clear();
    error_.clear();
    const bool read = nlohmann::json::sax_parse(line.begin(), line.end(), this) && error_.empty();
    if (!read) return invalid(error_.empty() ? "it is no JSON" : error_);
    const auto missing = std::ranges::find(known_, false);
    if (missing == known_.end()) return {};
    const std::string& column = head_.columns[static_cast<std::size_t>(missing - known_.begin())];
    return invalid(fmt::format("key {} is missing", in_quotes(column)));
  }

  bool null() override { return put(std::monostate{}); }
  bool boolean(bool /*value*/) override { return refuse("a number, a text, an entry or null"); }
  bool number_integer(number_integer_t value) override { return put(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (!std::in_range<std::int64_t>(value)) return refuse("a number of at most 63 bits");
    return put(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return put(value); }
  bool string(string_t& value) override { return depth_ == 1 ? put(std::move(value)) : put_object(value); }
  bool binary(binary_t& /*value*/) override { return refuse("JSON"); }
  bool start_object(std::size_t /*elements*/) override {
    // The inner object is a value, of a key.
    return ++depth_ <= 2 || refuse("an object with the key entry or hex");
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override { return refuse("no list"); }
  bool end_array() override { return true; }
  bool key(string_t& name) override {
    if (depth_ == 2) {
      inner_ = name;
      return inner_ == kEntry || inner_ == kHex || refuse("an object with the key entry or hex");
    }
    key_ = name;
    // The columns come in their order.
    if (at_ + 1 < head_.columns.size() && head_.columns[at_ + 1] == key_) {
      ++at_;
    } else {
      const auto found = columns_.find(key_);
      if (found == columns_.end()) {
        error_ = fmt::format("key {}: the table has no such column", in_quotes(key_));
        return false;
      }
      at_ = found->second;
    }
    if (!known_[at_]) return true;
    error_ = fmt::format("key {} is there twice", in_quotes(key_));
    return false;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    if (error_.empty()) error_ = fmt::format("it is no JSON from its byte {} on", position);
    return false;
  }

 private:
  bool refuse(std::string_view expected) {
    error_ = key_.empty() ? fmt::format("expected is an object")
                          : fmt::format("key {}: expected is {}", in_quotes(key_), expected);
    return false;
  }
  template <class Value>
  bool put(Value value) {
    return depth_ == 1 ? set(std::move(value)) : refuse("a value");
  }
  template <class Value>
  bool set(Value value) {
    if (known_[at_]) return refuse("one value");
    known_[at_] = true;
    (*row_)[at_] = std::move(value);
    return true;
  }
  bool put_object(const std::string& text) {
    if (inner_ == kHex) {
      auto bytes = from_hex(text);
      return bytes ? set(std::move(*bytes)) : refuse("hexadecimal digits");
    }
    const std::string* const bytes = take_(text);
    return bytes != nullptr ? set(StoredBytes{*bytes}) : refuse("the name of an entry that no other row has");
  }

  const TableHead& head_;
  const TakeEntry& take_;
  std::map<std::string_view, std::size_t> columns_;
  std::vector<StoredValue>* row_ = nullptr;
  std::vector<bool> known_;  // the columns whose values were read
  std::string key_, inner_, error_;
  std::size_t at_ = 0;  // the column of key_
  int depth_ = 0;
};

}  // namespace

Result<TableHead> add_lines(const StoredTable& table, std::vector<Entry>& entries) {
  return LineWriter{table, entries}.write();
}

Result<StoredTable> read_lines(const TableHead& head, const TakeEntry& take) {
  const std::string name = entry_of(head.name);
  const std::string* const text = take(entry_of(head.name));
  if (text == nullptr) return invalid(fmt::format("entry {} is missing", name));
  StoredTable table{.name = head.name, .columns = head.columns, .values = {}};
  RowReader reader{head, take};
  std::vector<StoredValue> row;
  std::uint64_t number = 0;
  for (std::string_view rest = *text; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (auto read = reader.read(rest.substr(0, end), row); !read)
      return invalid(fmt::format("entry {}, line {}: {}", name, number + 1, read.error().message));
    for (const StoredValue& value : row) table.add(value);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (number == head.rows) return table;
  return invalid(fmt::format("entry {}: it has {} lines, and the manifest says {}", name, number, head.rows));
}

}  // namespace netperfd::bundle
