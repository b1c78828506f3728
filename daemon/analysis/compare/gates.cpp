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

#include "daemon/analysis/compare/quantiles.hpp"

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

std::string mixture(const FactJudgement& facts) {
  if (facts.mixed.empty()) return {};
  return fmt::format(
      "What changed is alike in runs of both sides ({}): a side is a mixture, and what it has "
      "more or less is not what the change did.",
      listed(facts.mixed, 2));
}

// Empty if nothing differs. Otherwise the sentence that names the differences.
std::string undeclared_difference(const FactJudgement& facts, TakenFrom from) {
  if (!facts.undeclared.empty()) {
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
  if (from == TakenFrom::mixed && std::ranges::find(facts.changed, kTraceFacts) == facts.changed.end()) {
    return "A side is plain and the other traced, which is not the declared change and can explain the "
           "result.";
  }
  return {};
}

bool is_code(const std::string& group) {
  return group == "kernel" || group.starts_with("module:");
}

}  // namespace

std::string told_apart(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                       const Figure& figure, const FigureTerms& terms) {
  const auto words = [](const FigureTerms& each) {
    return fmt::format("{} ({} is better)", each.unit.empty() ? "as a number" : "in " + each.unit,
                       to_string(each.better));
  };
  const std::string name = to_string(figure);
  for (const auto* side : {&a, &b}) {
    for (const ComparedRun& run : *side) {
      if (const auto from = run.sources.find(name); from != run.sources.end() && from->second != terms.source)
        return fmt::format(
            "Run {} has {} from {}, and other runs have it from {}: these values cannot be compared.", run.id,
            name, from->second, terms.source);
      const auto own = std::ranges::find(run.own_figures, figure.name, &NamedFigure::name);
      if (own == run.own_figures.end()) continue;
      const FigureTerms told{.unit = own->unit, .better = own->better};
      if (told != terms)
        return fmt::format("Run {} gives {} {}, and other runs give it {}: these values cannot be compared.",
                           run.id, figure.name, words(told), words(terms));
    }
  }
  return {};
}

std::string nothing_to_compare(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                               const FigureRuns& runs, const Figure& figure) {
  const FigureOf of(figure);
  std::vector<std::string> reasons;
  if (runs.a.empty()) reasons.push_back(why_no_figure(a, "A", of));
  if (runs.b.empty()) reasons.push_back(why_no_figure(b, "B", of));
  return fmt::format("There is nothing to compare: {}.", listed(reasons));
}

std::vector<std::string> refusals(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                  TakenFrom from, const Figure& figure, const FactJudgement& facts) {
  const FigureOf of(figure);
  std::vector<std::string> sentences{dead_runs(a, "A", from, of), dead_runs(b, "B", from, of),
                                     undeclared_difference(facts, from), mixture(facts)};
  std::erase_if(sentences, [](const std::string& sentence) { return sentence.empty(); });
  return sentences;
}

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

Verdict verdict_of(const RatioEstimate& effect, double threshold, Better better,
                   const std::optional<double>& luck) {
  if (!effect.low || !effect.high) return Verdict::too_few;
  const auto widened = [&](double end) {
    if (!luck) return end;
    return *effect.ratio * std::exp(std::copysign(std::hypot(std::log(end / *effect.ratio), std::log(*luck)),
                                                  end - *effect.ratio));
  };
  const double low = widened(*effect.low), high = widened(*effect.high);
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
