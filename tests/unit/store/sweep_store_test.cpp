// SPDX-License-Identifier: GPL-2.0-or-later
// The comparison of stored sweeps, whose points have known effects.
#include <gmock/gmock.h>

#include <cmath>

#include "daemon/core/comparison/sweep_comparison.hpp"
#include "tests/unit/store/design_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint32_t kBlocks = 10;

// Points 1 to 6.
JobSpec a_sweep() {
  JobSpec spec = a_design("swept");
  spec.repeat = kBlocks;
  spec.design->changed = {"sysctl:net.core.rmem_max"};  // no code, which boots and builds could add to
  spec.design->sweep = {{.key = "streams", .values = {"1", "4", "16"}},
                        {.key = "length", .values = {"64", "512"}}};
  return spec;
}

// B is better by 2 % for each further value of streams, and equal at the first; blocks differ by some per
// mille.
double rate_at(const Slot& slot) {
  const double effect = 0.02 * ((slot.point - 1) / 2);
  const double noise = 0.002 * std::sin(slot.block * 7.0 + slot.point * 3.0 + slot.letter);
  return kRate * (1 + noise) * (slot.variant == 'B' ? 1 + effect : 1);
}

class Sweeps : public Designs {
 protected:
  SweepComparison swept(JobId job) { return must(core::compare_sweep(*store, job, {}, &analysis::compare)); }
};

TEST_F(Sweeps, are_compared_at_each_point_at_a_level_that_all_share) {
  const SweepComparison sweep =
      swept(done(a_sweep(), [](const Slot& slot) { return Outcome{rate_at(slot)}; }));
  EXPECT_THAT(sweep.axes, ElementsAre("streams", "length"));
  EXPECT_EQ(sweep.name_a, "list");
  EXPECT_EQ(sweep.name_b, "hash");
  EXPECT_EQ(sweep.tests, 6U);
  EXPECT_EQ(sweep.fewest, 8U);
  ASSERT_THAT(sweep.points, SizeIs(6));
  EXPECT_EQ(sweep.points[3].name, "streams=4, length=512");
  EXPECT_THAT(sweep.points[3].values, ElementsAre("4", "512"));
  std::vector<Verdict> verdicts;
  for (const ComparedPoint& point : sweep.points) {
    EXPECT_EQ(point.runs_a, 2 * kBlocks) << point.name;
    ASSERT_THAT(point.figures, SizeIs(1)) << point.name;
    const RatioEstimate& effect = point.figures.front().effect;
    EXPECT_EQ(effect.n_a, kBlocks) << "blocks of this point alone";
    EXPECT_GE(effect.level, 1 - 0.05 / 6);
    EXPECT_NEAR(*point.figures.front().p_adjusted, std::min(1.0, 6 * *effect.p), 1e-12);
    verdicts.push_back(point.verdict);
  }
  EXPECT_THAT(verdicts, ElementsAre(Verdict::equivalent, Verdict::equivalent, Verdict::improvement,
                                    Verdict::improvement, Verdict::improvement, Verdict::improvement));
}

TEST_F(Sweeps, tell_how_the_change_grows_along_an_axis_of_numbers) {
  const SweepComparison sweep =
      swept(done(a_sweep(), [](const Slot& slot) { return Outcome{rate_at(slot)}; }));
  ASSERT_THAT(sweep.trends, SizeIs(2)) << "along streams for each length; length has two values only";
  for (const SweepTrend& trend : sweep.trends) {
    EXPECT_EQ(trend.axis, "streams");
    EXPECT_TRUE(trend.monotone);
    EXPECT_EQ(trend.points, 3U);
    EXPECT_EQ(trend.blocks, kBlocks);
    EXPECT_NEAR(*trend.ratio, 1.04, 0.003);
    EXPECT_LT(*trend.low, 1.04);
    EXPECT_GT(*trend.high, 1.04);
    EXPECT_GT(*trend.low, 1);
  }
  EXPECT_EQ(sweep.trends.front().at, "length=64");
}

TEST_F(Sweeps, are_not_compared_as_if_their_points_were_one_sample) {
  const JobId job = done(a_sweep(), [](const Slot& slot) { return Outcome{rate_at(slot)}; });
  EXPECT_THAT(refused(job).message, HasSubstr("is a sweep of 6 points"));
  const auto two = core::compare_selections(
      *store, {.a = "variant:list", .b = "variant:hash", .settings = {}, .caller = kOwner},
      &analysis::compare);
  ASSERT_FALSE(two);
  EXPECT_THAT(two.error().message, HasSubstr("is a sweep"));
}

TEST_F(Sweeps, can_be_compared_at_one_point_with_all_that_a_comparison_tells) {
  const JobId job = done(a_sweep(), [](const Slot& slot) { return Outcome{rate_at(slot)}; });
  analysis::ComparisonSettings settings;
  settings.point = 5;
  const auto one = compared(job, settings);
  EXPECT_EQ(one.comparison.verdict, Verdict::improvement);
  EXPECT_THAT(one.comparison.a, SizeIs(2 * kBlocks));
  EXPECT_GE(one.comparison.effect.level, 1 - 0.05 / 6) << "it may have been chosen for what it shows";
  settings.point = 7;
  EXPECT_THAT(refused(job, settings).message, HasSubstr("has no point 7"));
  const JobId plain = done(a_design(), [](const Slot& slot) { return Outcome{rate_of(slot)}; });
  settings.point = 1;
  EXPECT_THAT(refused(plain, settings).message, HasSubstr("is no sweep"));
  const auto none = core::compare_sweep(*store, plain, {}, &analysis::compare);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("is no sweep"));
}

TEST_F(Sweeps, say_of_a_point_without_runs_why_it_has_no_verdict) {
  const SweepComparison sweep = swept(done(a_sweep(), [](const Slot& slot) {
    return Outcome{rate_at(slot), slot.point == 2 ? RunState::failed : RunState::finished};
  }));
  ASSERT_THAT(sweep.points, SizeIs(6));
  EXPECT_EQ(sweep.points[1].verdict, Verdict::too_few);
  EXPECT_THAT(sweep.points[1].figures, IsEmpty());
  EXPECT_THAT(sweep.points[1].caveat, HasSubstr("has no finished run"));
  EXPECT_EQ(sweep.points[2].verdict, Verdict::improvement);
  ASSERT_THAT(sweep.trends, SizeIs(1)) << "of the other length, two values are left";
  EXPECT_EQ(sweep.trends.front().at, "length=64");
}

TEST_F(Sweeps, are_planned_by_the_point_that_spreads_the_most) {
  const auto noisy_at = [](std::uint32_t noisy) {
    return [noisy](const Slot& slot) {
      const double sd = slot.point == noisy ? 0.02 : 0.001;
      return Outcome{kRate * (1 + sd * std::sin(slot.block * 5.0 + slot.letter * 3.0))};
    };
  };
  done(a_sweep(), noisy_at(3));
  const core::RunPlan plan = planned({.runs = "scenario:swept", .repeat = {}});
  EXPECT_EQ(plan.samples, kBlocks);
  EXPECT_GT(plan.sd, 0.005);
  EXPECT_NEAR(plan.level, 1 - 0.05 / 6, 1e-9);
}

}  // namespace
}  // namespace netperfd::store
