// SPDX-License-Identifier: GPL-2.0-or-later
// Reads YAML as a tree of keys, and writes it. Only what a configuration needs is accepted: mappings, lists
// and scalars, one document. Anchors, aliases, tags, duplicate keys and deep nesting are refused, so that a
// hostile text can neither expand nor cause deep recursion.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/keys/node.hpp"

namespace netperfd::config {

inline constexpr std::size_t kMaxYamlBytes = 65'536;

// The one document of `text`; null if there is none. Absent, with at least one complaint, if it cannot be
// read.
[[nodiscard]] std::optional<keys::YamlNode> parse_yaml(std::string_view text, keys::Complaints& complaints);

// Block style, with a final line break. parse_yaml gives the same tree again, except for the places.
[[nodiscard]] std::string emit_yaml(const keys::YamlNode& node);

}  // namespace netperfd::config
