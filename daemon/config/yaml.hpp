// SPDX-License-Identifier: GPL-2.0-or-later
// YAML as a plain tree in which every key and value knows its position. Only what a configuration needs is
// accepted: mappings, lists and scalars, one document. Anchors, aliases, tags, duplicate keys and deep
// nesting are refused, so that a hostile text can neither expand nor cause deep recursion.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/config/complaints.hpp"

namespace netperfd::config {

struct YamlEntry;

struct YamlNode {
  enum class Kind { null, scalar, list, mapping };

  Kind kind = Kind::null;
  Place place;
  std::string text;                // for a scalar, as written but without its quotation marks
  bool quoted = false;             // the scalar is text, whatever it looks like
  std::vector<YamlNode> items;     // for a list
  std::vector<YamlEntry> entries;  // for a mapping, in the order of the text

  [[nodiscard]] YamlEntry* find(std::string_view key);
  [[nodiscard]] const YamlEntry* find(std::string_view key) const;
};

struct YamlEntry {
  std::string key;
  Place place;  // position of the key
  YamlNode value;
};

inline constexpr std::size_t kMaxYamlBytes = 65'536;

// The one document of `text`; null if there is none. Absent, with at least one complaint, if it cannot be
// read.
[[nodiscard]] std::optional<YamlNode> parse_yaml(std::string_view text, Complaints& complaints);

// Block style, with a final line break. parse_yaml gives the same tree again, except for the places.
[[nodiscard]] std::string emit_yaml(const YamlNode& node);

}  // namespace netperfd::config
