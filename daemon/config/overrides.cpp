// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/model/text.hpp"

namespace netperfd::config {
namespace {

constexpr std::size_t kMaxOverrides = 100;
constexpr std::size_t kMaxOverrideBytes = 4'096;

void move_to(const Place& place, YamlNode& node) {
  node.place = place;
  for (YamlNode& item : node.items) move_to(place, item);
  for (YamlEntry& entry : node.entries) {
    entry.place = place;
    move_to(place, entry.value);
  }
}

// Replaces the value that `root` has at `path`, creating mappings on the way; a plain null removes the key.
void apply(YamlNode& root, std::string_view path, YamlNode value, Complaints& complaints) {
  const Place place = value.place;
  YamlNode* mapping = &root;
  for (std::string_view rest = path;;) {
    if (mapping->kind != YamlNode::Kind::mapping) {
      return complaints.add(place, std::string(path), "stands below a key that is no mapping");
    }
    const auto dot = rest.find('.');
    const std::string key(rest.substr(0, dot));
    YamlEntry* entry = mapping->find(key);
    const bool last = dot == std::string_view::npos;
    if (last && value.kind == YamlNode::Kind::null) {
      if (!entry)
        return complaints.add(place, std::string(path), "is not set, so null has nothing to remove");
      std::erase_if(mapping->entries, [&](const YamlEntry& e) { return e.key == key; });
      return;
    }
    if (!entry) {
      mapping->entries.push_back({key, place, {}});
      entry = &mapping->entries.back();
      entry->value.place = place;
      entry->value.kind = YamlNode::Kind::mapping;
    }
    if (last) {
      *entry = {key, place, std::move(value)};
      return;
    }
    mapping = &entry->value;
    rest.remove_prefix(dot + 1);
  }
}

bool is_or_belongs_to(std::string_view path, std::string_view key) {
  return path == key || (path.starts_with(key) && path[key.size()] == '.');
}

// The sides of a design, above all their commands, and whether they reboot the machine may be set only in the
// text itself.
const char* refused(std::string_view path) {
  if (path == "design") return "is not replaced as a whole; a start may set its `arms`, `changed` and `seed`";
  for (const std::string_view side : {"design.a", "design.b"}) {
    if (is_or_belongs_to(path, side)) return "belongs to a side of the design, which no start may change";
  }
  for (const std::string_view key : {"design.level", "design.reboots"}) {
    if (is_or_belongs_to(path, key)) return "belongs to reboots of the machine, which no start may change";
  }
  return nullptr;
}

// "workload.iperf3.streams=8"
void apply_override(YamlNode& root, const std::string& text, Complaints& complaints) {
  const auto equals = text.find('=');
  const std::string_view path = std::string_view(text).substr(0, equals);
  const auto in_path = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  const bool path_fits = !path.empty() && std::ranges::all_of(path, in_path) && !path.starts_with('.') &&
                         !path.ends_with('.') && !path.contains("..");
  if (text.size() > kMaxOverrideBytes || !is_printable(text) || equals == std::string::npos || !path_fits) {
    return complaints.add(
        {.option = "--set"}, "",
        fmt::format("{} is not of the form KEY=VALUE (like workload.iperf3.streams=8)", in_quotes(text)));
  }
  const Place place{.option = fmt::format("--set {}", path)};
  if (const char* refusal = refused(path)) return complaints.add(place, std::string(path), refusal);
  const std::string_view value = std::string_view(text).substr(equals + 1);
  Complaints own("");
  auto node = parse_yaml(value, own);
  if (!node || !own.empty()) {
    return complaints.add(place, std::string(path),
                          fmt::format("{} cannot be read as a YAML value", in_quotes(value)));
  }
  if (node->kind == YamlNode::Kind::null && value != "null" && value != "~") {
    return complaints.add(place, std::string(path), "has no value (null removes the key)");
  }
  move_to(place, *node);
  apply(root, path, std::move(*node), complaints);
}

}  // namespace

void apply_options(YamlNode& root, const core::JobOptions& options, Complaints& complaints) {
  if (options.overrides.size() > kMaxOverrides) {
    return complaints.add({.option = "--set"}, "", fmt::format("given more than {} times", kMaxOverrides));
  }
  for (const std::string& text : options.overrides) apply_override(root, text, complaints);
  const auto set = [&](const char* key, std::string text, bool quoted) {
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.place.option = fmt::format("--{}", key);
    node.text = std::move(text);
    node.quoted = quoted;
    apply(root, key, std::move(node), complaints);
  };
  if (options.label) set("label", *options.label, true);
  if (options.repeat) set("repeat", std::to_string(*options.repeat), false);
}

}  // namespace netperfd::config
