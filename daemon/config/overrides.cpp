// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/overrides.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/model/machine_setting.hpp"
#include "daemon/model/text.hpp"
#include "daemon/workload/job/table.hpp"

namespace netperfd::config {

using namespace keys;

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

constexpr const char* kParameters = "parameters";

// Of a workload that runs what the job says, a start sets the listed parameters and nothing else.
struct OfRoot {
  std::string refusal;   // empty: the override is allowed
  std::string new_path;  // where the value belongs; empty: as it was given
};

OfRoot check_of_root(const YamlNode& root, std::string_view path, const YamlNode& value) {
  const YamlNode* workload = value_of(&root, "workload");
  for (const workload::JobPart& part : workload::job_parts()) {
    if (!part.traits.of_root) continue;
    const std::string& name = part.traits.name;
    const std::string above = fmt::format("workload.{}", name);
    if (path == "workload" && (value_of(workload, name) != nullptr || value.find(name) != nullptr))
      return {fmt::format("is not replaced if it has {}", above), ""};
    if (!is_or_belongs_to(path, above)) continue;
    const std::string parameters = fmt::format("{}.{}.", above, kParameters);
    const YamlNode* listed = value_of(value_of(workload, name), kParameters);
    if (!path.starts_with(parameters)) {
      return {fmt::format("belongs to what netperfd runs, which no start may change; it may set {}NAME",
                          parameters),
              ""};
    }
    const std::string_view parameter = path.substr(parameters.size());
    if (value_of(listed, parameter) == nullptr) {
      std::vector<std::string_view> names;
      if (listed != nullptr) {
        for (const YamlEntry& entry : listed->entries) names.push_back(entry.key);
      }
      return {names.empty()
                  ? std::string("is no parameter, since the scenario lists none")
                  : fmt::format("is no parameter of the scenario, which lists {}", fmt::join(names, ", ")),
              ""};
    }
    if (value.kind != YamlNode::Kind::scalar) return {"is a number or a word", ""};
    return {"", fmt::format("{}.value", path)};
  }
  return {};
}

// The sides of a design, above all their commands, and whether they reboot the machine may be set only in the
// text itself.
const char* refused(std::string_view path, bool has_sides) {
  if (!has_sides) {
    for (const std::string_view key : {"design.a.set", "design.a.machine", "design.a.name", "design.b.set",
                                       "design.b.machine", "design.b.name"}) {
      if (is_or_belongs_to(path, key)) return nullptr;
    }
  }
  if (path == "design") return "is not replaced as a whole; a start may set its `arms`, `changed` and `seed`";
  for (const std::string_view side : {"design.a", "design.b"}) {
    if (is_or_belongs_to(path, side)) return "belongs to a side of the design, which no start may change";
  }
  for (const std::string_view key : {"design.level", "design.reboots"}) {
    if (is_or_belongs_to(path, key)) return "belongs to reboots of the machine, which no start may change";
  }
  if (is_or_belongs_to(path, "design.module"))
    return "belongs to a module that is loaded, which no start may change";
  return nullptr;
}

void put(YamlNode& root, std::string_view path, YamlNode value, Complaints& complaints) {
  const OfRoot of_root = check_of_root(root, path, value);
  if (!of_root.refusal.empty()) return complaints.add(value.place, std::string(path), of_root.refusal);
  apply(root, of_root.new_path.empty() ? path : std::string_view(of_root.new_path), std::move(value),
        complaints);
}

// What a side sets by a start may also be of the machine: "design.b.set.mtu.eth1" is
// "design.b.machine.mtu.eth1".
std::string of_machine(std::string_view path) {
  for (const char* side : {"a", "b"}) {
    const std::string above = fmt::format("design.{}.set.", side);
    if (path.starts_with(above) && begins_setting_target(path.substr(above.size())))
      return fmt::format("design.{}.machine.{}", side, path.substr(above.size()));
  }
  return std::string(path);
}

// "workload.iperf3.streams=8"
void apply_override(YamlNode& root, const std::string& text, bool has_sides, Complaints& complaints) {
  const auto equals = text.find('=');
  const std::string_view path = std::string_view(text).substr(0, equals);
  const bool of_side =
      path.starts_with("design.a.") || path.starts_with("design.b.") || path.starts_with("sweep.");
  const auto in_path = [of_side](char c) {
    const bool in_target = of_side && ((c >= 'A' && c <= 'Z') || c == '-' || c == '@');
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || in_target;
  };
  const bool path_fits = !path.empty() && std::ranges::all_of(path, in_path) && !path.starts_with('.') &&
                         !path.ends_with('.') && !path.contains("..");
  if (text.size() > kMaxOverrideBytes || !is_printable(text) || equals == std::string::npos || !path_fits) {
    return complaints.add(
        {.option = "--set"}, "",
        fmt::format("{} is not of the form KEY=VALUE (like workload.iperf3.streams=8)", in_quotes(text)));
  }
  const Place place{.option = fmt::format("--set {}", path)};
  if (const char* refusal = refused(path, has_sides))
    return complaints.add(place, std::string(path), refusal);
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
  put(root, of_machine(path), std::move(*node), complaints);
}

// Where it is measured. All runs share it: sides elsewhere could not be compared.
constexpr std::string_view kOfPath[] = {"server", "server_wait", "local", "netns", "bind", "port", "cport"};

// Each value below a mapping on its own, so that its neighbours stay.
void put_set(YamlNode& root, const std::string& above, const std::string& path, const YamlNode& value,
             Complaints& complaints) {
  if (!value.entries.empty()) {
    for (const YamlEntry& entry : value.entries)
      put_set(root, above, fmt::format("{}.{}", path, entry.key), entry.value, complaints);
    return;
  }
  if (!is_or_belongs_to(path, above) || path == above) {
    return complaints.add(value.place, path,
                          fmt::format("is set by a side or a sweep, which set keys below {} alone", above));
  }
  const std::string_view key = std::string_view(path).substr(above.size() + 1);
  for (const std::string_view shared : kOfPath) {
    if (is_or_belongs_to(key, shared))
      return complaints.add(value.place, path, "belongs to the path, which all runs share");
  }
  put(root, path, value, complaints);
}

void remove(YamlNode& root, std::string_view key) {
  std::erase_if(root.entries, [key](const YamlEntry& entry) { return entry.key == key; });
}

void put_option(YamlNode& root, const char* key, std::string text, bool quoted, Complaints& complaints) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.place.option = fmt::format("--{}", key);
  node.text = std::move(text);
  node.quoted = quoted;
  apply(root, key, std::move(node), complaints);
}

}  // namespace

void apply_set(YamlNode& root, const std::string& workload, const YamlNode& set, Complaints& complaints) {
  const std::string above = fmt::format("workload.{}", workload);
  for (const YamlEntry& entry : set.entries) {
    const std::string path =
        is_or_belongs_to(entry.key, "workload") ? entry.key : fmt::format("{}.{}", above, entry.key);
    put_set(root, above, path, entry.value, complaints);
  }
}

void put_repeat(YamlNode& root, std::uint32_t repeat, Complaints& complaints) {
  put_option(root, "repeat", std::to_string(repeat), false, complaints);
}

// A number of blocks that is asked for is fixed. A job that is read again has the most of its own `until`.
void put_fixed_repeat(YamlNode& root, std::uint32_t repeat, Complaints& complaints) {
  const YamlNode* most = value_of(value_of(&root, "until"), "most");
  if (most != nullptr && most->text == std::to_string(repeat)) return;
  remove(root, "until");
  put_repeat(root, repeat, complaints);
}

void apply_options(YamlNode& root, const core::JobOptions& options, Complaints& complaints) {
  if (options.overrides.size() > kMaxOverrides) {
    return complaints.add({.option = "--set"}, "", fmt::format("given more than {} times", kMaxOverrides));
  }
  const YamlNode* design = value_of(&root, "design");
  const bool has_sides = value_of(design, "a") != nullptr || value_of(design, "b") != nullptr ||
                         value_of(design, "module") != nullptr;
  for (const std::string& text : options.overrides) apply_override(root, text, has_sides, complaints);
  if (options.label) put_option(root, "label", *options.label, true, complaints);
  const bool is_set = std::ranges::any_of(options.overrides, [](const std::string& text) {
    return text.starts_with("until=") || text.starts_with("until.");
  });
  if (is_set && root.find("until") != nullptr) remove(root, "repeat");
  if (options.repeat) put_fixed_repeat(root, *options.repeat, complaints);
}

}  // namespace netperfd::config
