// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/looks.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"
#include "tests/unit/analysis/compare/sampled_sides.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

// The smallest p of n blocks is 2 / 2^n. Of two looks each may have 0.025, which takes 7 blocks; of three
// 0.0167, 7; of four 0.0125, 8; of five 0.01, 8. Each look has a third more blocks than the one before.
TEST(Looks, are_as_many_as_fit) {
  EXPECT_THAT(looks_of(40, 1).at, ElementsAre(8, 12, 18, 27, 40));
  EXPECT_THAT(looks_of(26, 1).at, ElementsAre(8, 11, 14, 19, 26));
  EXPECT_THAT(looks_of(25, 1).at, ElementsAre(8, 12, 17, 25));
  EXPECT_THAT(looks_of(19, 1).at, ElementsAre(8, 11, 14, 19));
  EXPECT_THAT(looks_of(18, 1).at, ElementsAre(7, 11, 18));
  EXPECT_THAT(looks_of(13, 1).at, ElementsAre(7, 10, 13));
  EXPECT_THAT(looks_of(12, 1).at, ElementsAre(7, 12));
  EXPECT_THAT(looks_of(10, 1).at, ElementsAre(7, 10));
  EXPECT_THAT(looks_of(9, 1).at, ElementsAre(9));
  EXPECT_THAT(looks_of(6, 1).at, ElementsAre(6));
  EXPECT_THAT(looks_of(1, 1).at, ElementsAre(1));
  EXPECT_THAT(looks_of(1'000, 1).at, ElementsAre(8, 27, 89, 299, 1'000));
}

// Of five figures at each of five looks, an interval may miss in 0.002: 2 / 2^10 is below that.
TEST(Looks, begin_later_with_more_figures) {
  EXPECT_THAT(looks_of(40, 5).at, ElementsAre(10, 14, 20, 28, 40));
  EXPECT_THAT(looks_of(40, 2).at, ElementsAre(9, 13, 19, 28, 40));
}

TEST(Looks, share_the_level) {
  EXPECT_DOUBLE_EQ(looks_of(40, 1).level, 0.99);
  EXPECT_DOUBLE_EQ(looks_of(40, 5).level, 0.99) << "of all figures together";
  EXPECT_DOUBLE_EQ(looks_of(20, 1).level, 0.9875);
  EXPECT_DOUBLE_EQ(looks_of(10, 1).level, 0.975);
  EXPECT_DOUBLE_EQ(looks_of(9, 1).level, 0.95);
}

TEST(Looks, increase_and_have_an_interval_from_the_first_on) {
  for (std::uint32_t most = 1; most <= 300; ++most) {
    for (std::size_t figures = 1; figures <= 8; ++figures) {
      const Looks looks = looks_of(most, figures);
      EXPECT_EQ(looks.at.back(), most);
      EXPECT_EQ(std::ranges::adjacent_find(looks.at, std::greater_equal{}), looks.at.end()) << most;
      EXPECT_NEAR((1 - looks.level) * static_cast<double>(looks.at.size()), 0.05, 1e-12);
      if (looks.at.size() == 1) continue;
      EXPECT_EQ(looks.at.front(), fewest_for_signed_rank(level_of_each(looks.level, figures)));
    }
  }
}

TEST(Looks, are_found_by_the_number_of_blocks) {
  const Looks looks = looks_of(40, 1);
  EXPECT_TRUE(is_look(looks, 8));
  EXPECT_TRUE(is_look(looks, 40));
  EXPECT_FALSE(is_look(looks, 9));
  EXPECT_FALSE(is_look(looks, 0));
  EXPECT_EQ(next_look(looks, 0), 8U);
  EXPECT_EQ(next_look(looks, 8), 12U);
  EXPECT_EQ(next_look(looks, 39), 40U);
  EXPECT_FALSE(next_look(looks, 40));
}

std::string words(std::uint32_t most, std::uint32_t blocks) {
  return words_of({.looks = looks_of(most, 1), .blocks = blocks});
}

TEST(Looks, are_told) {
  EXPECT_EQ(words(40, 12),
            "Look 2 of 5, after 12 of at most 40 blocks. The intervals have 99 % at each look, so that they "
            "hold in 95 % over all looks. After an early stop, estimates are too far from no change on "
            "average.");
  EXPECT_EQ(words(40, 40),
            "Look 5 of 5, after 40 of at most 40 blocks. The intervals have 99 % at each look, so that they "
            "hold in 95 % over all looks.");
  EXPECT_THAT(words(40, 14), StartsWith("After 14 of at most 40 blocks, between looks 2 and 3 of 5: if the "
                                        "job was stopped for what it showed, the interval promises less "
                                        "than its level. The intervals have 99 %"));
  EXPECT_THAT(words(20, 5), StartsWith("After 5 of at most 20 blocks, before the first look at 8. The "
                                       "intervals have 98.75 % at each look"));
  EXPECT_EQ(words(9, 9), "");
}

TEST(Looks, of_a_comparison_are_in_its_intervals_its_p_and_its_caveats) {
  const SampledSides sides = blocks(12, 1.05);
  const Comparison fixed = compare(sides.a, sides.b, {});
  ComparisonSettings settings;
  settings.looked = {.looks = looks_of(40, 1), .blocks = 12};
  settings.level = settings.looked->looks.level;
  const Comparison looked = compare(sides.a, sides.b, settings);
  EXPECT_EQ(fixed.effect.ratio, looked.effect.ratio);
  EXPECT_GE(looked.effect.level, 0.99);
  EXPECT_LT(*looked.effect.low, *fixed.effect.low);
  EXPECT_GT(*looked.effect.high, *fixed.effect.high);
  EXPECT_DOUBLE_EQ(*looked.figures.front().p_adjusted, 5 * *fixed.figures.front().p_adjusted);
  EXPECT_THAT(looked.caveats, has_caveat("Look 2 of 5, after 12 of at most 40 blocks."));
  EXPECT_THAT(fixed.caveats, Not(has_caveat("Look")));
}

}  // namespace
}  // namespace netperfd::analysis
