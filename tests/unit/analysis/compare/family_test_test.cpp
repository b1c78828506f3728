// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/family_test.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace netperfd::analysis {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

Samples blocks_of(const std::vector<double>& differences) {
  return {.a = std::vector<double>(differences.size(), 0.0), .b = differences, .paired = true};
}

// Six blocks: 32 exchanges that are no mirrors of one another.
TEST(FamilyTest, has_the_p_of_all_exchanges_of_blocks) {
  // 1 + 1 + 1 + 1 + 1 - 1 is reached by the six exchanges with one odd sign, and 6 by one more.
  EXPECT_THAT(test_family({blocks_of({1, 1, 1, 1, 1, 1})}, 0.95).p, ElementsAre(DoubleNear(1.0 / 32, 1e-12)));
  EXPECT_THAT(test_family({blocks_of({1, 1, 1, 1, 1, -1})}, 0.95).p,
              ElementsAre(DoubleNear(7.0 / 32, 1e-12)));
}

TEST(FamilyTest, has_the_p_of_all_exchanges_of_labels) {
  const Samples apart{.a = {1, 2, 3, 4}, .b = {11, 12, 13, 14}};
  EXPECT_THAT(test_family({apart}, 0.95).p, ElementsAre(DoubleNear(1.0 / 35, 1e-12)));
  const Samples uneven{.a = {1, 2, 3}, .b = {11, 12, 13, 14}};
  EXPECT_THAT(test_family({uneven}, 0.95).p, ElementsAre(DoubleNear(1.0 / 35, 1e-12)));
  // One pair exchanged: of the 35 ways, those are as far apart in which the halves differ by as much or more.
  const Samples mixed{.a = {1, 2, 3, 11}, .b = {4, 12, 13, 14}};
  EXPECT_THAT(test_family({mixed}, 0.95).p, ElementsAre(DoubleNear(2.0 / 35, 1e-12)));
}

TEST(FamilyTest, gives_the_largest_its_chance_among_all) {
  const std::vector<Samples> figures{blocks_of({2.0, 2.1, 1.9, 2.2, 1.8, 2.0}),
                                     blocks_of({1, -1, 1.1, -0.9, 0.2, -0.5}),
                                     blocks_of({0.3, 0.1, -0.4, 0.2, -0.1, 0.2})};
  const FamilyTest test = test_family(figures, 0.95);
  EXPECT_NEAR(test.p[0], 1.0 / 32, 1e-12) << "however many are tested beside it";
  EXPECT_GT(test.p[1], 0.5);
  EXPECT_GT(test.p[2], 0.5);
  ASSERT_TRUE(test.critical);
  EXPECT_GT(*test.critical, 1.5);
  EXPECT_LT(*test.critical, 2.45);  // the root of six, of a perfectly even difference
}

TEST(FamilyTest, keeps_the_order_of_its_statistics) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<Samples> figures;
  for (int f = 0; f < 30; ++f) {
    std::vector<double> differences;
    for (int i = 0; i < 9; ++i) differences.push_back(normal(random) + 0.05 * f);
    figures.push_back(blocks_of(differences));
  }
  const std::vector<double> together = test_family(figures, 0.95).p;
  for (std::size_t f = 0; f < figures.size(); ++f) {
    EXPECT_GE(together[f], test_family({figures[f]}, 0.95).p[0]) << "adjusted for the others";
  }
}

TEST(FamilyTest, of_too_few_samples_can_find_nothing) {
  const FamilyTest test = test_family({blocks_of({1, 1, 1, 1})}, 0.95);
  EXPECT_NEAR(test.p[0], 1.0 / 8, 1e-12);
  EXPECT_FALSE(test.critical);
}

TEST(FamilyTest, of_figures_that_do_not_vary_finds_nothing) {
  const std::vector<double> zeros(6, 0.0);
  EXPECT_THAT(test_family({blocks_of(zeros)}, 0.95).p, ElementsAre(1.0));
}

TEST(FamilyTest, draws_exchanges_of_many_blocks_the_same_each_time) {
  std::vector<double> differences;
  for (int i = 0; i < 40; ++i) differences.push_back(i % 3 == 0 ? -1 : 1);
  const auto p = test_family({blocks_of(differences)}, 0.95).p[0];
  EXPECT_GT(p, 0.02);  // the sign test has 0.081 for 26 of 40; these statistics are as coarse
  EXPECT_LT(p, 0.2);
  EXPECT_EQ(p, test_family({blocks_of(differences)}, 0.95).p[0]);
}

// Figures of one design with normal values, some of which shift. All share the luck of their runs.
std::vector<Samples> random_figures(std::size_t samples, bool paired, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> luck_a, luck_b;
  for (std::size_t i = 0; i < samples; ++i) {
    luck_a.push_back(normal(random));
    luck_b.push_back(normal(random));
  }
  std::vector<Samples> figures;
  for (int f = 0; f < 15; ++f) {
    Samples& figure = figures.emplace_back();
    figure.paired = paired;
    const double shift = f % 3 == 0 ? 0.5 * f : 0;
    for (std::size_t i = 0; i < samples; ++i) {
      figure.a.push_back(100 + luck_a[i] + normal(random));
      figure.b.push_back(100 + luck_b[i] + normal(random) + shift);
    }
  }
  return figures;
}

struct NumberOfSamples {
  std::size_t samples;
  bool paired;
};
constexpr NumberOfSamples kNumbersOfSamples[] = {{6, true},  {7, true},  {8, true},  {9, true},  {10, true},
                                                 {4, false}, {5, false}, {6, false}, {7, false}, {8, false}};

TEST(FamilyTest, of_one_figure_has_one_p) {
  std::mt19937_64 random(4);
  for (const auto& [samples, paired] : kNumbersOfSamples) {
    for (const Samples& figure : random_figures(samples, paired, random)) {
      const FamilyTest test = test_family({figure}, 0.95);
      EXPECT_EQ(test.p_together, test.p) << samples;
    }
  }
}

TEST(FamilyTest, never_has_a_p_together_below_the_p_of_stepping_down) {
  std::mt19937_64 random(5);
  for (const auto& [samples, paired] : kNumbersOfSamples) {
    const FamilyTest test = test_family(random_figures(samples, paired, random), 0.95);
    ASSERT_EQ(test.p_together.size(), test.p.size());
    for (std::size_t f = 0; f < test.p.size(); ++f) EXPECT_GE(test.p_together[f], test.p[f]) << samples;
  }
}

// The second figure has the statistic 4 / sqrt(10.04) = 1.26, and reaches it in 11 of the 32 exchanges. The
// first one has 4 / sqrt(6) = 1.63 in each of the six exchanges of one block, of which two are among
// those 11. So four more count against the second figure, unless the first one is set aside.
TEST(FamilyTest, steps_down_past_a_figure_that_is_found) {
  const FamilyTest test =
      test_family({blocks_of({2, 2, 2, 2, 2, 2}), blocks_of({3, 1, 0.1, -0.1, 0.1, -0.1})}, 0.95);
  EXPECT_THAT(test.p, ElementsAre(DoubleNear(1.0 / 32, 1e-12), DoubleNear(11.0 / 32, 1e-12)));
  EXPECT_THAT(test.p_together, ElementsAre(DoubleNear(1.0 / 32, 1e-12), DoubleNear(15.0 / 32, 1e-12)));
}

TEST(FamilyTest, of_figures_that_do_not_vary_has_a_p_together_of_1) {
  const std::vector<double> zeros(6, 0.0);
  EXPECT_THAT(test_family({blocks_of(zeros), blocks_of({1, 2, 1, 2, 1, 2})}, 0.95).p_together,
              ElementsAre(1.0, DoubleNear(1.0 / 32, 1e-12)));
}

// The differences are 1, 2 and 3: their mean is 2, and their squares about it add up to 2. A shift is at the
// end of the interval if 9 x / (2 + 3 x) = 1, where x is its squared distance from the mean: x = 1 / 3.
TEST(IntervalAt, of_blocks_is_where_the_statistic_is_critical) {
  const Samples samples{.a = {10, 20, 30}, .b = {11, 22, 33}, .paired = true};
  const auto interval = interval_at(samples, 1);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 2 - std::sqrt(1.0 / 3), 1e-12);
  EXPECT_NEAR(interval->high, 2 + std::sqrt(1.0 / 3), 1e-12);
}

// The means are 2 and 6, the squares about them add up to 2 + 2, and k is 3 * 2 / 5 = 1.2: 1.44 x /
// (4 + 1.2 x) = 1 where x = 4 / 0.24.
TEST(IntervalAt, of_runs_is_where_the_statistic_is_critical) {
  const Samples samples{.a = {1, 2, 3}, .b = {5, 7}};
  const auto interval = interval_at(samples, 1);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 4 - std::sqrt(4 / 0.24), 1e-12);
  EXPECT_NEAR(interval->high, 4 + std::sqrt(4 / 0.24), 1e-12);
}

TEST(IntervalAt, of_an_even_difference_is_that_difference) {
  const auto interval = interval_at(blocks_of({2, 2, 2, 2, 2, 2}), 2);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 2);
  EXPECT_EQ(interval->high, 2);
}

// No statistic of six pairs is above the root of 6, and none of three and two runs above that of 1.2.
TEST(IntervalAt, is_absent_if_every_shift_fits) {
  EXPECT_FALSE(interval_at(blocks_of({1, 2, 3, 4, 5, 6}), 2.5));
  EXPECT_TRUE(interval_at(blocks_of({1, 2, 3, 4, 5, 6}), 2.4));
  const Samples runs{.a = {1, 2, 3}, .b = {5, 7}};
  EXPECT_FALSE(interval_at(runs, 1.1));
  EXPECT_TRUE(interval_at(runs, 1.09));
}

TEST(IntervalAt, leaves_out_0_exactly_if_p_together_is_significant) {
  constexpr int kFamilies = 12;  // of 15 figures
  std::mt19937_64 random(6);
  for (const auto& [samples, paired] : kNumbersOfSamples) {
    int left_out = 0, contained = 0;
    for (int family = 0; family < kFamilies; ++family) {
      const std::vector<Samples> figures = random_figures(samples, paired, random);
      const FamilyTest test = test_family(figures, 0.95);
      ASSERT_TRUE(test.critical) << samples;
      for (std::size_t f = 0; f < figures.size(); ++f) {
        const auto interval = interval_at(figures[f], *test.critical);
        const bool leaves_out_zero = interval && (interval->low > 0 || interval->high < 0);
        EXPECT_EQ(leaves_out_zero, test.p_together[f] <= 0.05) << samples << ": " << test.p_together[f];
        ++(leaves_out_zero ? left_out : contained);
      }
    }
    EXPECT_GT(left_out, kFamilies / 4) << samples;
    EXPECT_GT(contained, 9 * kFamilies) << samples;
  }
}

}  // namespace
}  // namespace netperfd::analysis
