// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/design_keys.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace netperfd::config {
namespace {

std::optional<ArmKind> parse_arm(const YamlNode& node) {
  if (node.text == "plain") return ArmKind::plain;
  if (node.text == "traced") return ArmKind::traced;
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

const YamlNode* value_of(const YamlNode& mapping, std::string_view key) {
  const YamlEntry* entry = mapping.find(key);
  return entry ? &entry->value : nullptr;
}

// Whether each letter also has a plain run.
bool plain_beside(const std::vector<ArmKind>& arms, bool has_variants, bool traces, const Place& place,
                  Complaints& complaints) {
  if (arms.empty()) return traces && has_variants;
  const auto has = [&](ArmKind kind) { return std::ranges::find(arms, kind) != arms.end(); };
  const bool plain = has(ArmKind::plain);
  const bool traced = has(ArmKind::traced);
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
      {"design.b", {}},
      {"design.b.name", text(draft.b.name), {"word", "`B`", "as for `a`", ""}},
      {"design.b.switch", command(draft.b.apply), {"list of texts", "none", "required if `a` has one", ""}},
      {"design.b.check", command(draft.b.verify), {"list of texts", "none", "", ""}},
      {"design.b.builds", builds(draft.b.builds), {"list of texts", "none", "as many as `a` has", ""}},
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
  std::ranges::move(keys_of_reboots(draft), std::back_inserter(keys));
  return keys;
}

std::optional<Design> design_of(DesignDraft draft, const YamlNode& root, bool traces,
                                Complaints& complaints) {
  const YamlEntry* entry = root.find("design");
  if (!entry) return std::nullopt;
  Design design;
  if (value_of(entry->value, "a")) design.a = std::move(draft.a);
  if (value_of(entry->value, "b")) design.b = std::move(draft.b);
  const YamlEntry* arms = entry->value.find("arms");
  design.plain = plain_beside(draft.arms, design.has_variants(), traces,
                              arms ? arms->value.place : entry->value.place, complaints);
  design.changed = std::move(draft.changed);
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
  if (design.reboots) keys.emplace_back("design.level");
  if (design.reboots && !design.reboots->prepare.empty()) keys.emplace_back("design.reboots.prepare");
  return keys;
}

}  // namespace netperfd::config
