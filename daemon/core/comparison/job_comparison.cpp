// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/comparison/job_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/looks.hpp"
#include "daemon/analysis/compare/traced_account.hpp"
#include "daemon/core/comparison/run_selection.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::core {
namespace {

struct JobSides {
  std::vector<SelectedRun> a, b;  // only finished ones
  std::uint32_t failed_a = 0, failed_b = 0;
};

SelectedRun selected(const RunRow& run) {
  const bool from_bundle =
      std::ranges::any_of(run.flags, [](const QualityFlag& flag) { return flag.code == kFromBundle; });
  return {.id = run.id,
          .job = run.job,
          .scenario = run.spec.name,
          .label = run.spec.label,
          .slot = run.slot,
          .started = run.started,
          .ended = run.ended,
          .imported = from_bundle ? std::optional{run.created} : std::nullopt,
          .owner = run.owner};
}

// A run whose trace was skipped is neither plain, since it was drawn as traced, nor traced.
bool is_as_drawn(const RunRow& run) {
  return !run.trace || run.trace->skipped.empty();
}

JobSides sides_of(const std::vector<RunRow>& runs, bool variants) {
  JobSides sides;
  for (const RunRow& run : runs) {
    if (!variants && !is_as_drawn(run)) continue;
    const bool of_a = variants ? run.slot.variant == 'A' : !run.slot.traced;
    if (run.state == RunState::finished) (of_a ? sides.a : sides.b).push_back(selected(run));
    if (run.state == RunState::failed) ++(of_a ? sides.failed_a : sides.failed_b);
  }
  return sides;
}

// `runs` may have any state.
bool has_sides(const std::vector<RunRow>& runs, const std::optional<Design>& design) {
  if (!design) return false;
  if (design->has_variants()) return true;
  bool plain = false;
  bool traced = false;
  for (const RunRow& run : runs) (run.slot.traced ? traced : plain) = true;
  return plain && traced;
}

Status expect_runs(JobId job, const char* side, const std::string& name,
                   const std::vector<SelectedRun>& runs) {
  if (runs.empty()) {
    return fail(ErrorKind::not_found,
                fmt::format("job {}: side {}, {}, has no finished run", job, side, in_quotes(name)));
  }
  if (runs.size() <= kSelectedRuns) return {};
  return fail(ErrorKind::invalid_argument,
              fmt::format("job {}: side {} has {} runs; at most {} can be compared", job, side, runs.size(),
                          kSelectedRuns));
}

// What the job that is confirmed found in the functions of this one.
void add_first(const std::vector<FunctionDelta>& first, std::vector<FunctionDelta>& functions) {
  for (FunctionDelta& function : functions) {
    const auto same = std::ranges::find_if(first, [&](const FunctionDelta& each) {
      return each.traced && function.traced && each.name == function.name && each.module == function.module &&
             each.duplicate == function.duplicate;
    });
    if (same == first.end()) continue;
    function.first = same->cost;
    ShiftEstimate FunctionDelta::* const shown =
        same->shown_by == FunctionFigure::call_time ? &FunctionDelta::call_time
        : same->shown_by == FunctionFigure::calls   ? &FunctionDelta::calls
                                                    : &FunctionDelta::cost;
    function.agrees = analysis::agree((*same).*shown, function.*shown);
  }
}

// The looks are those at the figures that the job declares, whatever figures are compared now.
Status share_level(RunQueries& queries, JobId job, const std::vector<RunRow>& runs,
                   analysis::ComparisonSettings& settings) {
  const JobSpec& spec = runs.front().spec;
  if (!spec.until_decided) return {};
  const auto declared = queries.figures_of_job(job);
  if (!declared) return std::unexpected(declared.error());
  const std::size_t figures = std::max<std::size_t>(declared->size(), 1);
  settings.looked = {.looks = analysis::looks_of(spec.repeat, figures, settings.level),
                     .blocks = ended_blocks(runs)};
  settings.level = settings.looked->looks.level;
  return {};
}

// Keeps those of the point that is asked for, at the level that all points share: it may have been chosen for
// what it shows.
Status keep_point(JobId job, std::vector<RunRow>& runs, analysis::ComparisonSettings& settings) {
  const auto points = std::ranges::max(runs, {}, [](const RunRow& run) { return run.slot.point; }).slot.point;
  if (points == 0 && !settings.point) return {};
  if (points == 0)
    return fail(ErrorKind::invalid_argument,
                fmt::format("job {}: it is no sweep, and so has no points", job));
  if (!settings.point) {
    return fail(
        ErrorKind::invalid_argument,
        fmt::format("job {}: it is a sweep of {} points, which are compared one by one", job, points));
  }
  std::erase_if(runs, [&](const RunRow& run) { return run.slot.point != *settings.point; });
  if (runs.empty())
    return fail(ErrorKind::not_found, fmt::format("job {}: it has no point {}", job, *settings.point));
  settings.level = analysis::level_of_each(settings.level, points);
  return {};
}

}  // namespace

Result<ComparedSelections> compare_own_sides(RunQueries& queries, JobId job, const std::vector<RunRow>& runs,
                                             const analysis::ComparisonSettings& settings,
                                             const Comparer& comparer, ComparedParts wanted) {
  const std::optional<Design>& design = runs.front().spec.design;
  if (!has_sides(runs, design)) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("job {}: it has no design with two sides; compare two selections of runs", job));
  }
  const bool variants = design->has_variants();
  const JobSides sides = sides_of(runs, variants);
  auto enough = expect_runs(job, "A", variants ? design->a->name : "plain", sides.a);
  if (enough) enough = expect_runs(job, "B", variants ? design->b->name : "traced", sides.b);
  if (!enough) return std::unexpected(std::move(enough.error()));
  analysis::ComparisonSettings declared = settings;
  if (declared.changed.empty()) {
    declared.changed = variants ? design->changed : std::vector<std::string>{"trace"};
  }
  declared.failed_a = sides.failed_a;
  declared.failed_b = sides.failed_b;
  if (auto shared = share_level(queries, job, runs, declared); !shared)
    return std::unexpected(std::move(shared.error()));
  return compare_runs(queries, sides.a, sides.b, declared, comparer, runs.front().spec.purpose, wanted);
}

std::uint32_t ended_blocks(const std::vector<RunRow>& runs) {
  std::uint32_t last = 0;
  std::uint32_t first_to_come = std::numeric_limits<std::uint32_t>::max();
  for (const RunRow& run : runs) {
    last = std::max(last, run.slot.block);
    if (!has_ended(run.state) || run.state == RunState::canceled)
      first_to_come = std::min(first_to_come, run.slot.block);
  }
  return std::min(last, first_to_come - 1);
}

Result<Comparison> StoredJobJudge::judge(JobId job) {
  const auto runs = queries_.runs_of_job(job);
  if (!runs) return std::unexpected(runs.error());
  analysis::ComparisonSettings settings;
  settings.figures.clear();
  const auto of_job = with_figures(queries_, std::move(settings), {job});
  if (!of_job) return std::unexpected(of_job.error());
  auto compared = compare_own_sides(queries_, job, *runs, *of_job, &analysis::compare, ComparedParts::judged);
  if (!compared) return std::unexpected(std::move(compared.error()));
  return std::move(compared->comparison);
}

Result<ComparedSelections> compare_job(RunQueries& queries, JobId job,
                                       const analysis::ComparisonSettings& settings,
                                       const Comparer& comparer) {
  if (auto known = check_changed(settings.changed); !known) return std::unexpected(std::move(known.error()));
  auto runs = queries.runs_of_job(job);
  if (!runs) return std::unexpected(runs.error());
  auto of_job = with_figures(queries, settings, {job});
  if (!of_job) return std::unexpected(of_job.error());
  if (auto kept = keep_point(job, *runs, *of_job); !kept) return std::unexpected(std::move(kept.error()));
  auto compared = compare_own_sides(queries, job, *runs, *of_job, comparer);
  const auto first = runs->front().spec.confirms;
  if (!compared || !first) return compared;
  // If the first job cannot be compared any more, this one still can.
  const auto runs_of_first = queries.runs_of_job(*first);
  if (!runs_of_first) return compared;
  const auto found = compare_own_sides(queries, *first, *runs_of_first, *of_job, comparer);
  if (!found) return compared;
  compared->confirms = first;
  add_first(found->comparison.attribution.functions, compared->comparison.attribution.functions);
  return compared;
}

}  // namespace netperfd::core
