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
#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/analysis/compare/run_planner.hpp"
#include "daemon/core/comparison/plan_samples.hpp"
#include "daemon/core/comparison/run_comparison.hpp"
#include "daemon/core/comparison/run_selection.hpp"
#include "daemon/model/figure_check.hpp"
#include "daemon/model/wording.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::core {
namespace {

constexpr double kLeastPower = 0.05;  // below this the planner's formula is invalid
constexpr double kMostPower = 0.999;
constexpr std::uint32_t kMostRepeat = 100'000;
// As for the key `until.most`, and as many blocks of two runs a side as a comparison can have.
constexpr std::uint32_t kFewestUntil = 6;
constexpr std::uint32_t kMostUntil = kSelectedRuns / 2;

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
    const std::uint32_t last_block = of_job.back().slot.block;
    const auto of_last =
        std::ranges::find(of_job, last_block, [](const SelectedRun& run) { return run.slot.block; });
    const std::uint32_t steps = last_block - first.slot.block;
    pace.add(first, steps > 0 ? *of_last : of_job.back(), steps);
  }
  return pace.each();
}

// Runs of one scenario may have measured different tests, whose keys were overridden. How another test
// spreads says nothing of this one, and neither does the same test on another host.
Status keep_like(RunQueries& queries, JobId like, std::vector<SelectedRun>& runs) {
  const auto wanted = queries.test_of_job(like);
  if (!wanted) return std::unexpected(wanted.error());
  std::map<JobId, bool> is_like;
  for (const SelectedRun& run : runs) {
    const auto [known, is_new] = is_like.try_emplace(run.job, false);
    if (!is_new) continue;
    const auto test = queries.test_of_job(run.job);
    if (!test) return std::unexpected(test.error());
    known->second = !run.imported && !test->empty() && *test == *wanted;
  }
  std::erase_if(runs, [&](const SelectedRun& run) { return !is_like.at(run.job); });
  if (!runs.empty()) return {};
  return fail(ErrorKind::not_found, fmt::format("like_job: no such run measured what job {} measures", like));
}

Result<std::vector<SelectedRun>> runs_of_one_scenario(RunQueries& queries, const PlanRequest& request) {
  const std::string& text = request.runs;
  const auto selection = parse_selection(text, request.caller);
  if (!selection) return std::unexpected(selection.error());
  auto runs = resolve(queries, *selection);
  if (!runs) return runs;
  if (request.like_job) {
    if (auto kept = keep_like(queries, *request.like_job, *runs); !kept)
      return std::unexpected(std::move(kept.error()));
  }
  const std::string& scenario = runs->front().scenario;
  const auto other =
      std::ranges::find_if(*runs, [&](const SelectedRun& run) { return run.scenario != scenario; });
  if (other == runs->end()) return runs;
  return invalid(fmt::format(
      "{}: these runs are of several scenarios, {} and {}, and how they spread is that of neither",
      in_quotes(text), in_quotes(scenario), in_quotes(other->scenario)));
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

// What is to be found of which figure.
struct Aim {
  Figure figure = {};
  double threshold = 0, effect = 0;
  bool is_declared = false;  // by the job
};

Aim aim_of(const PlanRequest& request, const std::vector<FigureChoice>& declared) {
  Aim aim;
  if (request.figure) {
    aim.figure = *request.figure;
  } else if (!declared.empty()) {
    aim.figure = declared.front().figure;
  }
  const auto choice = std::ranges::find(declared, aim.figure, &FigureChoice::figure);
  aim.is_declared = choice != declared.end();
  aim.threshold = analysis::ComparisonSettings{}.threshold;
  if (aim.is_declared) aim.threshold = choice->threshold.value_or(aim.threshold);
  aim.threshold = request.threshold.value_or(aim.threshold);
  aim.effect = request.effect.value_or(2 * aim.threshold);
  return aim;
}

Status choose_figure(RunQueries& queries, JobId job, const PlanRequest& request, RunPlan& plan) {
  auto declared = queries.figures_of_job(job);
  if (!declared) return std::unexpected(std::move(declared.error()));
  Aim aim = aim_of(request, *declared);
  plan.figure = std::move(aim.figure);
  plan.threshold = aim.threshold;
  plan.effect = aim.effect;
  if (!aim.is_declared) return {};
  plan.level = analysis::level_of_each(plan.level, declared->size());
  plan.together = std::move(*declared);
  return {};
}

// Absent: no such job is asked for, and the one of the runs is none.
Result<std::optional<RunPlan::Until>> until_of(RunQueries& queries, JobId job, const PlanRequest& request,
                                               const RunPlan& plan, std::optional<double> block_seconds) {
  auto most = request.until_most;
  if (!most) {
    auto stored = queries.until_of_job(job);
    if (!stored) return std::unexpected(std::move(stored.error()));
    most = *stored;
    if (plan.pairing != Pairing::blocks || !most || *most < kFewestUntil || *most > kMostUntil)
      return std::nullopt;
  } else if (plan.pairing != Pairing::blocks) {
    return invalid(fmt::format("until_most: {} counts blocks, and these runs are planned in {}", *most,
                               to_string(plan.pairing)));
  }
  analysis::CourseQuestion question{.sd = plan.sd,
                                    .effect = std::log1p(plan.effect),
                                    .threshold = plan.threshold,
                                    .most = *most,
                                    .figures = std::max<std::size_t>(plan.together.size(), 1)};
  RunPlan::Until until{
      .most = *most, .different = course_of(question), .same = {}, .block_seconds = block_seconds};
  question.effect = 0;
  until.same = course_of(question);
  return until;
}

std::string too_few_samples(const PlanSamples& samples, const analysis::FigureOf& figure,
                            const PlanRequest& request) {
  return fmt::format("{}: {} {} with a {}; how much they spread takes {}{} to know", in_quotes(request.runs),
                     samples.values.size(), noun_of(samples.pairing),
                     figure.words() != nullptr ? std::string{figure.words()->name} : "known " + figure.name(),
                     kFewestSamples, samples.pairing == Pairing::boots ? " a side" : "");
}

// Blocks, or runs of each side.
void count_needed(RunPlan& plan, bool blocks) {
  analysis::PowerQuestion question{
      .sd = plan.sd, .effect = std::log1p(plan.effect), .level = plan.level, .power = plan.power};
  plan.needed_for_equivalence =
      blocks ? analysis::blocks_for_equivalence(question) : analysis::runs_a_side_for_equivalence(question);
  question.effect -= std::log1p(plan.threshold);
  if (plan.effect > plan.threshold)
    plan.needed = blocks ? analysis::blocks(question) : analysis::runs_a_side(question);
}

}  // namespace

Status check_plan_request(const PlanRequest& request) {
  if (request.effect && !(*request.effect > 0 && *request.effect <= 1)) {
    return invalid(fmt::format("effect: {} is no share above 0 and at most 1, such as 0.02",
                               rows::plain_number(*request.effect, 6)));
  }
  if (request.threshold && !(*request.threshold > 0 && *request.threshold < 1)) {
    return invalid(fmt::format("threshold: {} is no share between 0 and 1, such as 0.01",
                               rows::plain_number(*request.threshold, 6)));
  }
  if (!(request.power >= kLeastPower && request.power <= kMostPower)) {
    return invalid(fmt::format("power: {} is no share of at least {} and at most {}, such as 0.8",
                               rows::plain_number(request.power, 6), kLeastPower, kMostPower));
  }
  if (request.repeat && (*request.repeat == 0 || *request.repeat > kMostRepeat)) {
    return invalid(fmt::format("repeat: {}; expected is 1 to {}", *request.repeat, kMostRepeat));
  }
  if (request.until_most && (*request.until_most < kFewestUntil || *request.until_most > kMostUntil)) {
    return invalid(
        fmt::format("until_most: {}; expected is {} to {}", *request.until_most, kFewestUntil, kMostUntil));
  }
  return {};
}

Status check_plan_of(const PlanRequest& request, const JobSpec& pilot) {
  if (auto checked = check_plan_request(request); !checked) return checked;
  const Aim aim = aim_of(request, pilot.figures);
  const std::string name = to_string(aim.figure);
  const MeasuredByJob measured = measured_by(pilot);
  if (const std::string why = why_not_measured(aim.figure, measured); !why.empty()) {
    return invalid(is_own(aim.figure) ? no_such_figure(name, measured.own)
                                      : fmt::format("figure: {} {}", in_quotes(name), why));
  }
  if (aim.effect > aim.threshold) return {};
  return invalid(
      fmt::format("effect: a difference of {} % is not above the threshold of {} %, so no number of runs "
                  "shows it to be that. Plan for a larger `effect` (--effect), or set a smaller `threshold` "
                  "(--threshold), here or of {} in the job's key `figures`",
                  rows::plain_number(100 * aim.effect, 6), rows::plain_number(100 * aim.threshold, 6), name));
}

Result<RunPlan> plan_runs(RunQueries& queries, const PlanRequest& request) {
  if (auto checked = check_plan_request(request); !checked)
    return std::unexpected(std::move(checked.error()));
  auto runs = runs_of_one_scenario(queries, request);
  if (!runs) return std::unexpected(runs.error());
  std::vector<RunId> ids;
  for (const SelectedRun& run : *runs) ids.push_back(run.id);
  RunPlan plan;
  if (auto asked = choose_figure(queries, runs->back().job, request, plan); !asked)
    return std::unexpected(std::move(asked.error()));
  std::set<std::uint32_t> points;
  for (const SelectedRun& run : *runs) points.insert(run.slot.point);
  plan.level = analysis::level_of_each(plan.level, points.size());
  if (request.until_most && points.size() > 1)
    return invalid("until_most: a sweep measures a fixed number of blocks");
  const analysis::FigureOf figure(plan.figure);
  const auto compared = runs_with_figures(queries, ids, ComparedParts::throughput, {{.figure = plan.figure}});
  if (!compared) return std::unexpected(compared.error());
  if (auto there = expect_own_figures({{.figure = plan.figure}}, *compared, {}); !there)
    return std::unexpected(std::move(there.error()));
  std::set<BlockKey> whole;
  const PlanSamples samples = samples_of_points(*runs, *compared, figure, whole);
  const bool units =
      samples.pairing == Pairing::boots_of_blocks || samples.pairing == Pairing::builds_of_blocks;
  const bool blocks = samples.pairing == Pairing::blocks || units;
  if (!samples.sd || !samples.are_enough) return invalid(too_few_samples(samples, figure, request));
  plan.pairing = samples.pairing;
  plan.samples = static_cast<std::uint32_t>(samples.values.size());
  plan.sd = *samples.sd;
  plan.power = request.power;
  count_needed(plan, blocks);
  if (blocks) {
    std::erase_if(*runs, [&](const SelectedRun& run) { return !whole.contains({run.job, run.slot.block}); });
  }
  if (units) plan.blocks_each = static_cast<std::uint32_t>(whole.size() / samples.values.size());
  const auto known_step = seconds_a_step(queries, *runs, plan);
  if (!known_step) return std::unexpected(known_step.error());
  const std::optional<double>& step = *known_step;
  if (step && plan.needed) plan.seconds = *step * *plan.needed;
  auto until = until_of(queries, runs->back().job, request, plan, step);
  if (!until) return std::unexpected(std::move(until.error()));
  plan.until = *until;
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
