// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/statistics/synthetic.hpp"

#include <cmath>
#include <numeric>

namespace netperfd::analysis {
namespace {

constexpr std::size_t kIntervals = 10;
constexpr double kCarried = 0.6;  // from one interval to the next
constexpr double kSpread = 0.02;

double next_of_ar1(double before, double coefficient, Dice& dice) {
  return coefficient * before + std::sqrt(1 - coefficient * coefficient) * dice.normal();
}

}  // namespace

std::string_view name_of(Shape shape) {
  switch (shape) {
    case Shape::normal:
      return "normal";
    case Shape::skewed:
      return "skewed";
    case Shape::bimodal:
      return "bimodal";
    case Shape::autocorrelated:
      return "autocorrelated";
  }
  return "";
}

std::vector<double> intervals_of_run(Dice& dice) {
  const double luck = kSpread * dice.normal();
  std::vector<double> intervals;
  double state = dice.normal();
  for (std::size_t i = 0; i < kIntervals; ++i) {
    intervals.push_back(1 + luck + kSpread * state);
    state = next_of_ar1(state, kCarried, dice);
  }
  return intervals;
}

double log_of_run(Shape shape, Dice& dice) {
  switch (shape) {
    case Shape::normal:
      return kSpread * dice.normal();
    case Shape::skewed:
      return -0.01 * std::exp(dice.normal());
    case Shape::bimodal:
      return (dice.chance(0.3) ? -0.04 : 0) + 0.004 * dice.normal();
    case Shape::autocorrelated: {
      const auto intervals = intervals_of_run(dice);
      return std::log(std::accumulate(intervals.begin(), intervals.end(), 0.0) / kIntervals);
    }
  }
  return 0;
}

std::vector<double> logs_of_runs(Shape shape, std::size_t n, double effect, Dice& dice) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < n; ++i) logs.push_back(log_of_run(shape, dice) + effect);
  return logs;
}

std::vector<double> block_values(Shape shape, std::size_t n, double effect, Dice& dice) {
  return as_blocks(logs_of_runs(shape, 4 * n, 0, dice), effect, dice);
}

std::vector<double> logs_in_sequence(const Sequence& sequence, std::size_t runs, Dice& dice) {
  std::vector<double> logs;
  double state = dice.normal();
  for (std::size_t i = 0; i < runs; ++i) {
    logs.push_back(kSpread * state + sequence.drift * static_cast<double>(i) / static_cast<double>(runs - 1));
    state = next_of_ar1(state, sequence.carried, dice);
  }
  return logs;
}

std::vector<double> as_blocks(std::span<const double> logs, double effect, Dice& dice) {
  std::vector<double> values;
  for (std::size_t i = 0; i + 4 <= logs.size(); i += 4) {
    const double inner_less_outer = (logs[i + 1] + logs[i + 2] - logs[i] - logs[i + 3]) / 2;
    values.push_back((dice.chance(0.5) ? inner_less_outer : -inner_less_outer) + effect);
  }
  return values;
}

}  // namespace netperfd::analysis
