// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/sweep_keys.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace netperfd::config {

using namespace keys;

namespace {

// Adds "streams: [1, 4]" and the same in mappings below each other.
std::optional<std::string> add_axes(const std::string& above, const YamlNode& node,
                                    std::vector<SweepAxis>& axes) {
  if (node.entries.empty())
    return not_what(node, "a mapping of keys with lists of values (like {streams: [1, 4, 16]})");
  for (const YamlEntry& entry : node.entries) {
    SweepAxis axis{.key = above.empty() ? entry.key : fmt::format("{}.{}", above, entry.key), .values = {}};
    if (entry.value.kind == YamlNode::Kind::mapping) {
      if (auto wrong = add_axes(axis.key, entry.value, axes)) return wrong;
      continue;
    }
    if (entry.value.kind != YamlNode::Kind::list)
      return not_what(entry.value, "a list of values (like [1, 4, 16])");
    for (const YamlNode& item : entry.value.items) {
      if (item.kind != YamlNode::Kind::scalar) return not_what(item, "a number or a word");
      axis.values.push_back(item.text);
    }
    axes.push_back(std::move(axis));
  }
  return std::nullopt;
}

// The keys that a side sets, as a sweep names them.
void add_keys(const YamlNode& set, const std::string& above, std::vector<std::string>& keys) {
  for (const YamlEntry& entry : set.entries) {
    const std::string key = above.empty() ? entry.key : fmt::format("{}.{}", above, entry.key);
    entry.value.entries.empty() ? keys.push_back(key) : add_keys(entry.value, key, keys);
  }
}

Place place_of_sweep(const YamlNode& root) {
  const YamlEntry* entry = root.find("sweep");
  return entry ? entry->place : root.place;
}

}  // namespace

Reader sweep(std::vector<SweepAxis>& axes) {
  return [&axes](const YamlNode& node) {
    axes.clear();
    return add_axes("", node, axes);
  };
}

void add_sweep(std::vector<SweepAxis> axes, const YamlNode& root, JobSpec& spec, Complaints& complaints) {
  if (axes.empty()) return;
  if (!spec.design || !spec.design->has_variants()) {
    return complaints.add(place_of_sweep(root), "sweep",
                          "has a meaning in a `design` with `a` and `b` only: its points compare them");
  }
  const std::string above = fmt::format("workload.{}.", spec.workload.name);
  for (SweepAxis& axis : axes) {
    if (axis.key.starts_with(above)) axis.key.erase(0, above.size());
  }
  spec.design->sweep = std::move(axes);
}

YamlNode set_of_point(const Design& design, std::uint32_t point) {
  const Place place{.option = fmt::format("sweep ({})", design.point_name(point))};
  YamlNode set;
  set.kind = YamlNode::Kind::mapping;
  const std::vector<std::string> values = design.values_at(point);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (design.sweep[i].is_of_machine()) continue;
    YamlNode value;
    value.kind = YamlNode::Kind::scalar;
    value.place = place;
    value.text = values[i];
    set.entries.push_back({design.sweep[i].key, place, std::move(value)});
  }
  return set;
}

void expect_other_keys(const YamlNode& set_of_side, const YamlNode& root, const JobSpec& spec,
                       Complaints& complaints) {
  std::vector<std::string> keys;
  add_keys(set_of_side, "", keys);
  const std::string above = fmt::format("workload.{}.", spec.workload.name);
  for (std::string& key : keys) {
    if (key.starts_with(above)) key.erase(0, above.size());
    for (const SweepAxis& axis : spec.design->sweep) {
      if ((key + ".").starts_with(axis.key + ".") || (axis.key + ".").starts_with(key + "."))
        return complaints.add(place_of_sweep(root), "sweep." + axis.key, "is set by a side too");
    }
  }
}

}  // namespace netperfd::config
