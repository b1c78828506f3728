// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/design_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <utility>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/text.hpp"

namespace netperfd::config {

using namespace keys;

namespace {

std::optional<Arm> parse_arm(const YamlNode& node) {
  if (node.text == "plain") return Arm::plain;
  if (node.text == "traced") return Arm::traced;
  return std::nullopt;
}

std::optional<DesignLevel> parse_level(std::string_view text) {
  if (text == "run") return DesignLevel::run;
  if (text == "boot") return DesignLevel::boot;
  return std::nullopt;
}

Reader command(std::vector<std::string>& argv) {
  return list(argv, parse_text, "a text of one line",
              "a list of words (like [/usr/sbin/ethtool, -K, eth0, gro, off])");
}

Reader builds(std::vector<std::string>& words) {
  return list(words, parse_text, "a text of one line", "a list of words (like [build-1, build-2])");
}

// Its keys are read as those of the job (overrides.hpp).
std::optional<std::string> check_set(const YamlNode& node) {
  if (!node.entries.empty()) return std::nullopt;
  return not_what(node, "a mapping of keys of the workload (like {streams: 8})");
}

// Adds "offload.gro.veth0: off" and the same in mappings below each other.
std::optional<std::string> add_settings(const std::string& above, const YamlNode& node,
                                        std::vector<MachineSetting>& settings) {
  if (node.entries.empty()) return not_what(node, "a mapping of settings (like {mtu.eth1: 9000})");
  for (const YamlEntry& entry : node.entries) {
    const std::string target = above.empty() ? entry.key : fmt::format("{}.{}", above, entry.key);
    if (entry.value.kind == YamlNode::Kind::scalar) {
      settings.push_back({target, entry.value.text});
    } else if (auto wrong = add_settings(target, entry.value, settings)) {
      return wrong;
    }
  }
  return std::nullopt;
}

Reader machine(std::vector<MachineSetting>& out) {
  return [&out](const YamlNode& node) {
    out.clear();
    return add_settings("", node, out);
  };
}

// The name of a side that has none of its own: that of its module's file ("list" of /x/list.ko) or, if it
// sets one key, the value. `given` if that cannot be a name.
std::string name_of(const YamlNode* side, const YamlNode* module, const std::string& given) {
  if (value_of(side, "name")) return given;
  const YamlNode* set = module;
  if (set == nullptr) set = value_of(side, "set");
  if (set == nullptr) set = value_of(side, "machine");
  while (set && set->entries.size() == 1) set = &set->entries.front().value;
  if (!set || set->kind != YamlNode::Kind::scalar) return given;
  const std::string name = module ? std::filesystem::path(set->text).stem().string() : set->text;
  return is_word(name, "._-", kMaxVariantName) ? name : given;
}

// Whether each letter also has a plain run.
bool plain_beside(const std::vector<Arm>& arms, bool has_variants, bool traces, const Place& place,
                  Complaints& complaints) {
  if (arms.empty()) return traces && has_variants;
  const auto has = [&](Arm kind) { return std::ranges::find(arms, kind) != arms.end(); };
  const bool plain = has(Arm::plain);
  const bool traced = has(Arm::traced);
  if (std::cmp_greater(arms.size(), (plain ? 1 : 0) + (traced ? 1 : 0))) {
    complaints.add(place, "design.arms", "has a word a second time");
  } else if (traces && !traced) {
    complaints.add(place, "design.arms",
                   "leaves no run for the job's `trace`; add traced, or remove the trace");
  } else if (!traces && !plain) {
    complaints.add(place, "design.arms", "asks for traced runs, and the job has no `trace`");
  }
  return plain && traced;
}

// Without those of the reboots.
std::vector<Key> keys_of_sides(DesignDraft& draft) {
  return {
      {"design", {}},
      {"design.arms",
       list(draft.arms, parse_arm, "one of plain or traced", "a list of plain and traced"),
       {"list of `plain`, `traced`", "see [designs](designs.md)",
        "whether each letter of a block has a run without the `trace`, with it, or both", ""}},
      {"design.a", {}},
      {"design.a.name",
       text(draft.a.name),
       {"word", "`A`", "name of side A: at most 32 letters, digits, `.`, `_`, `-`", ""}},
      {"design.a.switch",
       command(draft.a.apply),
       {"list of texts", "none",
        "command that brings the machine to this side: the absolute path of a program and its arguments, at "
        "most 64 words; only in scenarios that root installed",
        ""}},
      {"design.a.check",
       command(draft.a.verify),
       {"list of texts", "none",
        "likewise, a command that exits with 0 if the machine is on this side; it runs before each run of "
        "this side",
        ""}},
      {"design.a.builds",
       builds(draft.a.builds),
       {"list of texts", "none",
        "6 to 64 builds of one source: each is the last word of both commands in turn; only in scenarios "
        "that root installed",
        ""}},
      {"design.a.set",
       check_set,
       {"mapping", "none",
        "keys of the workload that the runs of this side have, such as `{congestion: cubic}`: see "
        "[designs](designs.md#sides-that-set-keys)",
        ""}},
      {"design.a.machine",
       machine(draft.a.settings),
       {"mapping", "none",
        "what this side sets on the machine, such as `{offload.gro.eth1: off}`: see "
        "[designs](designs.md#sides-that-set-the-machine)",
        ""}},
      {"design.b", {}},
      {"design.b.name", text(draft.b.name), {"word", "`B`", "as for `a`", ""}},
      {"design.b.switch", command(draft.b.apply), {"list of texts", "none", "required if `a` has one", ""}},
      {"design.b.check", command(draft.b.verify), {"list of texts", "none", "", ""}},
      {"design.b.builds", builds(draft.b.builds), {"list of texts", "none", "as many as `a` has", ""}},
      {"design.b.set", check_set, {"mapping", "none", "as for `a`", ""}},
      {"design.b.machine", machine(draft.b.settings), {"mapping", "none", "as for `a`", ""}},
      {"design.changed",
       list(draft.changed, parse_text, "a text of one line",
            "a list of groups of facts (like [kernel, 'module:hsr'])"),
       {"list of texts", "none",
        "[groups of facts](comparing.md#the-declared-change) in which the sides are meant to differ, such as "
        "`'module:hsr'`",
        ""}},
      {"design.seed",
       number(draft.seed),
       {"number", "drawn", "seed from which the order of the runs is drawn", ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it loses sight of std::function in an initializer list

std::vector<Key> keys_of_module(ModuleDraft& module) {
  return {
      {"design.module", {}},
      {"design.module.name",
       text(module.name),
       {"word", "required", "module of which each side loads another build, such as `hsr`", ""},
       Need::required},
      {"design.module.a",
       text(module.a),
       {"path", "required",
        "the file that side A loads, or `installed`: what `modprobe` finds; see "
        "[designs](designs.md#sides-that-load-a-module)",
        ""},
       Need::required},
      {"design.module.b", text(module.b), {"path", "required", "likewise of side B", ""}, Need::required},
      {"design.module.prepare",
       command(module.prepare),
       {"list of texts", "none",
        "command after each load, which makes anew what went with the module, such as "
        "`[/usr/share/netperfd/lab, up, hsr]`; only in scenarios that root installed",
        ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): as above

// Each side loads its file before it sets anything else, which may belong to the module.
void add_module(const ModuleDraft& module, const YamlNode& given, Design& design) {
  const std::string target = "module." + module.name;
  for (auto [side, key] : {std::pair{&*design.a, "a"}, {&*design.b, "b"}}) {
    if (const YamlNode* file = value_of(&given, key))
      side->settings.insert(side->settings.begin(), {target, file->text});
  }
  design.prepare = module.prepare;
}

std::vector<Key> keys_of_reboots(DesignDraft& draft) {
  return {
      {"design.level",
       word(draft.level, parse_level, "one of run or boot"),
       {"`run`, `boot`", "`run`",
        "`boot`: the `switch` of a side reboots the machine, and each letter of a block has a boot of its "
        "own; see [designs](designs.md#designs-that-reboot)",
        ""}},
      {"design.reboots", {}},
      {"design.reboots.runs",
       number(draft.reboots.runs),
       {"number", "3", "runs of each boot, and of each arm: 1 to 100", ""}},
      {"design.reboots.notice",
       word(draft.reboots.notice, parse_duration, kDuration),
       {"duration", "`120s`", "time from the announcement of a reboot (`wall`) to the reboot: at most 1 h",
        ""}},
      {"design.reboots.settle",
       word(draft.reboots.settle, parse_duration, kDuration),
       {"duration", "`60s`", "time from the `check` after a boot to its first run: at most 1 h", ""}},
      {"design.reboots.prepare",
       command(draft.reboots.prepare),
       {"list of texts", "none",
        "command after each boot, before the `check`, such as `[/usr/share/netperfd/lab, up, veth]`", ""}},
      {"design.reboots.most",
       number(draft.reboots.most),
       {"number", "twice the letters",
        "reboots that the job may ask for: at most 1,000, and so is the default", ""}},
      {"design.reboots.within",
       word(draft.reboots.within, parse_duration, kDuration),
       {"duration", "`24h`",
        "time from the first reboot after which the job asks for no other: at most 1000 h", ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): as above

}  // namespace

std::vector<Key> keys_of_design(DesignDraft& draft) {
  std::vector<Key> keys = keys_of_sides(draft);
  std::ranges::move(keys_of_module(draft.module), std::back_inserter(keys));
  std::ranges::move(keys_of_reboots(draft), std::back_inserter(keys));
  return keys;
}

std::optional<Design> design_of(DesignDraft draft, const YamlNode& root, bool traces,
                                Complaints& complaints) {
  const YamlEntry* entry = root.find("design");
  if (!entry) return std::nullopt;
  Design design;
  const YamlNode* a = value_of(&entry->value, "a");
  const YamlNode* b = value_of(&entry->value, "b");
  const YamlNode* module = value_of(&entry->value, "module");
  const std::string name_a = name_of(a, value_of(module, "a"), draft.a.name);
  const std::string name_b = name_of(b, value_of(module, "b"), draft.b.name);
  if (name_a != name_b && name_a != draft.b.name && name_b != draft.a.name) {
    draft.a.name = name_a;
    draft.b.name = name_b;
  }
  if (a || module) design.a = std::move(draft.a);
  if (b || module) design.b = std::move(draft.b);
  if (module) add_module(draft.module, *module, design);
  const YamlEntry* arms = entry->value.find("arms");
  design.plain = plain_beside(draft.arms, design.has_variants(), traces,
                              arms ? arms->value.place : entry->value.place, complaints);
  design.changed = std::move(draft.changed);
  // What the sides set is the change, with the facts that follow from it.
  if (design.has_settings() && !is_declared(design.changed, std::string(kMachineFacts)))
    design.changed.emplace_back(kMachineFacts);
  design.seed = draft.seed;
  if (draft.level == DesignLevel::boot) {
    design.reboots = std::move(draft.reboots);
  } else if (const YamlEntry* reboots = entry->value.find("reboots")) {
    complaints.add(reboots->value.place, "design.reboots", "has a meaning with `level: boot` only");
  }
  return design;
}

std::vector<std::string> commands_of(const Design& design) {
  std::vector<std::string> keys;
  const auto add = [&keys](const std::optional<Variant>& side, const std::string& key) {
    if (side && !side->apply.empty()) keys.push_back(key + ".switch");
    if (side && !side->verify.empty()) keys.push_back(key + ".check");
    if (side && !side->builds.empty()) keys.push_back(key + ".builds");
  };
  add(design.a, "design.a");
  add(design.b, "design.b");
  if (!design.prepare.empty()) keys.emplace_back("design.module.prepare");
  if (design.reboots) keys.emplace_back("design.level");
  if (design.reboots && !design.reboots->prepare.empty()) keys.emplace_back("design.reboots.prepare");
  return keys;
}

}  // namespace netperfd::config
