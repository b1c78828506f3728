// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/comparison/sweep_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/analysis/compare/sweep_trend.hpp"
#include "daemon/core/comparison/job_comparison.hpp"

namespace netperfd::core {
namespace {

using Points = std::map<std::uint32_t, std::vector<RunRow>>;

// "streams" and "4" of each part of "streams=4, length=512".
std::vector<std::pair<std::string, std::string>> parts_of(std::string_view name) {
  constexpr std::string_view kComma = ", ";
  std::vector<std::pair<std::string, std::string>> parts;
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find(kComma));
    const auto equals = std::min(part.find('='), part.size());
    parts.emplace_back(part.substr(0, equals), part.substr(std::min(equals + 1, part.size())));
    name.remove_prefix(std::min(part.size() + kComma.size(), name.size()));
  }
  return parts;
}

Result<Points> points_of(JobId job, std::vector<RunRow> runs) {
  Points points;
  for (RunRow& run : runs) points[run.slot.point].push_back(std::move(run));
  if (!points.contains(0)) return points;
  return fail(
      ErrorKind::invalid_argument,
      fmt::format("job {}: it is no sweep; `netperfctl compare job:{}` compares its sides", job, job));
}

// An error of the runs themselves is that of the point alone.
bool is_of_point(const Error& error) {
  return error.kind == ErrorKind::not_found || error.kind == ErrorKind::invalid_argument;
}

void take(ComparedSelections compared, ComparedPoint& point) {
  Comparison& comparison = compared.comparison;
  point.runs_a = static_cast<std::uint32_t>(comparison.a.size());
  point.runs_b = static_cast<std::uint32_t>(comparison.b.size());
  point.verdict = comparison.verdict;
  point.figures = std::move(comparison.figures);
  if (!comparison.caveats.empty()) point.caveat = std::move(comparison.caveats.front());
}

// What a trend is taken from.
Result<analysis::PointRuns> runs_of_trend(RunQueries& queries, const std::vector<RunRow>& runs,
                                          std::vector<std::string> values,
                                          const std::vector<analysis::ComparedFigure>& figures) {
  std::vector<RunId> a, b;
  for (const RunRow& run : runs) {
    if (run.state == RunState::finished) (run.slot.variant == 'A' ? a : b).push_back(run.id);
  }
  auto runs_a = runs_with_figures(queries, a, ComparedParts::throughput, figures);
  if (!runs_a) return std::unexpected(std::move(runs_a.error()));
  auto runs_b = runs_with_figures(queries, b, ComparedParts::throughput, figures);
  if (!runs_b) return std::unexpected(std::move(runs_b.error()));
  analysis::use_one_part(*runs_a, *runs_b);
  return analysis::PointRuns{.values = std::move(values), .a = std::move(*runs_a), .b = std::move(*runs_b)};
}

}  // namespace

Result<SweepComparison> compare_sweep(RunQueries& queries, JobId job,
                                      const analysis::ComparisonSettings& settings,
                                      const Comparer& comparer) {
  if (auto known = check_changed(settings.changed); !known) return std::unexpected(std::move(known.error()));
  auto runs = queries.runs_of_job(job);
  if (!runs) return std::unexpected(std::move(runs.error()));
  const auto of_job = with_figures(queries, settings, {job});
  if (!of_job) return std::unexpected(of_job.error());
  const auto points = points_of(job, std::move(*runs));
  if (!points) return std::unexpected(points.error());
  analysis::ComparisonSettings of_point = *of_job;
  of_point.level = analysis::level_of_each(settings.level, points->size());

  SweepComparison sweep;
  sweep.level = settings.level;
  sweep.tests = static_cast<std::uint32_t>(points->size() * of_job->figures.size());
  sweep.fewest = analysis::fewest_for_signed_rank(analysis::level_of_each(settings.level, sweep.tests));
  std::vector<analysis::PointRuns> trended;
  for (const auto& [number, runs_of_point] : *points) {
    const RunRow& first = runs_of_point.front();
    ComparedPoint& point = sweep.points.emplace_back();
    point.point = number;
    point.name = first.point_name;
    std::vector<std::string> axes;
    for (auto& [key, value] : parts_of(point.name)) {
      axes.push_back(std::move(key));
      point.values.push_back(std::move(value));
    }
    if (sweep.points.size() == 1) sweep.axes = axes;
    if (axes != sweep.axes) point.values.clear();  // of a bundle that somebody made up
    auto compared = compare_own_sides(queries, job, runs_of_point, of_point, comparer, ComparedParts::judged);
    if (!compared && !is_of_point(compared.error())) return std::unexpected(std::move(compared.error()));
    if (!compared) {
      point.caveat = std::move(compared.error().message);
      continue;
    }
    sweep.name_a = first.spec.design->a->name;
    sweep.name_b = first.spec.design->b->name;
    take(std::move(*compared), point);
    auto of_trend = runs_of_trend(queries, runs_of_point, point.values, of_job->figures);
    if (!of_trend) return std::unexpected(std::move(of_trend.error()));
    trended.push_back(std::move(*of_trend));
  }
  sweep.trends = analysis::sweep_trends(sweep.axes, trended, of_job->figures, settings.level);
  return sweep;
}

}  // namespace netperfd::core
