// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/tracer_cost.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/unit/analysis/compare/traced_sides.hpp"

namespace netperfd::analysis {
namespace {

std::vector<ComparedRun> runs_with(const std::vector<TracerCost>& costs) {
  std::vector<ComparedRun> runs(costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) runs[i].trace.emplace().cost = costs[i];
  return runs;
}

RunList list_of(const std::vector<ComparedRun>& runs) {
  RunList list;
  for (const ComparedRun& run : runs) list.push_back(&run);
  return list;
}

TEST(TracerCosts, is_the_median_of_both_sides_and_its_error_their_robust_spread) {
  const auto a = runs_with({{851, 100, 1.0, 9.0}, {853, 100, 1.0, 9.0}, {855, 100, 1.0, 9.0}});
  const auto b = runs_with({{857, 100, 1.0, 9.0}, {859, 100, 1.0, 9.0}, {1462, 100, 1.0, 9.0}});
  const auto cost = tracer_costs(list_of(a), list_of(b)).a;
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->entry_ns, 856);
  EXPECT_EQ(cost->callee_ns, 100);
  // Deviations from 856: 1, 1, 3, 3, 5 and 606, so 3 * 1.4826, times 1.200 for six values.
  EXPECT_NEAR(*cost->entry_error_ns, 5.337, 0.001) << "the outlier counts as any other";
  EXPECT_EQ(*cost->callee_error_ns, 9) << "the calibrations' own error is greater than their spread of 0";
}

TEST(TracerCosts, has_the_spread_alone_where_no_calibration_knows_its_error) {
  const auto a = runs_with({{.entry_ns = 850, .callee_ns = 20}});
  const auto b = runs_with({{.entry_ns = 854, .callee_ns = 20}});
  const auto cost = tracer_costs(list_of(a), list_of(b)).a;
  ASSERT_TRUE(cost);
  EXPECT_NEAR(*cost->entry_error_ns, 2.828, 0.001);
  EXPECT_EQ(*cost->callee_error_ns, 0);
}

TEST(TracerCosts, is_absent_where_a_run_is_not_calibrated) {
  const auto a = runs_with({{.entry_ns = 850, .callee_ns = 20}});
  std::vector<ComparedRun> b(1);
  b[0].trace.emplace();
  EXPECT_FALSE(tracer_costs(list_of(a), list_of(b)).a);
}

TEST(TracerCosts, are_those_of_each_side_where_the_kernels_differ) {
  auto a = runs_with({{850, 20, 1.0, 1.0}, {852, 20, 1.0, 1.0}});
  auto b = runs_with({{900, 20, 2.0, 1.0}, {902, 20, 2.0, 1.0}});
  for (ComparedRun& run : a) run.fingerprint.emplace().facts = {{"kernel", "build-id", "b1d7"}};
  for (ComparedRun& run : b) run.fingerprint.emplace().facts = {{"kernel", "build-id", "f8da"}};
  const TracerCosts costs = tracer_costs(list_of(a), list_of(b));
  EXPECT_FALSE(costs.common);
  EXPECT_EQ(costs.a->entry_ns, 851);
  EXPECT_EQ(costs.b->entry_ns, 901);
  const auto within = costs_within_error(costs);
  ASSERT_EQ(within.size(), 9U);
  EXPECT_GT(within[1].a->entry_ns, 851);
  EXPECT_EQ(within[1].b->entry_ns, 901) << "the errors of two kernels have nothing in common";
  EXPECT_EQ(within[8].a->callee_ns, 20);
  EXPECT_LT(within[8].b->callee_ns, 20);
  Caveats caveats;
  note_unequal_costs(list_of(a), list_of(b), 0.95, caveats);
  EXPECT_THAT(caveats.sentences(), has_caveat("871 ns a call in A and 921 ns in B"));
  for (ComparedRun& run : b) run.fingerprint->facts[0].value = "b1d7";
  EXPECT_TRUE(tracer_costs(list_of(a), list_of(b)).common);
}

TracerCosts both(const TracerCost& cost) {
  return {.a = cost, .b = cost, .common = true};
}

TEST(CostsWithinError, are_the_cost_alone_without_an_error) {
  EXPECT_EQ(costs_within_error({}).size(), 1U);
  EXPECT_EQ(costs_within_error(both({.entry_ns = 850, .callee_ns = 20})).size(), 1U);
  EXPECT_EQ(costs_within_error(both({850, 20, 0.0, 0.0})).size(), 1U);
}

// Two sides of six runs whose shift is 10, with the interval [8, 12].
class CorrectedShiftTest : public testing::Test {
 protected:
  CorrectedShiftTest() : a_(6), b_(6), grouping_(list_of(a_), list_of(b_)) {}

  // The figure of a cost that makes B's larger by that much.
  static SideValues figure(double shift) {
    SideValues values;
    for (const double x : {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5}) {
      values.a.emplace_back(x);
      values.b.emplace_back(x + shift);
    }
    return values;
  }

  std::vector<ComparedRun> a_, b_;
  Grouping grouping_;
};

TEST_F(CorrectedShiftTest, without_an_error_is_that_of_the_rank_test) {
  const auto found = corrected_shift(grouping_, {figure(10)}, 0.95);
  EXPECT_EQ(found.estimate.shift, 10);
  EXPECT_EQ(found.estimate.low, 7);
  EXPECT_EQ(found.estimate.high, 13);
  EXPECT_NEAR(*found.estimate.p, 2.0 / 924, 1e-12);
  EXPECT_EQ(found.lower + found.higher, 0);
}

TEST_F(CorrectedShiftTest, has_an_interval_that_is_wider_by_the_error_in_squares) {
  // 1.5 for the entry, the larger of both directions, and 0.5 for the callee.
  const auto found =
      corrected_shift(grouping_, {figure(10), figure(8.5), figure(11), figure(10.5), figure(9.5)}, 0.95);
  EXPECT_EQ(found.estimate.shift, 10);
  // sqrt(3^2 + (1.95996 * 2)^2)
  EXPECT_NEAR(*found.estimate.low, 10 - 4.9362, 1e-4);
  EXPECT_NEAR(*found.estimate.high, 10 + 4.9362, 1e-4);
  EXPECT_NEAR(found.lower, 1.9362, 1e-4);
  EXPECT_NEAR(found.higher, 1.9362, 1e-4);
  // B is moved to 8.0638 above A, where one of 36 pairs would be in the other order only below 5.
  EXPECT_NEAR(*found.estimate.p, 2.0 / 924, 1e-12);
  EXPECT_NEAR(found.samples.b[0], -2.5 + 8.0638, 1e-4);
}

TEST_F(CorrectedShiftTest, has_a_p_that_does_not_contradict_its_interval) {
  for (const double shift : {-6.0, -4.0, 2.0, 3.3, 3.7, 5.0, 6.0, 9.0}) {
    for (const double error : {0.1, 0.5, 1.0, 2.0, 4.0}) {
      const auto found = corrected_shift(
          grouping_,
          {figure(shift), figure(shift + error), figure(shift - error), figure(shift), figure(shift)}, 0.95);
      const bool outside = *found.estimate.low > 0 || *found.estimate.high < 0;
      EXPECT_EQ(outside, *found.estimate.p <= 0.05) << shift << " with an error of " << error;
    }
  }
}

TEST_F(CorrectedShiftTest, finds_nothing_where_the_error_of_the_cost_is_greater_than_the_shift) {
  const auto found =
      corrected_shift(grouping_, {figure(10), figure(20), figure(0), figure(10), figure(10)}, 0.95);
  EXPECT_LT(*found.estimate.low, 0);
  EXPECT_EQ(*found.estimate.p, 1);
}

// Lookup is called 10 % more often in B, so an error of 10 ns a call is one of 2 * 10^6 * 0.1 * 10 ns in 10^9
// bytes: 0.002 ns per byte.
TEST(Attribution, has_the_error_of_the_cost_in_its_intervals_where_call_rates_differ) {
  TracedSides sides = classic();
  const auto calibrated_at = [&sides](double error) {
    for (auto* side : {&sides.a, &sides.b}) {
      each_traced(*side, [error](ComparedRun& run) {
        run.trace->cost = {.entry_ns = 100, .callee_ns = 0, .entry_error_ns = error, .callee_error_ns = 0};
      });
    }
    return comparison_of(sides).attribution;
  };
  each_traced(sides.b, [](ComparedRun& run) {
    run.trace->functions[0].hits = 2'200'000;
    run.trace->calls += 200'000;
  });
  const auto exact = calibrated_at(0), off = calibrated_at(10);
  const auto& lookup = exact.functions[0].cost;
  const auto& wider = off.functions[0].cost;
  ASSERT_EQ(off.functions[0].name, "lookup");
  EXPECT_EQ(wider.shift, lookup.shift);
  EXPECT_NEAR(*wider.shift - *wider.low, std::hypot(*lookup.shift - *lookup.low, 1.95996 * 0.002), 1e-6);
  EXPECT_NEAR(*wider.high - *wider.shift, std::hypot(*lookup.high - *lookup.shift, 1.95996 * 0.002), 1e-6);
  EXPECT_GT(*off.functions[0].detectable, *exact.functions[0].detectable);
  const auto& forward = *std::ranges::find(off.functions, "forward", &FunctionDelta::name);
  const auto& same = *std::ranges::find(exact.functions, "forward", &FunctionDelta::name);
  EXPECT_EQ(forward.cost.low, same.cost.low) << "called equally often: the error is the same on both sides";
  EXPECT_NEAR(*off.account->tracer.high - *off.account->tracer.shift, 1.95996 * 0.002, 1e-6);
  EXPECT_NEAR(*off.account->time.shift - *off.account->time.low,
              std::hypot(*exact.account->time.shift - *exact.account->time.low, 1.95996 * 0.002), 1e-6);
}

}  // namespace
}  // namespace netperfd::analysis
