// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/gates.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "daemon/analysis/compare/quantiles.hpp"
#include "daemon/analysis/compare/side_noise.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::analysis {
namespace {

// Empty if no run of the side that the figure is taken from has one that is 0.
std::string dead_runs(const std::vector<ComparedRun>& runs, std::string_view side, TakenFrom from,
                      const FigureOf& figure) {
  std::size_t all = 0, nothing = 0;
  for (const ComparedRun& run : runs) {
    if (from == TakenFrom::plain && !is_plain(run)) continue;
    ++all;
    if (figure.is_nothing(run)) ++nothing;
  }
  if (nothing == 0) return {};
  const char* run_words = all < runs.size() ? "plain " : "";
  if (const FigureWords* words = figure.words()) {
    return fmt::format("{} of {} {}runs of {} {}: no ratio can hold them.", nothing, all, run_words, side,
                       words->nothing);
  }
  return fmt::format("In {} of {} {}runs of {}, {} is not above 0: no ratio can hold them.", nothing, all,
                     run_words, side, figure.name());
}

std::string why_no_figure(const std::vector<ComparedRun>& runs, std::string_view side,
                          const FigureOf& figure) {
  const auto is_nothing = [&](const ComparedRun& run) { return figure.is_nothing(run); };
  const bool none = std::ranges::none_of(runs, is_nothing), all = std::ranges::all_of(runs, is_nothing);
  if (const FigureWords* words = figure.words()) {
    if (none) return fmt::format("no run of {} tells its {}", side, words->name);
    return fmt::format("no run of {} {}{}", side, all ? "" : "is known to have ", words->anything);
  }
  if (none) return fmt::format("no run of {} tells its {}", side, figure.name());
  return fmt::format("in no run of {}, {} is {}above 0", side, figure.name(), all ? "" : "known to be ");
}

std::string undeclared_difference(const FactJudgement& facts) {
  const bool several = facts.undeclared.size() > 1;
  if (facts.changed.empty() && !several) {
    return fmt::format(
        "No change is declared, {} differs and can explain the result, and what else differs is not known.",
        facts.undeclared.front());
  }
  if (facts.changed.empty()) {
    return fmt::format("No change is declared, and {} differ and can each explain the result.",
                       listed(facts.undeclared));
  }
  return fmt::format("Beside the declared change ({}) {} {} and can explain the result.",
                     listed(facts.changed), listed(facts.undeclared), several ? "differ" : "differs");
}

std::string told_apart(const GatedFigure& judged) {
  const auto words = [](const FigureTerms& each) {
    return fmt::format("{} ({} is better)", each.unit.empty() ? "as a number" : "in " + each.unit,
                       to_string(each.better));
  };
  const FigureTerms& terms = judged.terms;
  const std::string name = to_string(judged.figure);
  for (const auto* side : {&judged.a, &judged.b}) {
    for (const ComparedRun& run : *side) {
      if (const auto from = run.sources.find(name); from != run.sources.end() && from->second != terms.source)
        return fmt::format(
            "Run {} has {} from {}, and other runs have it from {}: these values cannot be compared.", run.id,
            name, from->second, terms.source);
      const auto own = std::ranges::find(run.own_figures, judged.figure.name, &NamedFigure::name);
      if (own == run.own_figures.end()) continue;
      const FigureTerms told{.unit = own->unit, .better = own->better};
      if (told != terms)
        return fmt::format("Run {} gives {} {}, and other runs give it {}: these values cannot be compared.",
                           run.id, judged.figure.name, words(told), words(terms));
    }
  }
  return {};
}

Objection says(std::string sentence) {
  Objection objection;
  if (!sentence.empty()) objection.sentences.push_back(std::move(sentence));
  return objection;
}

Objection nothing_to_compare(const GatedFigure& judged) {
  if (judged.result.effect.ratio) return {};
  const FigureOf of(judged.figure);
  std::vector<std::string> reasons;
  if (judged.runs.a.empty()) reasons.push_back(why_no_figure(judged.a, "A", of));
  if (judged.runs.b.empty()) reasons.push_back(why_no_figure(judged.b, "B", of));
  return says(fmt::format("There is nothing to compare: {}.", listed(reasons)));
}

// A ratio of the others would describe only the runs that were successful.
Objection has_dead_runs(const GatedFigure& judged) {
  if (!judged.result.effect.ratio) return {};
  const FigureOf of(judged.figure);
  Objection objection{.sentences = {dead_runs(judged.a, "A", judged.runs.from, of),
                                    dead_runs(judged.b, "B", judged.runs.from, of)}};
  std::erase(objection.sentences, "");
  return objection;
}

// If gate 3 names facts that tell the sides apart, this one is silent.
Objection plain_and_traced(const GatedFigure& judged) {
  const FactJudgement& facts = judged.facts;
  if (!judged.result.effect.ratio || !facts.undeclared.empty()) return {};
  if (judged.runs.from != TakenFrom::mixed ||
      std::ranges::find(facts.changed, kTraceFacts) != facts.changed.end())
    return {};
  return says(
      "A side is plain and the other traced, which is not the declared change and can explain the result.");
}

Objection other_differences(const GatedFigure& judged) {
  const FactJudgement& facts = judged.facts;
  Objection objection;
  if (!judged.result.effect.ratio) return objection;
  if (!facts.undeclared.empty()) objection.sentences.push_back(undeclared_difference(facts));
  if (!facts.mixed.empty()) {
    objection.sentences.push_back(
        fmt::format("What changed is alike in runs of both sides ({}): a side is a mixture, and what it has "
                    "more or less is not what the change did.",
                    listed(facts.mixed, 2)));
  }
  return objection;
}

// They are one measurement, which would count as several samples.
std::string counted_twice(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b) {
  struct RunsOfFile {
    std::set<JobId> jobs;
    std::vector<std::string> runs;
  };
  std::map<std::string_view, RunsOfFile> files;
  for (const auto* side : {&a, &b}) {
    for (const ComparedRun& run : *side) {
      for (const std::string& file : run.files) {
        files[file].jobs.insert(run.job);
        files[file].runs.push_back(std::to_string(run.id));
      }
    }
  }
  std::set<std::vector<std::string>> groups;  // of runs; a document and its trace make only one
  for (const auto& [file, of_file] : files) {
    // A job has several runs of one file only if that is a table of their numbers.
    if (of_file.jobs.size() > 1) groups.insert(of_file.runs);
  }
  if (groups.empty()) return {};
  const std::size_t more = groups.size() - 1;
  return fmt::format(
      "Runs {} were imported from the same file and are one measurement{}.", listed(*groups.begin()),
      more == 0 ? ""
                : fmt::format("; {} more {} imported twice", more, more == 1 ? "file was" : "files were"));
}

// "two builds are taken to differ by 2 % (standard deviation) until self-tests with `builds:` tell"
std::string assumed_words(const HostResolution& host) {
  std::vector<std::string> units, tests;
  for (const Level level : host.assumed) {
    const bool boots = level == Level::boot;
    const double percent = 100 * (boots ? host.luck_of_boots : kLuckOfTwoBuilds);
    units.push_back(fmt::format("two {} are taken to differ by {} %", boots ? "boots" : "builds",
                                rows::plain_number(percent, 2)));
    tests.emplace_back(boots ? "of three boots" : "with `builds:`");
  }
  return fmt::format("{} (standard deviation) until self-tests {} tell", listed(units), listed(tests));
}

Objection not_resolved(const GatedFigure& judged) {
  const FigureResult& result = judged.result;
  const HostResolution& host = judged.resolution;
  if (result.verdict == Verdict::refused || result.verdict == Verdict::too_few) return {};
  const Verdict widened = verdict_of(result.effect, result.threshold, result.better, host.code);
  const Verdict verdict = bounded(widened, result.effect, result.threshold, host.settings);
  if (verdict == result.verdict) return {};
  return says(fmt::format("No verdict, since this host resolves {} % at best: {}.",
                          rows::plain_number(100 * (*result.resolution - 1), 2),
                          verdict == widened && !host.assumed.empty()
                              ? assumed_words(host)
                              : "its self-tests find as much where nothing differs"));
}

// What nothing helps against comes first.
constexpr Gate kGates[] = {
    {"1a", "all runs give their own figure in one unit, with one direction as better", Verdict::refused,
     false, [](const GatedFigure& judged) { return says(told_apart(judged)); }},
    {"1", "each side has runs with a throughput, or another figure", Verdict::refused, false,
     nothing_to_compare},
    {"2", "no run of a side received nothing; no other figure is 0", Verdict::refused, true, has_dead_runs},
    {"4", "plain runs are not compared with traced ones, unless `trace` is the change", Verdict::refused,
     true, plain_and_traced},
    {"3",
     "the sides differ only in the declared change, or in one group that is taken for it; "
     "no run of A has of that what a run of B has",
     Verdict::refused, true, other_differences},
    {"4a", "no two runs were imported from the same file", Verdict::refused, true,
     [](const GatedFigure& judged) { return says(counted_twice(judged.a, judged.b)); }},
    {"7", "the difference is beyond what self-tests found", Verdict::inconclusive, false, not_resolved},
    {"7a", "the verdict is the same without the noisy blocks, if the sides differ in noise",
     Verdict::inconclusive, true, uneven_noise},
};

bool is_code(const std::string& group) {
  return group == "kernel" || group.starts_with("module:");
}

}  // namespace

std::span<const Gate> gates() {
  return kGates;
}

void pass_gates(const GatedFigure& judged) {
  FigureResult& result = judged.result;
  const auto of_interval = [&](const std::optional<double>& luck) {
    return verdict_of(result.effect, result.threshold, result.better, luck);
  };
  result.verdict = of_interval({});
  for (const Gate& gate : kGates) {
    const Objection objection = gate.objection(judged);
    for (const std::string& sentence : objection.sentences) judged.caveats.add(Gravity::verdict, sentence);
    if (objection.sentences.empty() || (gate.lifted && judged.settings.despite)) continue;
    result.verdict = gate.cap;
    result.reason = objection.reason;
  }
  // What is within the threshold leans to nothing, and neither does what settings or noise hide.
  if (result.verdict == Verdict::inconclusive && of_interval({}) != Verdict::equivalent &&
      of_interval(judged.resolution.code) == Verdict::inconclusive)
    result.leaning = leaning_of(result.effect, result.better);
}

Verdict verdict_of(const RatioEstimate& effect, double threshold, Better better,
                   const std::optional<double>& luck) {
  if (!effect.low || !effect.high) return Verdict::too_few;
  // Of equal samples, both ends are the estimate.
  const auto widened = [&](double end, double away) {
    if (!luck) return end;
    return *effect.ratio * std::exp(away * std::hypot(std::log(end / *effect.ratio), std::log(*luck)));
  };
  const double low = widened(*effect.low, -1), high = widened(*effect.high, 1);
  if (low - 1 > -threshold && high - 1 < threshold) return Verdict::equivalent;
  const bool higher = low > 1 && low - 1 >= threshold, lower = high < 1 && 1 - high >= threshold;
  if (!higher && !lower) return Verdict::inconclusive;
  return higher == (better == Better::higher) ? Verdict::improvement : Verdict::regression;
}

std::optional<Verdict> leaning_of(const RatioEstimate& effect, Better better) {
  if (!effect.low || !effect.high || (*effect.low <= 1 && *effect.high >= 1)) return std::nullopt;
  return (*effect.low > 1) == (better == Better::higher) ? Verdict::improvement : Verdict::regression;
}

Verdict overall(const std::vector<FigureResult>& figures) {
  const auto any = [&](Verdict verdict) {
    return std::ranges::any_of(figures,
                               [verdict](const FigureResult& figure) { return figure.verdict == verdict; });
  };
  const bool worse = any(Verdict::regression), better = any(Verdict::improvement);
  if (worse) return better ? Verdict::trade_off : Verdict::regression;
  if (any(Verdict::refused)) return Verdict::refused;
  if (better) return Verdict::improvement;
  if (any(Verdict::inconclusive)) return Verdict::inconclusive;
  return any(Verdict::too_few) ? Verdict::too_few : Verdict::equivalent;
}

std::optional<Verdict> overall_leaning(const std::vector<FigureResult>& figures) {
  std::optional<Verdict> leaning;
  for (const FigureResult& figure : figures) {
    if (!figure.leaning) continue;
    if (leaning && leaning != figure.leaning) return std::nullopt;
    leaning = figure.leaning;
  }
  return leaning;
}

HostResolution resolution_of(const Grouping& grouping, const std::vector<Level>& of_one,
                             const HostResolution& known, const std::optional<double>& spread, double level) {
  HostResolution resolution = known;
  resolution.luck_of_boots = std::max(kLuckOfTwoBoots, spread.value_or(0));
  if (of_one.empty()) resolution.code.reset();
  if (of_one.empty() || known.code) return resolution;
  double luck = 0;
  for (const Level one : of_one) {
    if (one == Level::boot && boots_of(grouping.a()) == boots_of(grouping.b())) continue;
    luck = std::hypot(luck, one == Level::boot ? resolution.luck_of_boots : kLuckOfTwoBuilds);
    resolution.assumed.push_back(one);
  }
  if (luck > 0) resolution.code = std::exp(normal_quantile((1 + level) / 2) * luck);
  return resolution;
}

Verdict bounded(Verdict verdict, const RatioEstimate& effect, double threshold,
                const std::optional<double>& settings) {
  if (!settings) return verdict;
  const bool is_change = verdict == Verdict::improvement || verdict == Verdict::regression;
  const bool hides_change = is_change && std::abs(std::log(*effect.ratio)) < std::log(*settings);
  const bool hides_none = verdict == Verdict::equivalent && *settings > 1 + threshold;
  return hides_change || hides_none ? Verdict::inconclusive : verdict;
}

Verdict resolved_verdict(const RatioEstimate& effect, double threshold, Better better,
                         const HostResolution& resolution) {
  return bounded(verdict_of(effect, threshold, better, resolution.code), effect, threshold,
                 resolution.settings);
}

std::vector<Level> levels_of_one(const Grouping& grouping, const std::vector<std::string>& changed) {
  const auto boots_a = boots_of(grouping.a()), boots_b = boots_of(grouping.b());
  const bool code = std::ranges::any_of(changed, is_code);
  const bool known =
      std::ranges::all_of(grouping.a(), knows_boot) && std::ranges::all_of(grouping.b(), knows_boot);
  std::vector<Level> levels;
  if (known && boots_a.size() == 1 && boots_b.size() == 1 && (code || boots_a != boots_b))
    levels.push_back(Level::boot);
  if (code && !grouping.has_several_builds()) levels.push_back(Level::build);
  return levels;
}

std::optional<double> bearable_spread(const RatioEstimate& effect, Verdict verdict, double threshold,
                                      double level) {
  if (!effect.ratio || !effect.low || !effect.high) return std::nullopt;
  const double estimate = std::log(*effect.ratio), low = std::log(*effect.low), high = std::log(*effect.high);
  const double z = normal_quantile((1 + level) / 2);
  // The spread that widens the side of the interval from `width` to `room`.
  const auto bearable = [z](double room, double width) {
    return room > width ? std::sqrt(room * room - width * width) / z : 0;
  };
  if (verdict == Verdict::improvement || verdict == Verdict::regression) {
    return std::expm1(low > 0 ? bearable(estimate - std::log1p(threshold), estimate - low)
                              : bearable(std::log1p(-threshold) - estimate, high - estimate));
  }
  if (verdict != Verdict::equivalent) return std::nullopt;
  return std::expm1(std::min(bearable(std::log1p(threshold) - estimate, high - estimate),
                             bearable(estimate - std::log1p(-threshold), estimate - low)));
}

}  // namespace netperfd::analysis
