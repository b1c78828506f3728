// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/family_test.hpp"

#include <gmock/gmock.h>

#include <algorithm>
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

}  // namespace
}  // namespace netperfd::analysis
