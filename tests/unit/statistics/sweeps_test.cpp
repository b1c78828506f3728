// SPDX-License-Identifier: GPL-2.0-or-later
// How often a sweep is wrong about any of its points or trends, with a known truth.
// docs/statistics.md shows the figures that these tests print.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/sweep_trend.hpp"
#include "tests/unit/statistics/synthetic.hpp"

namespace netperfd::analysis {
namespace {

constexpr double kSweepLevel = 0.95;
// 99.9 % of binomial counts of 500 at 5 % are below this share, in %.
constexpr double kMostOfSweeps = 8.4;
constexpr int kSweeps = 500;

// The values of each point's blocks; the letters of all points of a block follow one another.
using PointValues = std::vector<std::vector<double>>;

PointValues by_point(const std::vector<double>& values, std::size_t points) {
  PointValues found(points);
  for (std::size_t i = 0; i < values.size(); ++i) found[i % points].push_back(values[i]);
  return found;
}

PointValues sweep_of_shape(Shape shape, std::size_t points, std::size_t blocks, Dice& dice) {
  return by_point(block_values(shape, points * blocks, 0, dice), points);
}

PointValues sweep_in_sequence(const Sequence& sequence, std::size_t points, std::size_t blocks, Dice& dice) {
  return by_point(as_blocks(logs_in_sequence(sequence, 4 * points * blocks, dice), 0, dice), points);
}

bool finds_some(const PointValues& points, double level) {
  return std::ranges::any_of(points, [level](const std::vector<double>& values) {
    const Location location = signed_rank(values, level);
    return location.interval && (location.interval->low > 0 || location.interval->high < 0);
  });
}

TEST(SweepsBySimulation, that_show_nothing_are_found_to_at_some_point_in_no_more_than_one_of_twenty) {
  Dice dice(301);
  for (const std::size_t points : {1U, 5U, 20U, 60U}) {
    const double of_each = level_of_each(kSweepLevel, points);
    const std::size_t blocks = fewest_for_signed_rank(of_each) + 1;
    const auto told = [&](const std::string& noise, auto draw) {
      int alone = 0, together = 0;
      for (int i = 0; i < kSweeps; ++i) {
        const PointValues values = draw();
        alone += finds_some(values, kSweepLevel) ? 1 : 0;
        together += finds_some(values, of_each) ? 1 : 0;
      }
      const double rate = 100.0 * together / kSweeps;
      fmt::print("{:2} points, {:2} blocks, {:14}: some found in {:.1f} % alone, {:.1f} % together\n", points,
                 blocks, noise, 100.0 * alone / kSweeps, rate);
      EXPECT_LT(rate, kMostOfSweeps) << points << " points, " << noise;
      if (points > 1) {
        EXPECT_GT(100.0 * alone / kSweeps, kMostOfSweeps) << points << " points, " << noise;
      }
    };
    for (const Shape shape : kShapes)
      told(std::string{name_of(shape)}, [&] { return sweep_of_shape(shape, points, blocks, dice); });
    told("AR(1) 0.6", [&] { return sweep_in_sequence({.drift = 0, .carried = 0.6}, points, blocks, dice); });
    told("drift of 20 %",
         [&] { return sweep_in_sequence({.drift = 0.2, .carried = 0}, points, blocks, dice); });
  }
}

// 3 x 3 points, ten blocks, runs that vary by 2 %; B gains `step` for each further value of the first axis.
std::vector<PointRuns> runs_of_sweep(double step, Dice& dice) {
  std::vector<PointRuns> points;
  for (int first = 0; first < 3; ++first) {
    for (int second = 0; second < 3; ++second) {
      PointRuns point{.values = {std::to_string(1 << first), std::to_string(64 << second)}, .a = {}, .b = {}};
      for (std::uint32_t block = 1; block <= 10; ++block) {
        for (std::uint32_t letter = 1; letter <= 4; ++letter) {
          const bool is_a = letter == 1 || letter == 4;
          ComparedRun run;
          run.job = 1;
          run.block = block;
          run.letter = letter;
          run.received_bits_per_second = std::exp(0.02 * dice.normal() + (is_a ? 0 : step * first));
          (is_a ? point.a : point.b).push_back(std::move(run));
        }
      }
      points.push_back(std::move(point));
    }
  }
  return points;
}

bool is_shown(const SweepTrend& trend) {
  return trend.low && (*trend.low > 1 || *trend.high < 1);
}

TEST(SweepsBySimulation, whose_change_does_not_grow_show_a_trend_in_no_more_than_one_of_twenty) {
  Dice dice(302);
  const std::vector<ComparedFigure> figures{{}};
  int some = 0, found = 0, along_other = 0, held = 0;
  constexpr double kStep = 0.03;
  for (int i = 0; i < kSweeps; ++i) {
    const auto none = sweep_trends({"streams", "length"}, runs_of_sweep(0, dice), figures, kSweepLevel);
    ASSERT_EQ(none.size(), 6U);
    some += std::ranges::any_of(none, is_shown) ? 1 : 0;
    const auto grown = sweep_trends({"streams", "length"}, runs_of_sweep(kStep, dice), figures, kSweepLevel);
    bool all = true, other = false, hold = true;
    for (const SweepTrend& trend : grown) {
      const bool along = trend.axis == "streams";
      if (along) all = all && is_shown(trend);
      if (!along) other = other || is_shown(trend);
      const double truth = along ? std::exp(2 * kStep) : 1;
      hold = hold && trend.low && *trend.low <= truth && truth <= *trend.high;
    }
    found += all ? 1 : 0;
    along_other += other ? 1 : 0;
    held += hold ? 1 : 0;
  }
  fmt::print(
      "trends of 9 points: some shown in {:.1f} % of sweeps that have none; of +3 % a step, all three in "
      "{:.1f} %, one "
      "along the other axis in {:.1f} %; all intervals hold in {:.1f} %\n",
      100.0 * some / kSweeps, 100.0 * found / kSweeps, 100.0 * along_other / kSweeps, 100.0 * held / kSweeps);
  EXPECT_LT(100.0 * some / kSweeps, kMostOfSweeps);
  EXPECT_LT(100.0 * along_other / kSweeps, kMostOfSweeps);
  EXPECT_GT(100.0 * found / kSweeps, 60);
  EXPECT_GT(100.0 * held / kSweeps, 100 - kMostOfSweeps);
}

}  // namespace
}  // namespace netperfd::analysis
