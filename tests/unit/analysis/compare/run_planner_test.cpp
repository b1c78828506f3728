// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/run_planner.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "daemon/analysis/compare/rank_statistics.hpp"

namespace netperfd::analysis {
namespace {

PowerQuestion question(double sd, double effect, double power = 0.8) {
  PowerQuestion asked;
  asked.sd = sd;
  asked.effect = effect;
  asked.power = power;
  return asked;
}

TEST(RunPlanner, is_near_normal_theory_where_many_runs_are_needed) {
  // 2 * (1.960 + 0.842)^2 * (sd / effect)^2 * pi / 3 on each side; half of it in blocks.
  EXPECT_NEAR(*runs_a_side(question(0.03, 0.003)), 1644, 10);
  EXPECT_NEAR(*blocks(question(0.03, 0.003)), 822, 10);
}

TEST(RunPlanner, asks_for_the_fewest_that_reach_the_power) {
  for (const double effect : {0.4, 0.7, 1.1}) {
    const auto asked = question(1, effect);
    const std::uint32_t n = *blocks(asked);
    EXPECT_GE(power_of_blocks(n, asked), 0.8);
    EXPECT_LT(power_of_blocks(n - 1, asked), 0.8);
    const std::uint32_t side = *runs_a_side(asked);
    EXPECT_GE(power_of_runs(side, side, asked), 0.8);
    EXPECT_LT(power_of_runs(side - 1, side - 1, asked), 0.8);
  }
}

TEST(RunPlanner, never_asks_for_fewer_than_an_interval_needs) {
  EXPECT_EQ(runs_a_side(question(0.001, 1)), fewest_for_mann_whitney());
  EXPECT_EQ(blocks(question(0.001, 1)), fewest_for_signed_rank());
  EXPECT_EQ(blocks(question(0, 0.01)), fewest_for_signed_rank());
}

TEST(RunPlanner, does_not_mind_the_sign_of_the_effect) {
  EXPECT_EQ(blocks(question(0.02, -0.01)), blocks(question(0.02, 0.01)));
  EXPECT_EQ(power_of_runs(8, 8, question(0.02, -0.01)), power_of_runs(8, 8, question(0.02, 0.01)));
}

TEST(RunPlanner, has_no_number_for_an_effect_of_nothing) {
  EXPECT_FALSE(runs_a_side(question(0.02, 0)));
  EXPECT_FALSE(blocks(question(0.02, 1e-6)));
}

TEST(RunPlanner, detects_what_it_has_the_power_for) {
  for (const std::uint32_t n : {6U, 8U, 12U, 60U, 200U}) {
    const double by_blocks = *detectable_by_blocks(n, 0.02);
    EXPECT_NEAR(power_of_blocks(n, question(0.02, by_blocks)), 0.8, 1e-6);
    const double by_runs = *detectable_by_runs(n, n + 2, 0.02, 0.95, 0.9);
    EXPECT_NEAR(power_of_runs(n, n + 2, question(0.02, by_runs)), 0.9, 1e-6);
  }
}

TEST(RunPlanner, detects_less_with_more_runs) {
  double before = 1e9;
  for (std::uint32_t n = 10; n < 100; n += 5) {
    const double now = *detectable_by_runs(n, n, 1);
    EXPECT_LT(now, before);
    before = now;
  }
}

TEST(RunPlanner, detects_nothing_without_an_interval) {
  EXPECT_FALSE(detectable_by_blocks(5, 0.02));
  EXPECT_FALSE(detectable_by_runs(3, 3, 0.02));
  EXPECT_FALSE(detectable_by_runs(0, 50, 0.02));
  EXPECT_EQ(power_of_blocks(5, question(0.02, 1)), 0);
}

TEST(RunPlanner, knows_the_power_of_six_blocks_exactly) {
  // All six must be above 0: 0.8413^6.
  EXPECT_NEAR(power_of_blocks(6, question(1, 1)), 0.35469, 1e-4);
}

TEST(RobustSd, is_not_blown_up_by_one_far_off_value) {
  const std::vector<double> quiet = {1, 2, 3, 4, 5, 6, 7, 8};
  auto loud = quiet;
  loud.back() = 1000;
  EXPECT_EQ(*robust_sd(loud), *robust_sd(quiet));
  EXPECT_NEAR(*robust_sd(quiet), 1.4826 * 1.129 * 2, 1e-9);
  EXPECT_GT(*planning_sd(loud), 300);
}

TEST(RobustSd, of_few_values_is_the_sample_standard_deviation) {
  EXPECT_NEAR(*robust_sd(std::vector{1.0, 2.0, 4.0}), std::sqrt(7.0 / 3), 1e-12);
  EXPECT_FALSE(robust_sd(std::vector{1.0}));
  EXPECT_FALSE(planning_sd(std::vector<double>{}));
}

TEST(RobustSd, does_not_take_mostly_equal_values_for_no_spread) {
  EXPECT_GT(*robust_sd(std::vector{1.0, 1.0, 1.0, 1.0, 1.0, 2.0}), 0.3);
}

}  // namespace
}  // namespace netperfd::analysis
