// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/analysis/compare/attribution.hpp"
#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/counter_changes.hpp"
#include "daemon/analysis/compare/fact_differences.hpp"
#include "daemon/analysis/compare/gates.hpp"
#include "daemon/analysis/compare/sampling.hpp"
#include "daemon/analysis/compare/side_noise.hpp"
#include "daemon/analysis/compare/throughput_effect.hpp"
#include "daemon/model/noise.hpp"
#include "daemon/model/stored_tables.hpp"

namespace netperfd::analysis {
namespace {

std::vector<RunId> ids_of(const std::vector<ComparedRun>& runs) {
  std::vector<RunId> ids;
  for (const ComparedRun& run : runs) ids.push_back(run.id);
  return ids;
}

void note_flags(const std::vector<ComparedRun>& runs, std::string_view side, Caveats& caveats) {
  std::set<std::string> codes;
  std::size_t flagged = 0;
  for (const ComparedRun& run : runs) {
    // judge_noise() tells of noise.
    const auto is_other = [](const std::string& code) { return !noise::is_flag(code); };
    if (std::ranges::any_of(run.flags, is_other)) ++flagged;
    std::ranges::copy_if(run.flags, std::inserter(codes, codes.end()), is_other);
  }
  if (codes.empty()) return;
  caveats.add(Gravity::told, fmt::format("With quality flags: {} of {} runs of {} ({}).", flagged,
                                         runs.size(), side, listed(codes)));
}

// Runs of one bundle say the same but for their numbers.
void note_origins(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b, Caveats& caveats) {
  std::map<std::string, std::size_t> runs_from;
  for (const auto* side : {&a, &b}) {
    for (const ComparedRun& run : *side) {
      if (!run.origin.empty()) ++runs_from[run.origin.substr(0, run.origin.find(kOriginalRun))];
    }
  }
  for (const auto& [origin, count] : runs_from) {
    const std::string runs =
        count == a.size() + b.size() ? "All runs were " : fmt::format("{} runs were ", count);
    caveats.add(Gravity::told, runs + origin + ".");
  }
}

void note_nothing_known(const Comparison& comparison, Caveats& caveats) {
  const bool moved = comparison.verdict == Verdict::improvement || comparison.verdict == Verdict::regression;
  if (moved && comparison.facts.empty() && !comparison.same.empty()) {
    caveats.add(Gravity::weakens,
                "No known fact of the environment differs: what made the difference is not "
                "known.");
  }
}

// Gate 7: of what this host resolves.
void judge_resolution(const ComparisonSettings& settings, Comparison& comparison, Caveats& caveats) {
  const Verdict verdict =
      bounded(comparison.verdict, comparison.effect, comparison.threshold, comparison.resolution);
  if (verdict == comparison.verdict) return;
  comparison.verdict = verdict;
  caveats.add(Gravity::verdict,
              fmt::format("No verdict, since this host resolves {:.2g} % at best: {}.",
                          100 * (*comparison.resolution - 1),
                          comparison.resolution == settings.resolution.code ||
                                  comparison.resolution == settings.resolution.settings
                              ? "its self-tests find as much where nothing differs"
                              : "two boots are taken to differ by 2.5 % (standard deviation) until "
                                "self-tests of three boots tell"));
}

}  // namespace

Comparison compare(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                   const ComparisonSettings& settings) {
  Comparison comparison;
  Caveats caveats;
  comparison.figure = "received";
  comparison.a = ids_of(a);
  comparison.b = ids_of(b);
  comparison.threshold = settings.threshold;

  const ArmRuns runs = throughput_runs(a, b);
  const Sampling sampling(runs.a, runs.b);
  comparison.pairing = sampling.pairing();
  comparison.effect = throughput_effect(sampling, settings.threshold, settings.level);
  comparison.verdict = verdict_of(comparison.effect, settings.threshold);

  FactJudgement facts = judge_facts(a, b, settings.changed);
  if (!comparison.effect.ratio) {
    comparison.verdict = Verdict::refused;
    caveats.add(Gravity::verdict, nothing_to_compare(a, b, runs));
  } else {
    const std::vector<std::string> reasons = refusals(a, b, runs.arm, facts);
    if (!reasons.empty() && !settings.despite) comparison.verdict = Verdict::refused;
    for (const std::string& reason : reasons) caveats.add(Gravity::verdict, reason);
  }
  if (const std::string twice = counted_twice(a, b); !twice.empty()) {
    if (!settings.despite) comparison.verdict = Verdict::refused;
    caveats.add(Gravity::verdict, twice);
  }
  comparison.of_one = levels_of_one(sampling, facts.changed);
  comparison.resolution = resolution_of(sampling, comparison.of_one, settings);
  judge_resolution(settings, comparison, caveats);
  judge_noise(runs, settings, comparison, caveats);
  if (!comparison.of_one.empty()) {
    comparison.luck_spread =
        bearable_spread(comparison.effect, comparison.verdict, settings.threshold, settings.level);
  }
  note_failed_runs(a, settings.failed_a, "A", caveats);
  note_failed_runs(b, settings.failed_b, "B", caveats);
  note_throughput(runs, sampling, caveats);
  note_silent_runs(a, b, runs.arm, caveats);
  note_facts(a, b, settings.changed, facts, caveats);
  comparison.attribution = attribute(a, b, settings, caveats);
  CounterChanges counters = counter_changes(sampling, settings.level);
  comparison.counters = std::move(counters.shown);
  comparison.counters_tested = counters.tested;
  comparison.facts = std::move(facts.facts);
  comparison.same = std::move(facts.same);
  comparison.changed = std::move(facts.changed);
  note_nothing_known(comparison, caveats);
  note_origins(a, b, caveats);
  note_flags(a, "A", caveats);
  note_flags(b, "B", caveats);
  comparison.caveats = caveats.sentences();
  return comparison;
}

}  // namespace netperfd::analysis
