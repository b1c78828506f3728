// SPDX-License-Identifier: GPL-2.0-or-later
// docs/statistics.md shows the figures that these tests print.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/analysis/compare/run_planner.hpp"
#include "tests/unit/statistics/synthetic.hpp"

namespace netperfd::analysis {
namespace {

constexpr int kPlannedRepeats = 2000;
constexpr int kPilots = 500;
constexpr double kSd = 0.02;  // of logs_of_runs(Shape::normal)

double sd_of(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const auto n = static_cast<double>(values.size());
  return std::sqrt(squares / n - sum / n * (sum / n));
}

double simulated_power_of_blocks(Shape shape, std::uint32_t n, double effect, Dice& dice) {
  return share_of(kPlannedRepeats,
                  [&] { return signed_rank(block_values(shape, n, effect, dice)).interval->low > 0; });
}

double simulated_power_of_runs(std::uint32_t n_a, std::uint32_t n_b, double effect, Dice& dice) {
  return share_of(kPlannedRepeats, [&] {
    const auto a = logs_of_runs(Shape::normal, n_a, 0, dice);
    return mann_whitney(a, logs_of_runs(Shape::normal, n_b, effect, dice)).interval->low > 0;
  });
}

TEST(Power, of_the_detectable_effect_is_the_one_asked) {
  fmt::print("power for the effect said to be found in 80 %\n{:>8}{:>18}{:>9}{:>18}{:>9}\n", "n",
             "effect / spread", "blocks", "effect / spread", "runs");
  for (const std::uint32_t n : {4U, 6U, 7U, 8U, 10U, 12U, 20U}) {
    Dice dice(71 + n);
    const double effect_of_runs = *detectable_by_runs(n, n, kSd);
    const double runs = simulated_power_of_runs(n, n, effect_of_runs, dice);
    EXPECT_NEAR(runs, 0.8, 0.05) << n;
    // A block value has the spread of a single run, as the difference of two means of two.
    if (const auto effect = detectable_by_blocks(n, kSd)) {
      const double blocks = simulated_power_of_blocks(Shape::normal, n, *effect, dice);
      fmt::print("{:>8}{:>18.2f}{:>9.1f}", n, *effect / kSd, 100 * blocks);
      EXPECT_NEAR(blocks, 0.8, 0.05) << n;
    } else {
      fmt::print("{:>8}{:>27}", n, "");
    }
    fmt::print("{:>18.2f}{:>9.1f}\n", effect_of_runs / kSd, 100 * runs);
  }
  Dice dice(70);
  const double effect = *detectable_by_runs(5, 15, kSd);
  const double uneven = simulated_power_of_runs(5, 15, effect, dice);
  fmt::print("{:>8}{:>45.2f}{:>9.1f}\n", "5 and 15", effect / kSd, 100 * uneven);
  EXPECT_NEAR(uneven, 0.8, 0.05);
}

TEST(Power, of_as_many_as_are_planned_for_equivalence_is_what_was_asked) {
  fmt::print("equivalence shown by as many as planned, %\n{:>16}{:>8}{:>10}{:>10}{:>8}{:>10}\n",
             "limit / spread", "blocks", "to find", "shown", "runs", "shown");
  for (const double times : {0.6, 1.0, 1.5}) {
    const PowerQuestion question{.sd = kSd, .effect = times * kSd};
    Dice dice(static_cast<std::uint64_t>(300 * times));
    const std::uint32_t n = *blocks_for_equivalence(question);
    const std::uint32_t side = *runs_a_side_for_equivalence(question);
    const auto within = [&](const Location& location) {
      return location.interval->low > -question.effect && location.interval->high < question.effect;
    };
    const double shown = share_of(
        kPlannedRepeats, [&] { return within(signed_rank(block_values(Shape::normal, n, 0, dice))); });
    const double shown_by_runs = share_of(kPlannedRepeats, [&] {
      const auto a = logs_of_runs(Shape::normal, side, 0, dice);
      return within(mann_whitney(a, logs_of_runs(Shape::normal, side, 0, dice)));
    });
    fmt::print("{:>16.1f}{:>8}{:>10}{:>10.1f}{:>8}{:>10.1f}\n", times, n, *blocks(question), 100 * shown,
               side, 100 * shown_by_runs);
    EXPECT_NEAR(shown, 0.8, 0.07) << times;
    EXPECT_NEAR(shown_by_runs, 0.8, 0.07) << times;
  }
}

TEST(Power, of_as_many_runs_as_the_planner_asks_for_is_what_it_promises) {
  fmt::print("power of as many as planned, %\n{:>16}{:>8}{:>10}{:>10}{:>8}{:>10}{:>10}\n", "effect / spread",
             "blocks", "promised", "simulated", "runs", "promised", "simulated");
  for (const double times : {0.6, 1.0, 1.5, 2.5}) {
    PowerQuestion question;
    question.sd = kSd;
    question.effect = times * kSd;
    Dice dice(static_cast<std::uint64_t>(100 * times));
    const std::uint32_t n = *blocks(question);
    const std::uint32_t side = *runs_a_side(question);
    const double promised = power_of_blocks(n, question);
    const double promised_runs = power_of_runs(side, side, question);
    const double found = simulated_power_of_blocks(Shape::normal, n, question.effect, dice);
    const double found_runs = simulated_power_of_runs(side, side, question.effect, dice);
    fmt::print("{:>16.1f}{:>8}{:>10.1f}{:>10.1f}{:>8}{:>10.1f}{:>10.1f}\n", times, n, 100 * promised,
               100 * found, side, 100 * promised_runs, 100 * found_runs);
    EXPECT_GE(promised, 0.8);
    EXPECT_NEAR(found, promised, 0.05) << times;
    EXPECT_GE(promised_runs, 0.8);
    EXPECT_NEAR(found_runs, promised_runs, 0.05) << times;
  }
}

// The plan assumes normal values: it promises too much for two speeds, and too little for a skewed shape.
TEST(Power, of_other_shapes_is_not_far_below_the_promise) {
  fmt::print("power of 12 blocks for the effect said to be found in 80 %\n");
  for (const Shape shape : kShapes) {
    Dice dice(81 + static_cast<std::size_t>(shape));
    const double sd = sd_of(block_values(shape, 20'000, 0, dice));
    const double power = simulated_power_of_blocks(shape, 12, *detectable_by_blocks(12, sd), dice);
    fmt::print("{:>16}{:>8.1f}\n", name_of(shape), 100 * power);
    EXPECT_GT(power, 0.7) << name_of(shape);
  }
}

TEST(Power, averaged_over_pilots_is_the_one_asked) {
  fmt::print("power of what is planned after a pilot, mean over 500 pilots, %\n{:>8}{:>17}{:>12}{:>16}\n",
             "pilot", "effect / spread", "planned by", "sample sd alone");
  for (const std::size_t pilot : {6U, 8U, 12U}) {
    for (const double times : {0.6, 1.0}) {
      Dice dice(91 * pilot);
      PowerQuestion truth;
      truth.sd = kSd;
      truth.effect = times * kSd;
      std::map<std::uint32_t, double> known;
      const auto power_after = [&](double sd) {
        PowerQuestion asked = truth;
        asked.sd = sd;
        const std::uint32_t n = *blocks(asked);
        const auto [place, is_new] = known.try_emplace(n);
        if (is_new) place->second = power_of_blocks(n, truth);
        return place->second;
      };
      double planned = 0;
      double by_sample = 0;
      for (int i = 0; i < kPilots; ++i) {
        const auto values = block_values(Shape::normal, pilot, 0, dice);
        const auto n = static_cast<double>(pilot);
        planned += power_after(*planning_sd(values)) / kPilots;
        by_sample += power_after(sd_of(values) * std::sqrt(n / (n - 1))) / kPilots;
      }
      fmt::print("{:>8}{:>17.1f}{:>12.1f}{:>16.1f}\n", pilot, times, 100 * planned, 100 * by_sample);
      EXPECT_NEAR(planned, 0.8, 0.05) << pilot << ' ' << times;
      EXPECT_LT(by_sample, planned);
    }
  }
}

// Too small a spread makes every promise too optimistic.
TEST(RobustSd, of_normal_values_is_their_standard_deviation) {
  for (const std::size_t n : {6U, 7U, 8U, 9U, 10U, 15U, 30U}) {
    Dice dice(101 * n);
    double mean = 0;
    for (int i = 0; i < 5000; ++i) mean += *robust_sd(logs_of_runs(Shape::normal, n, 0, dice)) / 5000;
    EXPECT_NEAR(mean / kSd, 1, 0.03) << n;
  }
}

}  // namespace
}  // namespace netperfd::analysis
