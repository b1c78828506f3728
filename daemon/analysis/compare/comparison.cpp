// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
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
#include "daemon/analysis/compare/figure_effect.hpp"
#include "daemon/analysis/compare/gates.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/analysis/compare/work.hpp"
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
    // uneven_noise() tells of noise.
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
  const bool moved = comparison.verdict == Verdict::improvement ||
                     comparison.verdict == Verdict::regression || comparison.verdict == Verdict::trade_off;
  if (moved && comparison.facts.empty() && !comparison.same.empty()) {
    caveats.add(Gravity::weakens,
                "No known fact of the environment differs: what made the difference is not "
                "known.");
  }
}

void note_looks(const ComparisonSettings& settings, Caveats& caveats) {
  if (!settings.looked) return;
  if (const std::string words = words_of(*settings.looked); !words.empty())
    caveats.add(Gravity::weakens, words);
}

// One figure while it is judged.
struct Judged {
  Judged(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b, const ComparedFigure& of)
      : asked(&of),
        terms(terms_of(of.figure, a, b)),
        runs(figure_runs(a, b, of.figure)),
        grouping(runs.a, runs.b) {}

  const ComparedFigure* asked;
  FigureTerms terms;
  FigureRuns runs;
  Grouping grouping;
  FigureResult result = {};
  std::vector<Level> of_one = {};
  HostResolution resolution = {};
  Caveats of_verdict = {}, of_runs = {};
};

// What the luck of boots and builds takes from what these samples would find.
void allow_for_luck(Judged& judged) {
  RatioEstimate& effect = judged.result.effect;
  if (!judged.resolution.code || !effect.low || !effect.high) return;
  const double luck = std::log(*judged.resolution.code);
  const double width = std::log(*effect.high / *effect.low) / 2;
  if (effect.detectable) *effect.detectable *= std::exp(std::hypot(width, luck) - width);
  if (luck >= std::log1p(judged.result.threshold)) effect.needed = effect.needed_for_equivalence = {};
}

std::uint32_t fewest_for(const Grouping& grouping, double level) {
  return grouping.in_blocks() ? fewest_for_signed_rank(level) : fewest_for_mann_whitney(level);
}

void estimate(Judged& judged, const ComparisonSettings& settings) {
  FigureResult& result = judged.result;
  const std::size_t figures = settings.figures.size();
  const double level = level_of_each(settings.level, figures);
  result.name = to_string(judged.asked->figure);
  result.unit = judged.terms.unit;
  result.better = judged.terms.better;
  result.source = judged.terms.source;
  result.pairing = judged.grouping.pairing();
  result.threshold = judged.asked->threshold.value_or(settings.threshold);
  result.effect = figure_effect(judged.grouping, judged.asked->figure, result.threshold, level);
  if (result.effect.p) {
    result.p_adjusted = std::min(
        1.0, *result.effect.p * static_cast<double>(figures) * sharers_of(settings.level, settings.looked));
  }
  result.fewest = fewest_for(judged.grouping, level);
}

// Of the logarithms of the samples.
std::optional<double> log_spread(const Judged& judged) {
  const FigureOf of(judged.asked->figure);
  const auto log = [&of](const ComparedRun& run) { return of.log(run); };
  const Grouping& grouping = judged.grouping;
  return spread_of(grouping.samples(values_of(grouping.a(), log), values_of(grouping.b(), log)));
}

// Gates 1 to 8.
void judge(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
           const ComparisonSettings& settings, const FactJudgement& facts, Judged& judged) {
  FigureResult& result = judged.result;
  const Figure& figure = judged.asked->figure;
  const double level = level_of_each(settings.level, settings.figures.size());
  judged.of_one = levels_of_one(judged.grouping, facts.changed);
  judged.resolution =
      resolution_of(judged.grouping, judged.of_one, judged.asked->resolution, log_spread(judged), level);
  result.resolution = std::max(judged.resolution.code, judged.resolution.settings);  // absent is less
  pass_gates({a, b, settings, facts, figure, judged.terms, judged.runs, judged.resolution, result,
              judged.of_verdict});
  allow_for_luck(judged);
  if (!judged.of_one.empty()) {
    result.luck_spread = bearable_spread(result.effect, result.verdict, result.threshold, level);
  }
  note_runs(judged.runs, judged.grouping, figure, judged.of_runs);
  note_silent_runs(a, b, judged.runs.from, figure, judged.of_runs);
}

void add_caveats(const std::vector<Judged>& figures, const std::optional<Judged>& beside,
                 Caveats Judged::* part, Caveats& caveats) {
  std::vector<std::pair<std::string, Caveats>> named;
  for (const Judged& judged : figures) named.emplace_back(judged.result.name, judged.*part);
  caveats.add_of_figures(named);
  if (beside) caveats.add_beside(named, beside->result.name, (*beside).*part);
}

bool is_of_plain_runs(const Judged& judged) {
  return judged.runs.from == TakenFrom::plain && judged.result.effect.ratio;
}

// `alone` has the figure of CPU time only.
std::optional<Judged> judge_cpu(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                const ComparisonSettings& alone, const FactJudgement& facts) {
  Judged judged(a, b, alone.figures.front());
  estimate(judged, alone);
  if (!is_of_plain_runs(judged)) return std::nullopt;
  judge(a, b, alone, facts, judged);
  return judged;
}

// The change of the ratio's estimate at the level of A, so that both say the same.
ShiftEstimate in_units_of_a(const RatioEstimate& effect) {
  ShiftEstimate change;
  change.centre_a = effect.centre_a;
  change.centre_b = effect.centre_b;
  change.shift = effect.centre_b - effect.centre_a;
  change.p = effect.p;
  if (!effect.low || !effect.high) return change;
  change.low = (*effect.low - 1) * effect.centre_a;
  change.high = (*effect.high - 1) * effect.centre_a;
  change.level = effect.level;
  return change;
}

// Facts are to explain all figures: those of one that was measured under tracing have to be the most alike.
const Figure& hardest_to_explain(const std::vector<Judged>& figures) {
  return std::ranges::max_element(figures, {}, [](const Judged& judged) { return judged.runs.from; })
      ->asked->figure;
}

void put_results(const std::vector<Judged>& figures, Comparison& comparison) {
  for (const Judged& judged : figures) comparison.figures.push_back(judged.result);
  const FigureResult& first = comparison.figures.front();
  comparison.verdict = overall(comparison.figures);
  if (comparison.verdict == Verdict::inconclusive) comparison.leaning = overall_leaning(comparison.figures);
  comparison.figure = first.name;
  comparison.effect = first.effect;
  comparison.threshold = first.threshold;
  comparison.of_one = figures.front().of_one;
  comparison.luck_spread = first.luck_spread;
  comparison.resolution = first.resolution;
  comparison.pairing = first.pairing;
}

void put_cpu(const Judged& judged, Attribution& attribution) {
  attribution.ns_per_byte = in_units_of_a(judged.result.effect);
  const bool of_bytes = judged.asked->figure.name == kCpuFigure;
  const auto of_counted = [of_bytes](const ComparedRun* run) { return of_bytes && !run->cpu_of_whole; };
  attribution.of_counted_part =
      std::ranges::all_of(judged.runs.a, of_counted) && std::ranges::all_of(judged.runs.b, of_counted);
}

std::vector<Judged> estimated(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                              const ComparisonSettings& settings) {
  std::vector<Judged> figures;
  for (const ComparedFigure& figure : settings.figures) {
    figures.emplace_back(a, b, figure);
    estimate(figures.back(), settings);
  }
  return figures;
}

// How many figures are refused with these settings.
std::ptrdiff_t refused_with(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                            const ComparisonSettings& settings) {
  std::vector<Judged> figures = estimated(a, b, settings);
  const FactJudgement facts = judge_facts(a, b, settings.changed, hardest_to_explain(figures));
  for (Judged& judged : figures) judge(a, b, settings, facts, judged);
  return std::ranges::count(figures, Verdict::refused,
                            [](const Judged& judged) { return judged.result.verdict; });
}

// Tries what a reader may do about it, since no reason of a refusal tells whether another one waits behind
// it: sides are found to be mixtures only of what was declared.
std::optional<Remedy> remedy_of(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                const ComparisonSettings& settings, const Comparison& comparison) {
  if (comparison.verdict != Verdict::refused) return std::nullopt;
  if (settings.despite) return Remedy::none;
  ComparisonSettings despite = settings, declared = settings;
  despite.despite = true;
  const std::ptrdiff_t refused_despite = refused_with(a, b, despite);
  if (refused_despite == std::ranges::count(comparison.figures, Verdict::refused, &FigureResult::verdict))
    return Remedy::none;
  std::ranges::copy(comparison.changed, std::back_inserter(declared.changed));
  bool is_more = false;
  for (const FactChange& fact : comparison.facts) {
    if (fact.declared || !fact.explains) continue;
    declared.changed.push_back(fact.group);
    is_more = true;
  }
  const bool helps = is_more && refused_with(a, b, declared) == refused_despite;
  return helps ? Remedy::declare : Remedy::despite;
}

}  // namespace

double level_of_each(double level, std::size_t figures) {
  return figures < 2 ? level : 1 - (1 - level) / static_cast<double>(figures);
}

void use_one_part(std::vector<ComparedRun>& a, std::vector<ComparedRun>& b) {
  bool of_whole = false;
  std::set<std::pair<bool, bool>> ends;
  for (const auto* side : {&a, &b}) {
    for (const ComparedRun& run : *side) {
      of_whole = of_whole || run.cpu_of_whole;
      if (run.whole_cpu) ends.emplace(run.cpu_with_start, run.cpu_with_end);
    }
  }
  if (!of_whole && ends.size() <= 1) return;
  const std::string name{kCpuFigure};
  for (auto* side : {&a, &b}) {
    for (ComparedRun& run : *side) {
      if (!run.whole_cpu) continue;
      run.figures.insert_or_assign(name, *run.whole_cpu);
      run.cpu_of_whole = true;
    }
  }
}

Comparison compare(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                   const ComparisonSettings& settings) {
  Comparison comparison;
  Caveats caveats;
  comparison.a = ids_of(a);
  comparison.b = ids_of(b);
  std::vector<Judged> figures = estimated(a, b, settings);
  const auto of_cpu =
      std::ranges::find(figures, cpu_figure_of(settings.work),
                        [](const Judged& judged) -> const std::string& { return judged.asked->figure.name; });
  ComparisonSettings alone = settings;
  alone.figures = {
      {.figure = {.name = std::string{cpu_figure_of(settings.work)}}, .resolution = settings.cpu}};
  const Figure& of_facts = hardest_to_explain(figures);
  FactJudgement facts = judge_facts(a, b, settings.changed, of_facts);
  for (Judged& judged : figures) judge(a, b, settings, facts, judged);
  put_results(figures, comparison);
  std::optional<Judged> beside;
  if (of_cpu == figures.end()) beside = judge_cpu(a, b, alone, facts);
  if (beside) comparison.beside.push_back(beside->result);
  comparison.work = settings.work;
  comparison.offered = offered_rate(a, b, settings.threshold);

  add_caveats(figures, beside, &Judged::of_verdict, caveats);
  note_failed_runs(a, settings.failed_a, "A", caveats);
  note_failed_runs(b, settings.failed_b, "B", caveats);
  add_caveats(figures, beside, &Judged::of_runs, caveats);
  note_facts(a, b, settings.changed, of_facts, facts, caveats);
  comparison.attribution = attribute(a, b, settings, caveats);
  if (beside) {
    put_cpu(*beside, comparison.attribution);
  } else if (of_cpu != figures.end() && is_of_plain_runs(*of_cpu)) {
    put_cpu(*of_cpu, comparison.attribution);
  }
  CounterChanges counters =
      counter_changes(figures.front().grouping, settings.level, sharers_of(settings.level, settings.looked));
  comparison.counters = std::move(counters.shown);
  comparison.counters_tested = counters.tested;
  comparison.facts = std::move(facts.facts);
  comparison.same = std::move(facts.same);
  comparison.changed = std::move(facts.changed);
  comparison.remedy = remedy_of(a, b, settings, comparison);
  note_looks(settings, caveats);
  note_nothing_known(comparison, caveats);
  note_origins(a, b, caveats);
  note_flags(a, "A", caveats);
  note_flags(b, "B", caveats);
  comparison.caveats = caveats.sentences();
  return comparison;
}

}  // namespace netperfd::analysis
