// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/keys/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "daemon/model/text.hpp"

namespace netperfd::keys {
namespace {

// Block scalars end in a line break that is not meant as part of the text.
std::string line_of(const YamlNode& node) {
  std::string line = node.text;
  while (line.ends_with('\n')) line.pop_back();
  return line;
}

std::string join(std::string_view mapping, std::string_view key) {
  return mapping.empty() ? std::string(key) : fmt::format("{}.{}", mapping, key);
}

std::string_view last_word(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

bool stands_in(std::string_view path, std::string_view mapping) {
  return path == join(mapping, last_word(path));
}

// The full path of the key that was probably meant: misspelt here, or correct but belonging to another
// mapping.
std::optional<std::string> meant(std::string_view mapping, std::string_view word, std::span<const Key> keys) {
  std::vector<std::string_view> siblings;
  for (const Key& key : keys) {
    if (stands_in(key.path, mapping)) siblings.push_back(last_word(key.path));
  }
  if (const auto sibling = nearest(word, siblings)) return join(mapping, *sibling);
  for (const Key& key : keys) {
    if (last_word(key.path) == word) return std::string(key.path);
  }
  return std::nullopt;
}

// A mapping's path in the table and in the text. They differ in lists: "trace.events[]" and
// "trace.events[1]".
struct Where {
  std::string in_table;
  std::string in_text;

  [[nodiscard]] Where key(std::string_view word) const { return {join(in_table, word), join(in_text, word)}; }
  [[nodiscard]] Where item(std::size_t index) const {
    return {in_table + "[]", fmt::format("{}[{}]", in_text, index)};
  }
};

class TableReader {
 public:
  TableReader(std::span<const Key> keys, Complaints& complaints) : keys_(keys), complaints_(complaints) {}

  // `place` is the position for complaints about keys that are missing from the mapping.
  void read_mapping(const YamlNode& node, const Place& place, const Where& where) {
    if (node.kind != YamlNode::Kind::mapping) {
      return complaints_.add(node.place, where.in_text,
                             not_what(node, "a mapping (keys with values, indented)"));
    }
    for (const YamlEntry& entry : node.entries) {
      const Where below = where.key(entry.key);
      const auto key = std::ranges::find(keys_, below.in_table, &Key::path);
      if (key == keys_.end() || entry.key.contains('.')) {
        refuse_unknown(entry, where);
      } else {
        read_value(entry.value, entry.place, *key, below);
      }
    }
    for (const Key& key : keys_) {
      if (key.need != Need::required || !stands_in(key.path, where.in_table)) continue;
      const std::string_view word = last_word(key.path);
      std::string missing = where.key(word).in_text;
      if (!node.find(word) && !complaints_.concern(missing)) {
        complaints_.add(place, std::move(missing), "is missing");
      }
    }
  }

 private:
  void read_value(const YamlNode& node, const Place& place, const Key& key, const Where& where) {
    if (key.items.keep) {
      read_items(node, key.items, where);
    } else if (!key.read) {
      read_mapping(node, place, where);
    } else if (auto wrong = key.read(node)) {
      complaints_.add(node.place, where.in_text, std::move(*wrong));
    }
  }

  void read_items(const YamlNode& node, const Items& items, const Where& where) {
    if (node.kind != YamlNode::Kind::list) {
      return complaints_.add(node.place, where.in_text, not_what(node, items.expected));
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const YamlNode& item = node.items[i];
      if (item.kind == YamlNode::Kind::scalar && !items.plain.empty()) {
        const Where plain = where.item(i).key(items.plain);
        const auto key = std::ranges::find(keys_, plain.in_table, &Key::path);
        read_value(item, item.place, *key, plain);
      } else {
        read_mapping(item, item.place, where.item(i));
      }
      items.keep();
    }
  }

  void refuse_unknown(const YamlEntry& entry, const Where& where) {
    const std::string escaped = in_quotes(entry.key);
    const bool plain = escaped.size() == entry.key.size() + 2;
    std::string message = "no such key";
    if (const auto other = meant(where.in_table, entry.key, keys_)) {
      const bool sibling = stands_in(*other, where.in_table);
      const std::string_view word = last_word(*other);
      message += fmt::format("; did you mean `{}`?", sibling ? word : *other);
      complaints_.silence(sibling ? where.key(word).in_text : *other);
    }
    complaints_.add(entry.place, where.key(plain ? entry.key : escaped).in_text, std::move(message));
  }

  std::span<const Key> keys_;
  Complaints& complaints_;
};

}  // namespace

void read_keys(const YamlNode& root, std::span<const Key> keys, Complaints& complaints) {
  TableReader(keys, complaints).read_mapping(root, root.place, {});
}

std::vector<KeyRow> rows_of(std::span<const Key> keys) {
  std::vector<KeyRow> rows;
  for (const Key& key : keys) {
    if (key.read) rows.push_back({std::string(key.path), key.text});
  }
  return rows;
}

std::string not_what(const YamlNode& node, std::string_view expected) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return fmt::format("has no value; expected {}", expected);
    case YamlNode::Kind::list:
      return fmt::format("{} list is not {}", node.items.empty() ? "an empty" : "a", expected);
    case YamlNode::Kind::mapping:
      return fmt::format("a mapping is not {}", expected);
    case YamlNode::Kind::scalar:
      break;
  }
  return fmt::format("{} is not {}", in_quotes(node.text), expected);
}

std::optional<std::string> parse_text(const YamlNode& node) {
  std::string line = line_of(node);
  return is_printable(line) ? std::optional(std::move(line)) : std::nullopt;
}

Reader text(std::string& out) {
  return [read = scalar(out, parse_text, "a text of one line")](const YamlNode& node) {
    auto wrong = read(node);
    if (!wrong || node.kind != YamlNode::Kind::scalar) return wrong;
    return std::optional(fmt::format("{}: {}", *wrong, not_printable(line_of(node))));
  };
}

Reader only(bool& out, std::string_view word) {
  const auto parse = [word](const YamlNode& node) {
    return node.text == word ? std::optional(true) : std::nullopt;
  };
  return scalar(out, parse, fmt::format("{} (the one value there is)", word));
}

Reader boolean(bool& out) {
  const auto parse = [](const YamlNode& node) -> std::optional<bool> {
    if (node.quoted || (node.text != "true" && node.text != "false")) return std::nullopt;
    return node.text == "true";
  };
  return scalar(out, parse, "true or false");
}

std::optional<std::uint64_t> parse_number(const YamlNode& node, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [rest, error] = std::from_chars(node.text.data(), end, value);
  const bool whole = error == std::errc() && rest == end && !node.quoted;
  return whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

std::string number_expected(std::uint64_t least, std::uint64_t most) {
  return fmt::format("a whole number from {} to {}", least, most);
}

Reader cpu_list(std::vector<std::uint32_t>& out) {
  const auto parse = [](const YamlNode& node) -> std::optional<std::uint32_t> {
    const auto cpu = parse_number(node, 0, std::numeric_limits<std::uint32_t>::max());
    return cpu ? std::optional(static_cast<std::uint32_t>(*cpu)) : std::nullopt;
  };
  return list(out, parse, "the number of a CPU", "a list of CPU numbers (like [2] or [2, 3])");
}

}  // namespace netperfd::keys
