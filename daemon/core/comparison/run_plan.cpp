// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/comparison/run_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/figure_effect.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/analysis/compare/run_planner.hpp"
#include "daemon/core/comparison/run_comparison.hpp"
#include "daemon/core/comparison/run_selection.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::core {
namespace {

constexpr std::size_t kFewestSamples = 3;
constexpr double kLeastPower = 0.05;  // below this the planner's formula is invalid
constexpr double kMostPower = 0.999;
constexpr std::uint32_t kMostRepeat = 100'000;

// ---- Duration of runs -------------------------------------------------------------------------------------

// Adds up measured times, so that the jobs of a selection count by their length.
class Pace {
 public:
  // The time from the start of `first` to the start of `last`, including the time between runs. If there is
  // only one step, its own duration.
  void add(const SelectedRun& first, const SelectedRun& last, double steps) {
    if (steps > 0) {
      add(first.started, last.started, steps);
    } else {
      add(first.started, last.ended, 1);
    }
  }
  // Seconds per step.
  [[nodiscard]] std::optional<double> each() const {
    if (!(seconds_ > 0)) return std::nullopt;
    return seconds_ / steps_;
  }

 private:
  void add(const std::optional<WallTime>& first, const std::optional<WallTime>& last, double steps) {
    if (!first || !last) return;
    seconds_ += std::chrono::duration<double>(*last - *first).count();
    steps_ += steps;
  }

  double seconds_ = 0, steps_ = 0;
};

// `runs` are in order, one job after the other.
std::map<JobId, std::vector<SelectedRun>> by_job(const std::vector<SelectedRun>& runs) {
  std::map<JobId, std::vector<SelectedRun>> jobs;
  for (const SelectedRun& run : runs) jobs[run.job].push_back(run);
  return jobs;
}

// The runs of a job have consecutive numbers and follow one another. So the numbers give the count even if
// not all runs are selected.
std::optional<double> seconds_a_run(const std::vector<SelectedRun>& runs) {
  Pace pace;
  for (const auto& [job, of_job] : by_job(runs)) {
    pace.add(of_job.front(), of_job.back(), static_cast<double>(of_job.back().id - of_job.front().id));
  }
  return pace.each();
}

std::optional<double> seconds_a_block(const std::vector<SelectedRun>& runs) {
  Pace pace;
  for (const auto& [job, of_job] : by_job(runs)) {
    const SelectedRun& first = of_job.front();
    const std::uint32_t last_block = of_job.back().arm.block;
    const auto of_last =
        std::ranges::find(of_job, last_block, [](const SelectedRun& run) { return run.arm.block; });
    const std::uint32_t steps = last_block - first.arm.block;
    pace.add(first, steps > 0 ? *of_last : of_job.back(), steps);
  }
  return pace.each();
}

// ---- Spread of runs ---------------------------------------------------------------------------------------

Result<std::vector<SelectedRun>> runs_of_one_scenario(RunQueries& queries, const std::string& text,
                                                      uid_t caller) {
  const auto selection = parse_selection(text, caller);
  if (!selection) return std::unexpected(selection.error());
  auto runs = resolve(queries, *selection);
  if (!runs) return runs;
  const std::string& scenario = runs->front().scenario;
  const auto other =
      std::ranges::find_if(*runs, [&](const SelectedRun& run) { return run.scenario != scenario; });
  if (other == runs->end()) return runs;
  return invalid(fmt::format(
      "{}: these runs are of several scenarios, {} and {}, and how they spread is that of neither",
      in_quotes(text), in_quotes(scenario), in_quotes(other->scenario)));
}

struct Samples {
  Pairing pairing = Pairing::runs;
  std::vector<double> values;  // logarithms: differences within blocks, or of boots or runs
  std::optional<double> sd;
  bool are_enough = false;
};

Samples with_spread(Samples samples) {
  samples.sd = analysis::planning_sd(samples.values);
  samples.are_enough = samples.values.size() >= kFewestSamples;
  return samples;
}

// Of boots that have runs of one side only. The sides differ, and so may the levels of two jobs; what two
// boots of one kind differ by is their spread.
Samples samples_of_boots(const analysis::RunList& a, const analysis::RunList& b,
                         const analysis::FigureOf& figure) {
  std::map<std::pair<JobId, bool>, std::map<std::string, std::vector<double>>> kinds;
  const auto add = [&](const analysis::RunList& runs, bool of_b) {
    for (const analysis::ComparedRun* run : runs) {
      kinds[{run->job, of_b}][run->fingerprint->boot_id].push_back(*figure.log(*run));
    }
  };
  add(a, false);
  add(b, true);
  Samples samples;
  samples.pairing = Pairing::boots;
  double squares = 0;
  std::size_t freedom = 0;
  for (const auto& [kind, boots] : kinds) {
    std::vector<double> medians;
    for (const auto& [boot, values] : boots) medians.push_back(analysis::median(values));
    samples.values.insert(samples.values.end(), medians.begin(), medians.end());
    const auto sd = analysis::planning_sd(medians);
    if (!sd) continue;
    squares += *sd * *sd * static_cast<double>(medians.size() - 1);
    freedom += medians.size() - 1;
  }
  if (freedom > 0) samples.sd = std::sqrt(squares / static_cast<double>(freedom));
  samples.are_enough = freedom >= 2 * (kFewestSamples - 1);
  return samples;
}

using BlockKey = std::pair<JobId, std::uint32_t>;

// ABBA and BAAB have two runs of each side. If a block has fewer, for example because last:N cuts it, its
// difference spreads more than that of a whole block.
std::set<BlockKey> whole_blocks(const analysis::RunList& a, const analysis::RunList& b) {
  std::map<BlockKey, std::pair<int, int>> counts;
  for (const analysis::ComparedRun* run : a) ++counts[{run->job, run->block}].first;
  for (const analysis::ComparedRun* run : b) ++counts[{run->job, run->block}].second;
  std::set<BlockKey> whole;
  for (const auto& [block, count] : counts) {
    if (count.first >= 2 && count.second >= 2) whole.insert(block);
  }
  return whole;
}

// Samples from the measured runs: the plain ones, or the traced ones if none is plain. Of blocks only whole
// ones count; `whole` receives them.
Samples samples_of(const std::vector<SelectedRun>& runs, const std::vector<analysis::ComparedRun>& compared,
                   const analysis::FigureOf& figure, std::set<BlockKey>& whole) {
  const auto log = [&figure](const analysis::ComparedRun& run) { return figure.log(run); };
  const bool plain = std::ranges::any_of(
      compared, [&](const analysis::ComparedRun& run) { return figure.is_measured(run) && !run.trace; });
  analysis::RunList all, a, b;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const analysis::ComparedRun& run = compared[i];
    if (!figure.is_measured(run) || run.trace.has_value() == plain) continue;
    all.push_back(&run);
    if (runs[i].arm.variant != '\0') (runs[i].arm.variant == 'A' ? a : b).push_back(&run);
  }
  Samples samples;
  if (!a.empty() && !b.empty() && a.size() + b.size() == all.size()) {
    if (analysis::Grouping(a, b).in_blocks()) {
      whole = whole_blocks(a, b);
      const auto is_cut = [&](const analysis::ComparedRun* run) {
        return !whole.contains({run->job, run->block});
      };
      std::erase_if(a, is_cut);
      std::erase_if(b, is_cut);
      const analysis::Grouping grouping(a, b);
      samples.pairing = grouping.pairing();
      if (whole.empty()) return samples;  // none are enough
      const analysis::Samples paired =
          grouping.samples(values_of(grouping.a(), log), values_of(grouping.b(), log));
      for (std::size_t i = 0; i < paired.a.size(); ++i) samples.values.push_back(paired.b[i] - paired.a[i]);
      return with_spread(std::move(samples));
    }
    if (analysis::Grouping(a, b).boots_for_each_letter()) return samples_of_boots(a, b, figure);
  }
  for (const analysis::ComparedRun* run : all) samples.values.push_back(*figure.log(*run));
  return with_spread(std::move(samples));
}

const char* noun_of(Pairing pairing) {
  switch (pairing) {
    case Pairing::blocks:
      return "whole block(s)";
    case Pairing::boots:
      return "boot(s)";
    case Pairing::runs:
      return "run(s)";
    case Pairing::builds_of_blocks:
    case Pairing::boots_of_blocks:
      break;
  }
  return "boot(s) or pair(s) of builds with whole blocks";
}

// Of a boot that came as asked, with the notice before the next one and everything between.
Result<std::optional<double>> seconds_a_boot(RunQueries& queries, const std::vector<SelectedRun>& runs) {
  std::vector<double> seconds;
  for (const auto& [job, of_job] : by_job(runs)) {
    const auto boots = queries.boots_of_job(job);
    if (!boots) return std::unexpected(boots.error());
    for (std::size_t i = 0; i + 1 < boots->size(); ++i) {
      const BootRecord& boot = (*boots)[i];
      if (!boot.settled || !boot.failure.empty()) continue;
      seconds.push_back(std::chrono::duration<double>((*boots)[i + 1].asked - boot.asked).count());
    }
  }
  if (seconds.empty()) return std::nullopt;
  return analysis::median(std::move(seconds));
}

// What one more of what the plan counts takes: a block, or a boot or a run on each side.
Result<std::optional<double>> seconds_a_step(RunQueries& queries, const std::vector<SelectedRun>& runs,
                                             RunPlan& plan) {
  std::optional<double> step;
  switch (plan.pairing) {
    case Pairing::blocks:
      return seconds_a_block(runs);
    case Pairing::boots: {
      const auto known = seconds_a_boot(queries, runs);
      if (!known) return known;
      step = plan.boot_seconds = *known;
      break;
    }
    case Pairing::runs:
      step = seconds_a_run(runs);
      break;
    case Pairing::builds_of_blocks:
    case Pairing::boots_of_blocks:
      return std::nullopt;  // how long a boot takes is not known
  }
  if (step) *step *= 2;  // one on each side
  return step;
}

Status choose_figure(RunQueries& queries, JobId job, const PlanRequest& request, RunPlan& plan) {
  auto declared = queries.figures_of_job(job);
  if (!declared) return std::unexpected(std::move(declared.error()));
  if (request.figure) {
    plan.figure = *request.figure;
  } else if (!declared->empty()) {
    plan.figure = declared->front().figure;
  }
  plan.threshold = request.threshold.value_or(analysis::ComparisonSettings{}.threshold);
  plan.effect = request.effect.value_or(2 * plan.threshold);
  const auto choice = std::ranges::find(*declared, plan.figure, &FigureChoice::figure);
  if (choice == declared->end()) return {};
  if (!request.threshold) plan.threshold = choice->threshold.value_or(plan.threshold);
  if (!request.effect) plan.effect = 2 * plan.threshold;
  plan.level = analysis::level_of_each(plan.level, declared->size());
  plan.together = std::move(*declared);
  return {};
}

}  // namespace

Status check_plan_request(const PlanRequest& request) {
  if (request.effect && !(*request.effect > 0 && *request.effect <= 1)) {
    return invalid(
        fmt::format("effect: {} is no share above 0 and at most 1, such as 0.02", *request.effect));
  }
  if (request.threshold && !(*request.threshold > 0 && *request.threshold < 1)) {
    return invalid(
        fmt::format("threshold: {} is no share between 0 and 1, such as 0.01", *request.threshold));
  }
  if (!(request.power >= kLeastPower && request.power <= kMostPower)) {
    return invalid(fmt::format("power: {} is no share of at least {} and at most {}, such as 0.8",
                               request.power, kLeastPower, kMostPower));
  }
  if (request.repeat && (*request.repeat == 0 || *request.repeat > kMostRepeat)) {
    return invalid(fmt::format("repeat: {}; expected is 1 to {}", *request.repeat, kMostRepeat));
  }
  return {};
}

Result<RunPlan> plan_runs(RunQueries& queries, const PlanRequest& request) {
  if (auto checked = check_plan_request(request); !checked)
    return std::unexpected(std::move(checked.error()));
  auto runs = runs_of_one_scenario(queries, request.runs, request.caller);
  if (!runs) return std::unexpected(runs.error());
  std::vector<RunId> ids;
  for (const SelectedRun& run : *runs) ids.push_back(run.id);
  RunPlan plan;
  if (auto asked = choose_figure(queries, runs->back().job, request, plan); !asked)
    return std::unexpected(std::move(asked.error()));
  const analysis::FigureOf figure(plan.figure);
  const auto compared = runs_with_figures(queries, ids, ComparedParts::throughput, {{.figure = plan.figure}});
  if (!compared) return std::unexpected(compared.error());
  if (auto there = expect_own_figures({{.figure = plan.figure}}, *compared, {}); !there)
    return std::unexpected(std::move(there.error()));
  std::set<BlockKey> whole;
  const Samples samples = samples_of(*runs, *compared, figure, whole);
  const bool units =
      samples.pairing == Pairing::boots_of_blocks || samples.pairing == Pairing::builds_of_blocks;
  const bool blocks = samples.pairing == Pairing::blocks || units;
  if (!samples.sd || !samples.are_enough) {
    return invalid(
        fmt::format("{}: {} {} with a {}; how much they spread takes {}{} to know", in_quotes(request.runs),
                    samples.values.size(), noun_of(samples.pairing),
                    figure.words() != nullptr ? std::string{figure.words()->name} : "known " + figure.name(),
                    kFewestSamples, samples.pairing == Pairing::boots ? " a side" : ""));
  }

  plan.pairing = samples.pairing;
  plan.samples = static_cast<std::uint32_t>(samples.values.size());
  plan.sd = *samples.sd;
  plan.power = request.power;
  analysis::PowerQuestion question{
      .sd = plan.sd, .effect = std::log1p(plan.effect), .level = plan.level, .power = request.power};
  plan.needed_for_equivalence =
      blocks ? analysis::blocks_for_equivalence(question) : analysis::runs_a_side_for_equivalence(question);
  question.effect -= std::log1p(plan.threshold);
  if (plan.effect > plan.threshold)
    plan.needed = blocks ? analysis::blocks(question) : analysis::runs_a_side(question);
  if (blocks) {
    std::erase_if(*runs, [&](const SelectedRun& run) { return !whole.contains({run.job, run.arm.block}); });
  }
  if (units) plan.blocks_each = static_cast<std::uint32_t>(whole.size() / samples.values.size());
  const auto known_step = seconds_a_step(queries, *runs, plan);
  if (!known_step) return std::unexpected(known_step.error());
  const std::optional<double>& step = *known_step;
  if (step && plan.needed) plan.seconds = *step * *plan.needed;
  if (!request.repeat) return plan;
  if (step) plan.repeat_seconds = *step * *request.repeat;
  const auto shift = blocks
                         ? analysis::detectable_by_blocks(*request.repeat, plan.sd, plan.level, request.power)
                         : analysis::detectable_by_runs(*request.repeat, *request.repeat, plan.sd, plan.level,
                                                        request.power);
  if (shift) plan.detectable = (1 + plan.threshold) * std::exp(*shift);
  return plan;
}

}  // namespace netperfd::core
