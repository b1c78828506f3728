// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/fact_differences.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "daemon/analysis/compare/digested_options.hpp"
#include "daemon/analysis/compare/fact_causes.hpp"
#include "daemon/analysis/compare/fact_values.hpp"
#include "daemon/analysis/compare/figure_effect.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/analysis/compare/kernel_addresses.hpp"

namespace netperfd::analysis {
namespace {

bool is_traced(const ComparedRun& run) {
  return run.trace.has_value();
}

std::vector<std::string> keys_of(const Values& values) {
  std::vector<std::string> keys;
  for (const auto& [value, runs] : values) keys.push_back(value);
  return keys;
}

std::vector<std::uint32_t> counts_of(const Values& values) {
  std::vector<std::uint32_t> counts;
  for (const auto& [value, runs] : values) counts.push_back(runs);
  return counts;
}

// Each value in the same share of the runs.
bool equal(const Values& a, const Values& b) {
  const auto runs = [](const Values& values) {
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& value) { return sum + value.second; });
  };
  const std::uint64_t runs_a = runs(a), runs_b = runs(b);
  return std::ranges::equal(a, b, [&](const auto& of_a, const auto& of_b) {
    return of_a.first == of_b.first && of_a.second * runs_b == of_b.second * runs_a;
  });
}

struct Sides {
  Sides(const std::vector<ComparedRun>& runs_a, const std::vector<ComparedRun>& runs_b, const Figure& figure)
      : Sides(runs_a, runs_b, figure_runs(runs_a, runs_b, figure)) {}
  Sides(const std::vector<ComparedRun>& runs_a, const std::vector<ComparedRun>& runs_b,
        const FigureRuns& runs)
      : from(runs.from),
        booted(Grouping(runs.a, runs.b).boots_for_each_letter()),
        trace_of_traced(from != TakenFrom::mixed &&
                        (std::ranges::any_of(runs_a, is_traced) || std::ranges::any_of(runs_b, is_traced))),
        a(runs_a, trace_of_traced),
        b(runs_b, trace_of_traced) {
    if (a.has_document() || b.has_document()) {
      a.tell_options_as_documents();
      b.tell_options_as_documents();
    }
    std::set<FactKey> keys;
    a.add_keys(keys);
    b.add_keys(keys);
    for (const FactKey& key : keys) {
      if (key.first == "qdisc") compare_queue_without_digests(key);
      if (is_of_addresses(key)) compare_addresses_without_the_kernels(key);
      if (a.tells_a_default(key) || b.tells_a_default(key)) {
        const bool is_option = key.second.find('.') == std::string::npos;
        if (is_option && (a.leaves_to_default(key) || b.leaves_to_default(key)))
          defaults_not_compared.push_back(key.second);
        a.take_lack_as_unknown(key);
        b.take_lack_as_unknown(key);
      }
    }
  }

  // Words and a digest of the same options are no difference.
  void compare_queue_without_digests(const FactKey& key) {
    OptionKinds kinds;
    for (const auto& [value, runs] : values_of_both(key)) kinds.add(value);
    const auto both = kinds.both();
    if (both.empty()) return;
    shorten(key, [&both](std::string_view value) { return without_options(value, both); });
    queues_not_compared.push_back(key.second);
  }

  // Nor are addresses that the kernel makes by itself.
  void compare_addresses_without_the_kernels(const FactKey& key) {
    const Values values = values_of_both(key);
    const bool open =
        std::ranges::any_of(values, [](const auto& each) { return may_be_of_kernel(each.first); });
    if (!open || values.size() < 2) return;
    shorten(key, without_ipv6);
    addresses_not_compared.push_back(key.second);
  }

  [[nodiscard]] Values values_of_both(const FactKey& key) const {
    Values values = a.values(key);
    values.merge(b.values(key));  // whose counts do not matter here
    return values;
  }

  void shorten(const FactKey& key, const std::function<std::string(std::string_view)>& shorter) {
    a.shorten(key, shorter);
    b.shorten(key, shorter);
  }

  [[nodiscard]] KnownOfSides known() const {
    const auto asks_no_window = [](const FactValues& side) {
      const Values windows = side.values({std::string(kIperf3Facts), "window"});
      return windows.size() == 1 && windows.contains(std::string(kAbsentValue));
    };
    return {.booted = booted, .windows_of_kernel = asks_no_window(a) && asks_no_window(b)};
  }

  [[nodiscard]] bool have_fingerprints() const { return a.has_fingerprint() && b.has_fingerprint(); }

  TakenFrom from;
  bool booted;  // by turns, for each letter of a block
  bool trace_of_traced;
  FactValues a, b;
  std::vector<std::string> queues_not_compared, addresses_not_compared, defaults_not_compared;  // keys
};

// In blocks, within each block that has runs of both sides: whatever changes from block to block does not
// differ, even if a run failed.
bool equal(const Sides& sides, const FactKey& key) {
  const Values all_a = sides.a.values(key), all_b = sides.b.values(key);
  const bool vary = all_a.size() > 1 || all_b.size() > 1;
  if (!vary || !sides.a.in_blocks() || !sides.b.in_blocks()) return equal(all_a, all_b);
  const auto blocks_b = sides.b.values_by_block(key);
  bool compared = false;
  for (const auto& [block, of_a] : sides.a.values_by_block(key)) {
    const auto of_b = blocks_b.find(block);
    if (of_b == blocks_b.end()) continue;
    if (!equal(of_a, of_b->second)) return false;
    compared = true;
  }
  return compared || equal(all_a, all_b);
}

std::set<FactKey> all_keys(const Sides& sides) {
  std::set<FactKey> keys;
  sides.a.add_keys(keys);
  sides.b.add_keys(keys);
  return keys;
}

bool can_explain(std::string_view group, TakenFrom from) {
  return group != kTraceFacts || from != TakenFrom::plain;
}

std::vector<std::string> mixed_facts(const FactJudgement& judgement) {
  std::vector<std::string> mixed;
  for (const FactChange& fact : judgement.facts) {
    if (!fact.explains || !is_declared(judgement.changed, fact.group)) continue;
    for (std::size_t i = 0; i < fact.a.size(); ++i) {
      const auto found = std::ranges::find(fact.b, fact.a[i]);
      if (found == fact.b.end()) continue;
      mixed.push_back(fmt::format("{} {} {} in {} of A and {} of B", fact.group, fact.key, fact.a[i],
                                  fact.runs_a[i] == 1 ? "1 run" : fmt::format("{} runs", fact.runs_a[i]),
                                  fact.runs_b[static_cast<std::size_t>(found - fact.b.begin())]));
    }
  }
  return mixed;
}

std::vector<std::string> same_groups(const Sides& sides, const std::vector<FactChange>& facts) {
  std::set<std::string> groups;
  for (const FactKey& key : all_keys(sides)) {
    if (!sides.a.values(key).empty() && !sides.b.values(key).empty()) groups.emplace(family_of(key.first));
  }
  for (const FactChange& fact : facts) groups.erase(std::string(family_of(fact.group)));
  return {groups.begin(), groups.end()};
}

// Groups whose values vary between the runs of a side, if both sides have them in equal shares.
std::set<std::string> unsteady_groups(const Sides& sides) {
  std::set<std::string> groups;
  for (const FactKey& key : all_keys(sides)) {
    if (can_explain(key.first, sides.from) && sides.a.values(key).size() > 1 && equal(sides, key)) {
      groups.insert(key.first);
    }
  }
  return groups;
}

bool knows_a_document_only(const ComparedRun& run) {
  return run.fingerprint &&
         std::ranges::find(run.fingerprint->unknown, kAllElse) != run.fingerprint->unknown.end();
}

void note_unknown(const std::vector<ComparedRun>& runs, std::string_view side, Caveats& caveats) {
  std::set<std::string> unknown;
  std::size_t without = 0;
  for (const ComparedRun& run : runs) {
    if (!run.fingerprint) {
      ++without;
    } else {
      unknown.insert(run.fingerprint->unknown.begin(), run.fingerprint->unknown.end());
    }
  }
  if (without > 0 && without == runs.size()) {
    caveats.add(Gravity::verdict,
                fmt::format("No run of {} has a fingerprint of its environment: what differed "
                            "beside the change is not known.",
                            side));
  } else if (without > 0) {
    caveats.add(Gravity::weakens,
                fmt::format("Without a fingerprint of its environment: {} of {} runs of {}.", without,
                            runs.size(), side));
  }
  if (!unknown.empty()) {
    const bool all = unknown.contains(std::string(kAllElse));
    caveats.add(
        all ? Gravity::verdict : Gravity::weakens,
        fmt::format("Not known of the environment of {}, and not compared: {}.", side, listed(unknown)));
  }
}

// With the groups that differ in place of the patterns that they fit.
std::vector<std::string> without_patterns(const std::vector<std::string>& declared,
                                          const std::vector<FactChange>& facts) {
  std::vector<std::string> groups;
  const auto add = [&groups](const std::string& group) {
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  };
  for (const std::string& each : declared) {
    bool fits = false;
    for (const FactChange& fact : facts) {
      if (!is_declared({each}, fact.group)) continue;
      add(fact.group);
      fits = true;
    }
    if (!fits) add(each);
  }
  return groups;
}

std::vector<FactChange> differing_facts(const Sides& sides, const std::vector<std::string>& changed) {
  std::vector<FactChange> facts;
  for (const FactKey& key : all_keys(sides)) {
    const Values of_a = sides.a.values(key), of_b = sides.b.values(key);
    if (of_a.empty() || of_b.empty() || equal(sides, key)) continue;
    facts.push_back({.group = key.first,
                     .key = key.second,
                     .a = keys_of(of_a),
                     .b = keys_of(of_b),
                     .runs_a = counts_of(of_a),
                     .runs_b = counts_of(of_b),
                     .declared = false,
                     .explains = can_explain(key.first, sides.from)});
  }
  for (FactChange& fact : facts) {
    fact.declared =
        is_declared(changed, fact.group) || is_declared(changed, counts_to(fact, facts, sides.known()));
  }
  return facts;
}

}  // namespace

std::vector<FactChange> differing_facts(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                        const std::vector<std::string>& changed, const Figure& figure) {
  return differing_facts(Sides(a, b, figure), changed);
}

FactJudgement judge_facts(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                          const std::vector<std::string>& declared, const Figure& figure) {
  FactJudgement judgement;
  const Sides sides(a, b, figure);
  judgement.facts = differing_facts(sides, declared);
  judgement.changed = without_patterns(declared, judgement.facts);
  judgement.same = same_groups(sides, judgement.facts);
  std::set<std::string> further;
  for (const FactChange& fact : judgement.facts) {
    if (fact.explains && !fact.declared) further.insert(counts_to(fact, judgement.facts, sides.known()));
  }
  // If no group is known to be the same, or only what imported documents tell, anything else could differ
  // too.
  const bool known = !judgement.same.empty() && std::ranges::none_of(a, knows_a_document_only) &&
                     std::ranges::none_of(b, knows_a_document_only);
  if (declared.empty() && further.size() == 1 && known) {
    judgement.changed.assign(further.begin(), further.end());
    judgement.facts = differing_facts(sides, judgement.changed);
  } else {
    judgement.undeclared.assign(further.begin(), further.end());
  }
  judgement.mixed = mixed_facts(judgement);
  return judgement;
}

void note_facts(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                const std::vector<std::string>& declared, const Figure& figure,
                const FactJudgement& judgement, Caveats& caveats) {
  note_unknown(a, "A", caveats);
  note_unknown(b, "B", caveats);
  const Sides sides(a, b, figure);
  if (!sides.have_fingerprints()) return;
  if (!sides.queues_not_compared.empty()) {
    caveats.add(
        Gravity::weakens,
        fmt::format("Not compared: the options of qdisc {}. Runs of an older netperfd have a digest of "
                    "them, and newer ones their values.",
                    listed(sides.queues_not_compared)));
  }
  if (!sides.addresses_not_compared.empty()) {
    caveats.add(Gravity::told,
                fmt::format("Not compared: the IPv6 part of {}. Runs of an older netperfd also have the IPv6 "
                            "addresses that the kernel makes by itself.",
                            listed(sides.addresses_not_compared)));
  }
  if (!sides.defaults_not_compared.empty()) {
    caveats.add(
        Gravity::weakens,
        fmt::format("Not compared: {} of iperf3. Runs of netperfd that gave no such option do not have "
                    "the default that was used.",
                    listed(sides.defaults_not_compared)));
  }
  for (const std::string& group : declared) {
    if (std::ranges::none_of(judgement.facts,
                             [&](const FactChange& fact) { return is_declared({group}, fact.group); })) {
      caveats.add(Gravity::verdict,
                  fmt::format("{} was declared to change, but no known fact of it differs.", group));
    }
  }
  if (const auto groups = unsteady_groups(sides); !groups.empty()) {
    caveats.add(Gravity::weakens,
                fmt::format("Within the sides the runs differ among themselves in {}.", listed(groups)));
  }
}

}  // namespace netperfd::analysis
