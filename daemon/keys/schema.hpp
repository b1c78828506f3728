// SPDX-License-Identifier: GPL-2.0-or-later
// A table of the keys a YAML text may have, each bound to the value it fills.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "daemon/keys/node.hpp"

namespace netperfd::keys {

// Fills the value that it was bound to, or returns what is wrong with the node.
using Reader = std::function<std::optional<std::string>(const YamlNode&)>;

enum class Need { optional, required };  // required: if the mapping above it is present

// Makes a row a list of mappings. The rows of the items' keys all fill one value. After each item `keep`
// moves that value into the list, valid or not, and empties it for the next item.
struct Items {
  std::function<void()> keep;  // none: the row is not a list
  std::string_view plain;      // the key that is set by an item that is a single word instead of a mapping
  std::string_view expected;   // for the list, completes "is not"
};

// What manuals say of a key; words in ` are literal, and [text](page.md) links to a page of docs/.
struct KeyText {
  std::string_view type;      // "duration", or the values it takes
  std::string_view fallback;  // the default
  std::string_view meaning;
  std::string_view option;  // of iperf3, if it is one
};

struct Key {
  std::string_view path;  // "workload.iperf3.streams"; in the items of a list "trace.events[].name"
  Reader read;            // none: a mapping or a list of mappings, whose keys have their own rows
  KeyText text = {};      // none: a mapping or a list of mappings
  Need need = Need::optional;
  Items items = {};
};

// Reads the mapping `root` by the table: every unknown, missing and wrong key becomes a complaint.
void read_keys(const YamlNode& root, std::span<const Key> keys, Complaints& complaints);

struct KeyRow {
  std::string path;
  KeyText text;
};

// All keys except mappings and lists of them, in the order of the table.
[[nodiscard]] std::vector<KeyRow> rows_of(std::span<const Key> keys);

inline constexpr const char* kBytes = "a number of bytes (like 1448, 64K or 1G; K is 1024)";
inline constexpr const char* kDuration = "a duration (a number with ms, s, min or h, like 10s)";

// `"10x" is not <expected>`, or that the value is missing.
[[nodiscard]] std::string not_what(const YamlNode& node, std::string_view expected);

// A scalar that `parse` (of const YamlNode& to an optional value) accepts. `expected` completes "is not".
template <class Out, class Parse>
Reader scalar(Out& out, Parse parse, std::string expected) {
  return [&out, parse, expected = std::move(expected)](const YamlNode& node) -> std::optional<std::string> {
    if (node.kind == YamlNode::Kind::scalar) {
      if (auto value = parse(node)) {
        // An optional takes the parsed optional as a whole, any other type its value.
        if constexpr (std::is_assignable_v<Out&, decltype(value)>) {
          out = std::move(value);
        } else {
          out = std::move(*value);
        }
        return std::nullopt;
      }
    }
    return not_what(node, expected);
  };
}

// As scalar(), for a parse function of the plain text.
template <class Out, class Parse>
Reader word(Out& out, Parse parse, std::string expected) {
  return scalar(out, [parse](const YamlNode& node) { return parse(node.text); }, std::move(expected));
}

// A text of one line; others check its contents.
[[nodiscard]] Reader text(std::string& out);
[[nodiscard]] std::optional<std::string> parse_text(const YamlNode& node);
// Exactly true or false.
[[nodiscard]] Reader boolean(bool& out);
// Exactly `word`, which sets `out` to true: for a key that has only one value so far.
[[nodiscard]] Reader only(bool& out, std::string_view word);

[[nodiscard]] std::optional<std::uint64_t> parse_number(const YamlNode& node, std::uint64_t least,
                                                        std::uint64_t most);
[[nodiscard]] std::string number_expected(std::uint64_t least, std::uint64_t most);

// A list of one or more items that `parse` (of const YamlNode& to an optional value) accepts.
template <class Value, class Parse>
Reader list(std::vector<Value>& out, Parse parse, std::string expected_item, std::string expected) {
  return [&out, parse, expected_item = std::move(expected_item),
          expected = std::move(expected)](const YamlNode& node) -> std::optional<std::string> {
    if (node.items.empty()) return not_what(node, expected);
    std::vector<Value> values;
    for (const YamlNode& item : node.items) {
      auto value = item.kind == YamlNode::Kind::scalar ? parse(item) : std::nullopt;
      if (!value) return not_what(item, expected_item);
      values.push_back(std::move(*value));
    }
    out = std::move(values);
    return std::nullopt;
  };
}

template <std::unsigned_integral Number, class Out>
Reader number_into(Out& out, std::uint64_t least, std::uint64_t most) {
  const auto parse = [=](const YamlNode& node) -> std::optional<Number> {
    const auto value = parse_number(node, least, most);
    return value ? std::optional(static_cast<Number>(*value)) : std::nullopt;
  };
  return scalar(out, parse, number_expected(least, most));
}

template <std::unsigned_integral Number>
Reader number(Number& out, Number least = 0, Number most = std::numeric_limits<Number>::max()) {
  return number_into<Number>(out, least, most);
}

template <std::unsigned_integral Number>
Reader number(std::optional<Number>& out) {
  return number_into<Number>(out, 0, std::numeric_limits<Number>::max());
}

[[nodiscard]] Reader cpu_list(std::vector<std::uint32_t>& out);

}  // namespace netperfd::keys
