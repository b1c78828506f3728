// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/keys/node.hpp"

#include <algorithm>

namespace netperfd::keys {

YamlEntry* YamlNode::find(std::string_view key) {
  const auto found = std::ranges::find(entries, key, &YamlEntry::key);
  return found == entries.end() ? nullptr : &*found;
}

const YamlEntry* YamlNode::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &YamlEntry::key);
  return found == entries.end() ? nullptr : &*found;
}

const YamlNode* value_of(const YamlNode* mapping, std::string_view key) {
  const YamlEntry* entry = mapping ? mapping->find(key) : nullptr;
  return entry ? &entry->value : nullptr;
}

}  // namespace netperfd::keys
