// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/side_noise.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/math/distributions/hypergeometric.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/analysis/compare/looks.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/model/noise.hpp"

namespace netperfd::analysis {
namespace {

// Share of the time of the workload's CPUs that other tasks took, seen or not.
std::optional<double> load_of_others(const ComparedRun& run) {
  const auto others = noise::figure(run.counters, noise::kOthers);
  const auto there = noise::figure(run.counters, noise::kOthersThere);
  const auto window = noise::figure(run.counters, noise::kWindow);
  const auto cpus = noise::figure(run.counters, noise::kCpus);
  if (!others || !window || !cpus || *window == 0 || *cpus == 0) return std::nullopt;
  const auto unseen = noise::figure(run.counters, noise::kUnknownThere);
  return static_cast<double>(there.value_or(*others) + unseen.value_or(0)) /
         (static_cast<double>(*window) * static_cast<double>(*cpus));
}

struct SideNoise {
  unsigned noisy = 0, all = 0;  // runs
  std::set<std::string> codes;
  std::vector<double> loads;   // of the runs that know it
  std::optional<double> load;  // their median

  [[nodiscard]] double share() const {
    return all == 0 ? 0 : static_cast<double>(noisy) / static_cast<double>(all);
  }
};

SideNoise noise_of(const RunList& runs) {
  SideNoise noise;
  noise.all = static_cast<unsigned>(runs.size());
  for (const ComparedRun* run : runs) {
    if (is_noisy(*run)) ++noise.noisy;
    for (const std::string& code : run->flags) {
      if (noise::is_flag(code)) noise.codes.insert(code);
    }
  }
  for (const ComparedRun* run : runs) {
    if (const auto load = load_of_others(*run)) noise.loads.push_back(*load);
  }
  if (!noise.loads.empty()) noise.load = median(noise.loads);
  return noise;
}

// How often chance makes the flagged runs at least so uneven: Fisher's exact test, twice the smaller tail.
double chance_of_flags(const SideNoise& a, const SideNoise& b) {
  if (a.all == 0 || b.all == 0) return 1;
  const boost::math::hypergeometric noisy_of_a(a.noisy + b.noisy, a.all, a.all + b.all);
  const double at_most = cdf(noisy_of_a, a.noisy);
  const double less = a.noisy == support(noisy_of_a).first ? 0 : cdf(noisy_of_a, a.noisy - 1);
  return std::min(1.0, 2 * std::min(at_most, 1 - less));
}

bool differ(const SideNoise& a, const SideNoise& b) {
  if (std::abs(a.share() - b.share()) > kMostUnevenFlags && chance_of_flags(a, b) < kLeastChance) return true;
  const auto log_left = [](const SideNoise& side) { return std::log1p(-std::min(*side.load, 1.0)); };
  return a.load && b.load && std::abs(log_left(a) - log_left(b)) > kMostUnevenLoad &&
         mann_whitney(a.loads, b.loads).p < kLeastChance;
}

std::string words(const SideNoise& side, std::string_view name) {
  std::string text = fmt::format("{} of {} runs of {} are flagged", side.noisy, side.all, name);
  if (!side.codes.empty()) text += fmt::format(" ({})", listed(side.codes));
  if (side.load) text += fmt::format(", others took {:.1f} % of its CPUs", 100 * *side.load);
  return text;
}

std::string of_both(const SideNoise& a, const SideNoise& b) {
  return fmt::format("{}; {}", words(a, "A"), words(b, "B"));
}

void note_unknown_load(const FigureRuns& runs, Caveats& caveats) {
  const auto known = [](const ComparedRun* run) {
    return noise::figure(run->counters, noise::kOthers).has_value();
  };
  const auto with = std::ranges::count_if(runs.a, known) + std::ranges::count_if(runs.b, known);
  const auto all = static_cast<std::ptrdiff_t>(runs.a.size() + runs.b.size());
  if (with == 0 || with == all) return;
  caveats.add(Gravity::weakens,
              fmt::format("Of {} of {} runs it is not known what other processes took: it is in their CPU "
                          "time.",
                          all - with, all));
}

}  // namespace

std::uint64_t own_cpu_ns(std::uint64_t busy_ns, const std::vector<CounterDelta>& counters) {
  const auto steal = noise::figure(counters, noise::kSteal);
  const auto others = noise::figure(counters, noise::kOthers);
  const auto unseen = noise::figure(counters, noise::kUnknown);
  const std::uint64_t awake = busy_ns - std::min(busy_ns, steal.value_or(0));
  if (!others || busy_ns == 0) return awake;
  const double ran = static_cast<double>(awake) / static_cast<double>(busy_ns);
  const auto foreign = static_cast<std::uint64_t>(static_cast<double>(*others + unseen.value_or(0)) * ran) +
                       noise::figure(counters, noise::kNetperfd).value_or(0);
  return awake - std::min(awake, foreign);
}

std::optional<std::uint64_t> counted_cpu_ns(std::uint64_t busy_ns,
                                            const std::vector<CounterDelta>& counters) {
  const auto uncounted_busy = noise::figure(counters, noise::kUncountedBusy);
  if (!uncounted_busy) return std::nullopt;
  constexpr std::pair<std::string_view, std::string_view> kParts[] = {
      {noise::kSteal, noise::kUncountedSteal},
      {noise::kOthers, noise::kUncountedOthers},
      {noise::kNetperfd, noise::kUncountedNetperfd}};
  std::vector<CounterDelta> counted;
  for (const auto& [of_all, of_uncounted] : kParts) {
    const auto all = noise::figure(counters, of_all), uncounted = noise::figure(counters, of_uncounted);
    if (!all) continue;
    if (!uncounted) return std::nullopt;
    counted.push_back(noise::counter_of(of_all, *all - std::min(*all, *uncounted), "ns"));
  }
  // When tasks ran that netperfd does not see, it does not see either: they are taken to run evenly.
  if (const auto unseen = noise::figure(counters, noise::kUnknown)) {
    const auto window = noise::figure(counters, noise::kWindow).value_or(0);
    const auto apart = std::min(noise::figure(counters, noise::kUncountedWindow).value_or(0), window);
    const double share = window > 0 ? static_cast<double>(window - apart) / static_cast<double>(window) : 1;
    counted.push_back(noise::counter_of(
        noise::kUnknown, static_cast<std::uint64_t>(share * static_cast<double>(*unseen)), "ns"));
  }
  return own_cpu_ns(busy_ns - std::min(busy_ns, *uncounted_busy), counted);
}

bool is_noisy(const ComparedRun& run) {
  return std::ranges::any_of(run.flags, noise::is_flag);
}

FigureRuns quiet_runs(const FigureRuns& runs) {
  const auto in_block = [](const ComparedRun* run) { return run->block != 0; };
  const bool blocks = std::ranges::all_of(runs.a, in_block) && std::ranges::all_of(runs.b, in_block);
  std::set<std::pair<JobId, std::uint32_t>> noisy;
  for (const RunList* side : {&runs.a, &runs.b}) {
    for (const ComparedRun* run : *side) {
      if (is_noisy(*run)) noisy.insert({run->job, run->block});
    }
  }
  FigureRuns quiet = runs;
  const auto leaves = [&](const ComparedRun* run) {
    return blocks ? noisy.contains({run->job, run->block}) : is_noisy(*run);
  };
  std::erase_if(quiet.a, leaves);
  std::erase_if(quiet.b, leaves);
  return quiet;
}

namespace {

// Whether a workload makes less of it, in proportion at most, if it gets less of its CPUs. A latency has no
// such bound.
bool is_rate(const FigureResult& result) {
  return result.better == Better::higher &&
         (result.unit.ends_with("per_second") || result.unit.ends_with("/s"));
}

// Whether of all these runs the load of others is known, and no other noise was flagged.
bool knows_load(const SideNoise& side) {
  return side.all > 0 && side.loads.size() == side.all &&
         std::ranges::all_of(side.loads, [](double load) { return load < 1; }) &&
         std::ranges::all_of(side.codes, [](const std::string& code) {
           return code == noise::kForeignLoad || code == noise::kUnknownLoad;
         });
}

double mean_left(const SideNoise& side) {
  return 1 - std::accumulate(side.loads.begin(), side.loads.end(), 0.0) / side.all;
}

// `effect` of these runs if the figure of each were multiplied by what others left it of its CPUs, to this
// power.
RatioEstimate scaled(const Grouping& grouping, const Figure& figure, RatioEstimate effect, double level,
                     double power) {
  const FigureOf of(figure);
  const auto log = [&](const ComparedRun& run) -> std::optional<double> {
    const auto value = of.log(run), load = load_of_others(run);
    if (!value || !load) return std::nullopt;
    return *value + power * std::log1p(-*load);
  };
  const Location location =
      shift_of(grouping, values_of(grouping.a(), log), values_of(grouping.b(), log), level);
  effect.ratio = std::exp(location.estimate);
  effect.low.reset();
  effect.high.reset();
  if (location.interval) {
    effect.low = std::exp(location.interval->low);
    effect.high = std::exp(location.interval->high);
  }
  return effect;
}

// What the noise leaves of a verdict.
struct Remains {
  std::string why;          // a sentence
  std::string reason = {};  // FigureResult::reason; empty: the verdict holds
};

Remains remains_of(const GatedFigure& judged) {
  const FigureRuns& runs = judged.runs;
  const Figure& figure = judged.figure;
  const FigureResult& result = judged.result;
  const double level = level_of_each(judged.settings.level, judged.settings.figures.size());
  const FigureRuns quiet = quiet_runs(runs);
  const RatioEstimate effect = figure_effect(Grouping(quiet.a, quiet.b), figure, result.threshold, level);
  const auto verdict_of_these = [&](const RatioEstimate& these) {
    return these.ratio ? resolved_verdict(these, result.threshold, result.better, judged.resolution)
                       : Verdict::too_few;
  };
  const Verdict verdict = verdict_of_these(effect);
  const bool too_few = verdict == Verdict::too_few;
  const FigureRuns& bounded = too_few ? runs : quiet;
  const SideNoise a = noise_of(bounded.a), b = noise_of(bounded.b);
  if (is_rate(result) && knows_load(a) && knows_load(b) &&
      (too_few || (verdict == result.verdict && differ(a, b)))) {
    const Grouping grouping(bounded.a, bounded.b);
    const RatioEstimate measured = too_few ? result.effect : effect;
    bool holds = true;
    double most = 1;
    for (const double power : {-1.0, 1.0}) {
      const RatioEstimate other = scaled(grouping, figure, measured, level, power);
      holds = holds && verdict_of_these(other) == result.verdict;
      const double apart = *other.ratio / *measured.ratio;
      most = std::max({most, apart, 1 / apart});
    }
    const std::string left =
        fmt::format("others left the workload {:.1f} % of its CPUs in A and {:.1f} % in B",
                    100 * mean_left(a), 100 * mean_left(b));
    const std::string percent = fmt::format("{:.0f} %", 100 * (most - 1));
    if (holds)
      return {.why =
                  fmt::format("The verdict holds beyond the {} that this can have made: {}.", percent, left)};
    return {.why = fmt::format("Up to {} can be noise: {}.", percent, left),
            .reason = fmt::format("could be noise, up to {}: {}; measure again while nothing else runs",
                                  percent, left)};
  }
  const std::string without = fmt::format("ithout the {} runs of flagged blocks",
                                          runs.a.size() + runs.b.size() - quiet.a.size() - quiet.b.size());
  if (verdict == result.verdict) return {.why = fmt::format("W{} the verdict is the same.", without)};
  return {.why = fmt::format("W{} the verdict is {}.", without, to_string(verdict)),
          .reason = fmt::format(
              "the sides differ in the noise of the host, and w{} the verdict is {}; measure again "
              "while nothing else runs",
              without, to_string(verdict))};
}

}  // namespace

Objection uneven_noise(const GatedFigure& judged) {
  Caveats& caveats = judged.caveats;
  note_unknown_load(judged.runs, caveats);
  const SideNoise a = noise_of(judged.runs.a), b = noise_of(judged.runs.b);
  if (!differ(a, b)) {
    if (a.noisy + b.noisy > 0)
      caveats.add(
          Gravity::told,
          fmt::format("The host was noisy, on neither side more than chance explains: {}.", of_both(a, b)));
    return {};
  }
  const std::string found = fmt::format("The sides differ in the noise of the host: {}.", of_both(a, b));
  const Verdict verdict = judged.result.verdict;
  if (!is_decided(verdict)) {
    caveats.add(Gravity::weakens, found);
    return {};
  }
  const Remains remains = remains_of(judged);
  const std::string sentence = fmt::format("{} {}", found, remains.why);
  if (remains.reason.empty()) {
    caveats.add(Gravity::weakens, sentence);
    return {};
  }
  if (judged.settings.despite) return {.sentences = {sentence}};
  return {.sentences = {fmt::format("No verdict: it was {}. {}", to_string(verdict), sentence)},
          .reason = remains.reason};
}

}  // namespace netperfd::analysis
