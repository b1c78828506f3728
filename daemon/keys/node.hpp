// SPDX-License-Identifier: GPL-2.0-or-later
// A text of keys and values as a plain tree in which every key and value knows its position. daemon/config
// makes it from YAML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/keys/complaints.hpp"

namespace netperfd::keys {

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

// The value of `key` in `mapping`; null if either is missing.
[[nodiscard]] const YamlNode* value_of(const YamlNode* mapping, std::string_view key);

}  // namespace netperfd::keys
