// SPDX-License-Identifier: GPL-2.0-or-later
// docs/statistics.md shows the figures that these tests print.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "tests/unit/statistics/synthetic.hpp"

namespace netperfd::analysis {
namespace {

constexpr int kRepeats = 2000;        // 1.5 points are more than three standard errors
constexpr int kComparisons = 2000;    // of a host with itself
constexpr double kEffect = 0.019803;  // log 1.02
constexpr std::size_t kNumbers[] = {6, 8, 12, 20};

double own_level_of_blocks(std::size_t n) {
  return signed_rank(std::vector<double>(n)).interval->level;
}

double own_level_of_runs(std::size_t n) {
  const std::vector<double> side(n);
  return mann_whitney(side, side).interval->level;
}

// 99 % of all series of that many comparisons deviate by less than this.
double binomial_bound(double probability, int of) {
  return 2.576 * std::sqrt(probability * (1 - probability) / of) + 0.5 / of;
}

TEST(Coverage, of_blocks_is_the_intervals_own_level) {
  fmt::print("coverage of blocks, %\n    n   own level");
  for (const Shape shape : kShapes) fmt::print("{:>16}", name_of(shape));
  fmt::print("\n");
  for (const std::size_t n : kNumbers) {
    const double own = own_level_of_blocks(n);
    fmt::print("{:>5}{:>12.1f}", n, 100 * own);
    for (const Shape shape : kShapes) {
      Dice dice(1000 * n + static_cast<std::size_t>(shape));
      const double coverage = share_of(
          kRepeats, [&] { return covers(signed_rank(block_values(shape, n, kEffect, dice)), kEffect); });
      fmt::print("{:>16.1f}", 100 * coverage);
      EXPECT_NEAR(coverage, own, 0.015) << name_of(shape) << ' ' << n;
    }
    fmt::print("\n");
  }
}

TEST(Coverage, of_runs_is_the_intervals_own_level) {
  fmt::print("coverage of runs apart in time, %\n    n   own level");
  for (const Shape shape : kShapes) fmt::print("{:>16}", name_of(shape));
  fmt::print("\n");
  for (const std::size_t n : kNumbers) {
    const double own = own_level_of_runs(n);
    fmt::print("{:>5}{:>12.1f}", n, 100 * own);
    for (const Shape shape : kShapes) {
      Dice dice(2000 * n + static_cast<std::size_t>(shape));
      const double coverage = share_of(kRepeats, [&] {
        const auto a = logs_of_runs(shape, n, 0, dice);
        return covers(mann_whitney(a, logs_of_runs(shape, n, kEffect, dice)), kEffect);
      });
      fmt::print("{:>16.1f}", 100 * coverage);
      EXPECT_NEAR(coverage, own, 0.015) << name_of(shape) << ' ' << n;
    }
    fmt::print("\n");
  }
}

TEST(FalsePositives, of_a_host_compared_with_itself_are_as_many_as_the_level_says) {
  constexpr std::size_t kRuns = 8;
  fmt::print("false positives of {} comparisons of {} with {}, %\n{:>26}{:>9}{:>9}\n", kComparisons, kRuns,
             kRuns, "", "blocks", "runs");
  const double by_blocks = 1 - own_level_of_blocks(kRuns);
  const double by_runs = 1 - own_level_of_runs(kRuns);
  fmt::print("{:>26}{:>9.2f}{:>9.2f}\n", "as the level says", 100 * by_blocks, 100 * by_runs);
  for (const Shape shape : kShapes) {
    Dice dice(31 + static_cast<std::size_t>(shape));
    const double blocks =
        share_of(kComparisons, [&] { return !covers(signed_rank(block_values(shape, kRuns, 0, dice)), 0); });
    const double runs = share_of(kComparisons, [&] {
      const auto a = logs_of_runs(shape, kRuns, 0, dice);
      return !covers(mann_whitney(a, logs_of_runs(shape, kRuns, 0, dice)), 0);
    });
    fmt::print("{:>26}{:>9.2f}{:>9.2f}\n", name_of(shape), 100 * blocks, 100 * runs);
    EXPECT_NEAR(blocks, by_blocks, binomial_bound(by_blocks, kComparisons)) << name_of(shape);
    EXPECT_NEAR(runs, by_runs, binomial_bound(by_runs, kComparisons)) << name_of(shape);
  }
}

// Figures with few different values, such as small counts.
TEST(FalsePositives, are_fewer_where_values_are_tied) {
  Dice dice(41);
  const auto coarse = [&] {
    auto logs = logs_of_runs(Shape::normal, 8, 0, dice);
    for (double& value : logs) value = std::round(value / 0.02);
    return logs;
  };
  const double share = share_of(kComparisons, [&] {
    const auto a = coarse();
    return !covers(mann_whitney(a, coarse()), 0);
  });
  fmt::print("{:>26}{:>9}{:>9.2f}\n", "28 % of pairs tied", "", 100 * share);
  const double by_level = 1 - own_level_of_runs(8);
  EXPECT_LT(share, by_level + binomial_bound(by_level, kComparisons));
}

TEST(FalsePositives, are_many_where_intervals_within_runs_are_taken_for_samples) {
  Dice dice(51);
  const auto pooled = [&] {
    std::vector<double> all;
    for (int run = 0; run < 8; ++run) {
      const auto intervals = intervals_of_run(dice);
      all.insert(all.end(), intervals.begin(), intervals.end());
    }
    return all;
  };
  const double share = share_of(500, [&] {
    const auto a = pooled();
    return !covers(mann_whitney(a, pooled()), 0);
  });
  fmt::print("{:>26}{:>9}{:>9.2f}\n", "intervals of runs pooled", "", 100 * share);
  EXPECT_GT(share, 0.25);
}

struct NamedSequence {
  std::string name;
  Sequence sequence;
};

TEST(Order, of_drawn_blocks_keeps_the_level_where_all_of_a_then_all_of_b_loses_it) {
  const std::vector<NamedSequence> sequences = {
      {"drift of 3 %", {0.03, 0}}, {"AR(1) 0.6 from run to run", {0, 0.6}}, {"both", {0.03, 0.6}}};
  fmt::print("coverage where runs depend on their time, %\n{:>28}{:>4}{:>12}{:>9}{:>16}\n", "", "n",
             "own level", "blocks", "all A, all B");
  for (const auto& [name, sequence] : sequences) {
    for (const std::size_t n : kNumbers) {
      Dice dice(61 * n);
      double apart = 0;
      const double own = own_level_of_blocks(n);
      const double blocks = share_of(kRepeats, [&] {
        const auto logs = logs_in_sequence(sequence, 4 * n, dice);
        auto b = std::vector(logs.begin() + static_cast<std::ptrdiff_t>(2 * n), logs.end());
        for (double& value : b) value += kEffect;
        apart += covers(mann_whitney(std::span(logs).first(2 * n), b), kEffect) ? 1.0 / kRepeats : 0;
        return covers(signed_rank(as_blocks(logs, kEffect, dice)), kEffect);
      });
      fmt::print("{:>28}{:>4}{:>12.1f}{:>9.1f}{:>16.1f}\n", name, n, 100 * own, 100 * blocks, 100 * apart);
      EXPECT_NEAR(blocks, own, 0.015) << name << ' ' << n;
      EXPECT_LT(apart, blocks - 0.1) << name << ' ' << n;
    }
  }
}

}  // namespace
}  // namespace netperfd::analysis
