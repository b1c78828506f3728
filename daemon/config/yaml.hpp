// YAML as a plain tree in which every key and value knows where it stands. Only what a configuration needs is
// taken: mappings, lists and scalars, one document. Anchors, aliases, tags, doubled keys and deep nesting are
// refused, so that a hostile text can neither grow nor recurse here.
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
  std::string text;                // of a scalar, as written and without its quotation marks
  bool quoted = false;             // a scalar that is text whatever it looks like
  std::vector<YamlNode> items;     // of a list
  std::vector<YamlEntry> entries;  // of a mapping, in the order of the text

  [[nodiscard]] YamlEntry* find(std::string_view key);
  [[nodiscard]] const YamlEntry* find(std::string_view key) const;
};

struct YamlEntry {
  std::string key;
  Place place;  // of the key
  YamlNode value;
};

inline constexpr std::size_t kMaxYamlBytes = 65'536;

// The one document of `text`, null where it has none. Nothing, and at least one complaint, where it cannot be
// read.
[[nodiscard]] std::optional<YamlNode> parse_yaml(std::string_view text, Complaints& complaints);

// Block style, with a final line break; parse_yaml gives the same tree again, but for the places.
[[nodiscard]] std::string emit_yaml(const YamlNode& node);

}  // namespace netperfd::config
