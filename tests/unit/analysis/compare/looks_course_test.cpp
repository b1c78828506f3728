// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/looks_course.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "daemon/analysis/compare/run_planner.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;

const double kOnePercent = std::log(1.01);

// Of jobs that run as much as the threshold from block to block.
Course course_at(double thresholds, std::uint32_t most, std::size_t figures = 1) {
  return course_of({.sd = kOnePercent,
                    .effect = thresholds * kOnePercent,
                    .threshold = 0.01,
                    .most = most,
                    .figures = figures});
}

// With 97.5 % each, the first of two looks, after 7 blocks, shows a change only if all of them lie beyond the
// threshold: 2 / 2^7 is 0.016, and one block on the other side makes it 0.031. With 95 %, three of the
// smallest Walsh averages could lie on the other side.
TEST(LooksCourse, of_two_looks_is_what_can_be_computed) {
  for (const double beyond : {1.0, 1.3, 1.7}) {  // in standard deviations
    const double block = std::erfc(-beyond / std::numbers::sqrt2) / 2;
    const Course course = course_at(1 + beyond, 10);
    EXPECT_NEAR(course.blocks, 10 - 3 * std::pow(block, 7), 0.2) << beyond;
  }
}

TEST(LooksCourse, of_a_single_look_has_the_power_of_a_plan) {
  for (const double beyond : {0.8, 1.2, 1.6}) {
    const Course course = course_at(1 + beyond, 9);
    EXPECT_EQ(course.blocks, 9);
    EXPECT_NEAR(course.decided, power_of_blocks(9, {.sd = 1, .effect = beyond}), 0.07) << beyond;
  }
}

TEST(LooksCourse, ends_sooner_the_farther_the_effect_is_from_the_threshold) {
  const Course none = course_at(0, 40), once = course_at(1, 40), twice = course_at(2, 40),
               thrice = course_at(3, 40);
  EXPECT_GT(once.blocks, 39) << "nothing is decided at the threshold";
  EXPECT_LT(once.decided, 0.06) << "and that wrongly";
  EXPECT_LT(twice.blocks, 20);
  EXPECT_GT(twice.decided, 0.95);
  EXPECT_LT(thrice.blocks, 10);
  EXPECT_GT(thrice.blocks, 8) << "the first look";
  EXPECT_LT(none.blocks, 30) << "equivalent";
  EXPECT_GT(none.decided, 0.95);
  EXPECT_GT(course_at(-2, 40).decided, 0.95) << "a regression is a decision, too";
}

TEST(LooksCourse, of_one_of_several_figures_takes_more_blocks) {
  EXPECT_GT(course_at(2, 40, 5).blocks, course_at(2, 40).blocks + 1);
  const Course too_few = course_at(10, 6, 5);
  EXPECT_EQ(too_few.blocks, 6);
  EXPECT_EQ(too_few.decided, 0) << "8 blocks give the first interval";
}

TEST(LooksCourse, without_noise_ends_at_the_first_look) {
  for (const double effect : {0.0, 0.02}) {
    const Course course = course_of({.sd = 0, .effect = effect, .threshold = 0.01, .most = 40, .figures = 1});
    EXPECT_EQ(course.blocks, 8) << effect;
    EXPECT_EQ(course.decided, 1) << effect;
  }
}

TEST(LooksCourse, has_the_same_answer_each_time) {
  EXPECT_EQ(course_at(1.5, 30).blocks, course_at(1.5, 30).blocks);
}

TEST(LooksCourse, goes_on_while_a_figure_is_open) {
  const std::vector<double> better(40, 0.05), same(40, 0);
  std::vector<double> open;
  for (int block = 0; block < 40; ++block) open.push_back(block % 2 == 0 ? 0.5 : -0.5);
  const auto ends = ends_of(looks_of(40, 2), {{better, open}, {better, same}}, 0.01);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0].blocks, 40U);
  EXPECT_FALSE(ends[0].decided);
  EXPECT_THAT(ends[0].verdicts, ElementsAre(Verdict::improvement, Verdict::inconclusive));
  EXPECT_EQ(ends[1].blocks, 9U);
  EXPECT_TRUE(ends[1].decided);
  EXPECT_THAT(ends[1].verdicts, ElementsAre(Verdict::improvement, Verdict::equivalent));
}

}  // namespace
}  // namespace netperfd::analysis
