// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/sweep_trend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "daemon/analysis/compare/figure_effect.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"

namespace netperfd::analysis {
namespace {

constexpr std::size_t kFewestPoints = 3;

using Block = std::pair<JobId, std::uint32_t>;
using BlockDifferences = std::map<Block, double>;  // of one point: log B less log A

struct Mean {
  double sum = 0;
  std::size_t count = 0;
};

BlockDifferences differences_of(const PointRuns& point, const Figure& figure) {
  const FigureOf value{figure};
  const FigureRuns runs = figure_runs(point.a, point.b, figure);
  std::map<Block, std::pair<Mean, Mean>> blocks;
  const auto add = [&](const RunList& side, Mean std::pair<Mean, Mean>::* which) {
    for (const ComparedRun* run : side) {
      const auto log = value.log(*run);
      if (!log || run->block == 0) continue;
      Mean& mean = blocks[{run->job, run->block}].*which;
      mean.sum += *log;
      ++mean.count;
    }
  };
  add(runs.a, &std::pair<Mean, Mean>::first);
  add(runs.b, &std::pair<Mean, Mean>::second);
  BlockDifferences found;
  for (const auto& [block, means] : blocks) {
    const auto& [a, b] = means;
    if (a.count > 0 && b.count > 0)
      found[block] = b.sum / static_cast<double>(b.count) - a.sum / static_cast<double>(a.count);
  }
  return found;
}

// The points of a line along an axis, by the number of its value.
using Line = std::map<double, std::size_t>;

// "length=64"; the lines along an axis are told apart by it.
std::string place_of(const std::vector<std::string>& axes, const std::vector<std::string>& values,
                     std::size_t along) {
  std::string place;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i != along) place += fmt::format("{}{}={}", place.empty() ? "" : ", ", axes[i], values[i]);
  }
  return place;
}

// In the order of the points; none if some value of the axis is no number, or stands for the same one as
// another.
std::vector<std::pair<std::string, Line>> lines_along(const std::vector<std::string>& axes,
                                                      const std::vector<PointRuns>& points,
                                                      std::size_t along) {
  std::vector<std::pair<std::string, Line>> lines;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].values.size() != axes.size()) continue;
    const auto number = number_of(points[i].values.at(along));
    if (!number) return {};
    std::string place = place_of(axes, points[i].values, along);
    auto line = std::ranges::find(lines, place, &std::pair<std::string, Line>::first);
    if (line == lines.end()) line = lines.emplace(lines.end(), std::move(place), Line{});
    if (!line->second.emplace(*number, i).second) return {};
  }
  std::erase_if(lines, [](const auto& line) { return line.second.size() < kFewestPoints; });
  return lines;
}

// What the least-squares line through values at even distances rises from the first to the last one.
double rise_of(const std::vector<double>& values) {
  const auto last = static_cast<double>(values.size() - 1);
  double above = 0, below = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double distance = static_cast<double>(i) - last / 2;
    above += distance * values[i];
    below += distance * distance;
  }
  return above / below * last;
}

std::vector<double> values_of(const BlockDifferences& differences) {
  std::vector<double> values;
  for (const auto& [block, difference] : differences) values.push_back(difference);
  return values;
}

bool is_monotone(const std::vector<double>& values) {
  return std::ranges::adjacent_find(values, std::ranges::greater_equal{}) == values.end() ||
         std::ranges::adjacent_find(values, std::ranges::less_equal{}) == values.end();
}

// Absent: no block has all points of the line.
std::optional<SweepTrend> trend_of(const Line& line, const std::vector<BlockDifferences>& differences,
                                   double level) {
  std::vector<double> estimates, rises;
  std::set<Block> blocks;
  for (const auto& [number, point] : line) {
    if (differences[point].empty()) return std::nullopt;
    estimates.push_back(signed_rank(values_of(differences[point])).estimate);
    for (const auto& [block, difference] : differences[point]) blocks.insert(block);
  }
  for (const Block& block : blocks) {
    std::vector<double> along;
    for (const auto& [number, point] : line) {
      const auto found = differences[point].find(block);
      if (found != differences[point].end()) along.push_back(found->second);
    }
    if (along.size() == line.size()) rises.push_back(rise_of(along));
  }
  if (rises.empty()) return std::nullopt;
  const Location rise = signed_rank(rises, level);
  SweepTrend trend;
  trend.points = static_cast<std::uint32_t>(line.size());
  trend.blocks = static_cast<std::uint32_t>(rises.size());
  trend.ratio = std::exp(rise.estimate);
  if (rise.interval) {
    trend.low = std::exp(rise.interval->low);
    trend.high = std::exp(rise.interval->high);
    trend.level = rise.interval->level;
  }
  trend.p_adjusted = rise.p;
  trend.monotone = is_monotone(estimates);
  return trend;
}

}  // namespace

std::optional<double> number_of(const std::string& value) {
  double number = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  if (rest == end) return number;
  if (end - rest > 1) return std::nullopt;
  constexpr double kKilo = 1024;
  switch (*rest) {
    case 'k':
    case 'K':
      return number * kKilo;
    case 'M':
      return number * kKilo * kKilo;
    case 'G':
      return number * kKilo * kKilo * kKilo;
    default:
      return std::nullopt;
  }
}

std::vector<SweepTrend> sweep_trends(const std::vector<std::string>& axes,
                                     const std::vector<PointRuns>& points,
                                     const std::vector<ComparedFigure>& figures, double level) {
  std::vector<std::vector<std::pair<std::string, Line>>> lines;
  std::size_t tests = 0;
  for (std::size_t along = 0; along < axes.size(); ++along) {
    lines.push_back(lines_along(axes, points, along));
    tests += lines.back().size() * figures.size();
  }
  std::vector<SweepTrend> trends;
  for (const ComparedFigure& each : figures) {
    std::vector<BlockDifferences> differences;
    for (const PointRuns& point : points) differences.push_back(differences_of(point, each.figure));
    for (std::size_t along = 0; along < axes.size(); ++along) {
      for (const auto& [place, line] : lines[along]) {
        auto trend = trend_of(line, differences, level_of_each(level, tests));
        if (!trend) continue;
        trend->figure = to_string(each.figure);
        trend->axis = axes[along];
        trend->at = place;
        trend->p_adjusted = std::min(1.0, *trend->p_adjusted * static_cast<double>(tests));
        trends.push_back(std::move(*trend));
      }
    }
  }
  return trends;
}

}  // namespace netperfd::analysis
