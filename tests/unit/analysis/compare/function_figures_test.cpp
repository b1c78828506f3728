// SPDX-License-Identifier: GPL-2.0-or-later
// Each function is tested by its cost, the time of its calls and their number.
#include "daemon/analysis/compare/function_figures.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "daemon/analysis/compare/looks.hpp"
#include "tests/unit/analysis/compare/traced_sides.hpp"

namespace netperfd::analysis {
namespace {

using CallCounts = std::vector<std::uint64_t>;

// Adds a function to the eight traced runs of a side, with so many calls of so many ns in each run.
void add_calls(std::vector<ComparedRun>& runs, const std::string& name, const CallCounts& calls,
               const CallCounts& ns) {
  std::size_t i = 0;
  each_traced(runs, [&](ComparedRun& run) {
    ComparedFunction function = function_of(name, calls.at(i) * ns.at(i));
    function.hits = calls.at(i);
    ++i;
    run.trace->functions.push_back(function);
  });
}

CallCounts eight_of(std::uint64_t value) {
  return CallCounts(8, value);
}

// Eight increasing values.
CallCounts eight_from(std::uint64_t first, std::uint64_t step) {
  CallCounts values;
  for (std::uint64_t i = 0; i < 8; ++i) values.push_back(first + i * step);
  return values;
}

const FunctionDelta& delta_of(const Attribution& attribution, const std::string& name) {
  return *std::ranges::find(attribution.functions, name, &FunctionDelta::name);
}

bool is_absent(const ShiftEstimate& estimate, const Together& together) {
  return !estimate.shift && !estimate.low && !estimate.p && !together.p && !together.low && !together.high;
}

bool is_tested(const ShiftEstimate& estimate, const Together& together) {
  return estimate.shift && estimate.low && estimate.p && together.p && together.low && together.high;
}

bool is_without_zero(const Together& together) {
  return *together.low > 0 || *together.high < 0;
}

// Of 95,000 calls in a run on average, some runs have a tenth of what others have. Their 316 ns are 0.3 % of
// the CPU time.
CallCounts uneven_calls() {
  return {19'000, 228'000, 28'500, 199'500, 23'750, 180'500, 33'250, 47'500};
}

TEST(FunctionFigures, show_a_small_function_by_the_time_of_a_call_though_its_cost_does_not) {
  TracedSides sides = classic();
  add_calls(sides.a, "xmit", uneven_calls(), {316, 318, 314, 317, 315, 319, 313, 316});
  add_calls(sides.b, "xmit", uneven_calls(), {663, 665, 661, 664, 660, 666, 662, 663});
  const FunctionDelta xmit = delta_of(comparison_of(sides).attribution, "xmit");
  EXPECT_NEAR(xmit.call_time.centre_a, 316, 2);
  EXPECT_NEAR(xmit.call_time.shift.value_or(0), 347, 2);
  ASSERT_TRUE(is_tested(xmit.cost, xmit.cost_together));
  ASSERT_TRUE(is_tested(xmit.call_time, xmit.call_time_together));
  ASSERT_TRUE(is_tested(xmit.calls, xmit.calls_together));
  EXPECT_GT(*xmit.cost_together.p, 0.05);
  EXPECT_FALSE(is_without_zero(xmit.cost_together));
  EXPECT_EQ(xmit.calls_together.p, 1.0);
  EXPECT_LE(*xmit.call_time_together.p, 0.05);
  EXPECT_GT(*xmit.call_time_together.low, 338);
  EXPECT_LT(*xmit.call_time_together.high, 356);
  EXPECT_EQ(xmit.shown_by, FunctionFigure::call_time);
  EXPECT_EQ(xmit.calls.shift, 0.0);
  EXPECT_DOUBLE_EQ(xmit.shown_least.value_or(0), *xmit.call_time_together.low * xmit.calls.centre_a);
}

TEST(FunctionFigures, list_what_is_shown_before_larger_differences_that_are_not) {
  TracedSides sides = classic();
  add_calls(sides.a, "noisy", eight_of(2'000'000), {500, 2'000, 510, 2'010, 505, 1'990, 495, 2'005});
  add_calls(sides.b, "noisy", eight_of(2'000'000), {650, 2'150, 660, 2'160, 655, 2'140, 645, 2'155});
  add_calls(sides.a, "xmit", uneven_calls(), {316, 318, 314, 317, 315, 319, 313, 316});
  add_calls(sides.b, "xmit", uneven_calls(), {663, 665, 661, 664, 660, 666, 662, 663});
  const Attribution attribution = comparison_of(sides).attribution;
  ASSERT_EQ(attribution.functions.size(), 5U);
  EXPECT_EQ(attribution.tested, 5U);
  EXPECT_EQ(attribution.functions[0].name, "lookup");
  EXPECT_EQ(attribution.functions[1].name, "xmit");
  EXPECT_EQ(attribution.functions[2].name, "noisy");
  EXPECT_GT(*attribution.functions[0].shown_least, *attribution.functions[1].shown_least);
  EXPECT_FALSE(attribution.functions[2].shown_by || attribution.functions[2].shown_least);
  EXPECT_GT(*attribution.functions[2].cost.shift, *attribution.functions[1].cost.shift);
}

TEST(FunctionFigures, show_a_function_that_is_called_more_often_by_its_calls) {
  TracedSides sides = classic();
  add_calls(sides.a, "walk", eight_from(1'000'000, 500), {300, 340, 260, 320, 280, 330, 270, 300});
  add_calls(sides.b, "walk", eight_from(1'300'000, 500), {260, 300, 330, 270, 340, 300, 280, 320});
  const FunctionDelta walk = delta_of(comparison_of(sides).attribution, "walk");
  EXPECT_NEAR(walk.calls.shift.value_or(0), 0.3e-3, 1e-9);
  EXPECT_LE(walk.calls_together.p.value_or(1), 0.05);
  EXPECT_EQ(walk.call_time_together.p, 1.0) << "a call takes as long as before";
  EXPECT_EQ(walk.shown_by, FunctionFigure::calls);
  EXPECT_DOUBLE_EQ(walk.shown_least.value_or(0), *walk.calls_together.low * walk.a.ns_per_call);
  // The time of a call varies, so its cost is known less well.
  EXPECT_LT(*walk.cost_together.low, *walk.shown_least);
}

TEST(FunctionFigures, show_a_slower_call_that_is_made_less_often_though_it_costs_the_same) {
  TracedSides sides = classic();
  add_calls(sides.a, "walk", eight_from(1'000'000, 500), {400, 403, 398, 401, 399, 402, 397, 400});
  add_calls(sides.b, "walk", eight_from(500'000, 250), {800, 806, 796, 802, 798, 804, 794, 800});
  const FunctionDelta walk = delta_of(comparison_of(sides).attribution, "walk");
  EXPECT_EQ(walk.cost.shift, 0.0);
  EXPECT_NEAR(walk.cost_together.p.value_or(0), 1, 0.01);
  EXPECT_LE(walk.call_time_together.p.value_or(1), 0.05);
  EXPECT_LE(walk.calls_together.p.value_or(1), 0.05);
  EXPECT_LT(*walk.calls_together.high, 0);
  EXPECT_TRUE(walk.shown_by);
  // 400 ns in the 500,000 calls that both make, or as many calls less of 400 ns.
  EXPECT_NEAR(walk.shown_least.value_or(0), 0.2, 0.01);
}

TEST(FunctionFigures, of_fewer_than_200_calls_are_not_tested) {
  TracedSides sides = classic();
  add_calls(sides.a, "rare", eight_of(12), eight_of(500));
  add_calls(sides.b, "rare", eight_of(12), eight_of(900));
  const Attribution attribution = comparison_of(sides).attribution;
  EXPECT_EQ(attribution.tested, 3U);
  EXPECT_EQ(attribution.few_calls, 1U);
  const FunctionDelta& rare = delta_of(attribution, "rare");
  EXPECT_NEAR(rare.cost.shift.value_or(0), 12 * 400 / 1e9, 1e-12);
  EXPECT_EQ(rare.calls.shift, 0.0);
  EXPECT_FALSE(rare.cost.p || rare.cost.low || rare.cost.q || rare.calls.p || rare.calls.low);
  EXPECT_FALSE(rare.cost_together.p || rare.cost_together.low || rare.calls_together.p);
  EXPECT_TRUE(is_absent(rare.call_time, rare.call_time_together));
  EXPECT_FALSE(rare.shown_by || rare.shown_least || rare.detectable);
}

// The tracer takes some ns more or less in each boot, which no run of that boot shows.
TEST(FunctionFigures, are_not_blamed_for_the_tracer_of_a_boot) {
  TracedSides sides = classic();
  add_calls(sides.a, "rare", eight_of(10'000), eight_from(500, 1));
  add_calls(sides.b, "rare", eight_of(10'000), eight_from(512, 1));
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) {
      run.fingerprint.emplace().boot_id = "one";
      if (run.trace) run.trace->cost = {.entry_ns = 100, .entry_error_ns = 5};
    }
  }
  EXPECT_TRUE(delta_of(comparison_of(sides).attribution, "rare").shown_by);
  for (ComparedRun& run : sides.b) run.fingerprint->boot_id = "another";
  EXPECT_EQ(delta_of(comparison_of(sides).attribution, "rare").shown_by, std::nullopt);
}

TEST(FunctionFigures, of_200_calls_are_tested) {
  TracedSides sides = classic();
  add_calls(sides.a, "rare", eight_of(13), eight_of(500));
  add_calls(sides.b, "rare", eight_of(13), eight_of(900));
  const Attribution attribution = comparison_of(sides).attribution;
  EXPECT_EQ(attribution.tested, 4U);
  EXPECT_EQ(attribution.few_calls, 0U);
  const FunctionDelta& rare = delta_of(attribution, "rare");
  EXPECT_TRUE(is_tested(rare.cost, rare.cost_together));
  EXPECT_TRUE(is_tested(rare.call_time, rare.call_time_together));
  EXPECT_TRUE(is_tested(rare.calls, rare.calls_together));
  EXPECT_TRUE(rare.shown_by);
}

void forget_forward(ComparedRun& run) {
  std::erase_if(run.trace->functions,
                [](const ComparedFunction& function) { return function.name == "forward"; });
}

TEST(FunctionFigures, have_no_time_of_a_call_if_a_run_has_no_calls) {
  TracedSides sides = classic();
  forget_forward(sides.b[3]);
  const FunctionDelta forward = delta_of(comparison_of(sides).attribution, "forward");
  EXPECT_TRUE(is_absent(forward.call_time, forward.call_time_together));
  EXPECT_TRUE(is_tested(forward.cost, forward.cost_together));
  EXPECT_TRUE(is_tested(forward.calls, forward.calls_together));
}

void give_blocks(TracedSides& sides, std::size_t runs_of_side) {
  for (auto* side : {&sides.a, &sides.b}) {
    for (std::size_t i = 0; i < side->size(); ++i)
      (*side)[i].block = static_cast<std::uint32_t>(i / runs_of_side + 1);
  }
}

TEST(FunctionFigures, have_no_time_of_a_call_if_a_side_of_a_block_has_no_calls) {
  TracedSides sides = classic();
  give_blocks(sides, 2);  // one plain and one traced run
  ASSERT_TRUE(delta_of(comparison_of(sides).attribution, "forward").call_time.shift);
  forget_forward(sides.b[3]);
  const FunctionDelta forward = delta_of(comparison_of(sides).attribution, "forward");
  EXPECT_TRUE(is_absent(forward.call_time, forward.call_time_together));
  EXPECT_TRUE(is_tested(forward.cost, forward.cost_together));
  EXPECT_TRUE(is_tested(forward.calls, forward.calls_together));
}

TEST(FunctionFigures, have_the_time_of_a_call_if_another_run_of_the_block_has_calls) {
  TracedSides sides = classic();
  give_blocks(sides, 4);  // two traced runs
  forget_forward(sides.b[1]);
  EXPECT_TRUE(delta_of(comparison_of(sides).attribution, "forward").call_time.shift);
  forget_forward(sides.b[3]);
  EXPECT_FALSE(delta_of(comparison_of(sides).attribution, "forward").call_time.shift);
}

TEST(FunctionFigures, test_a_function_of_one_side_by_its_cost_and_its_calls) {
  TracedSides sides = classic();
  add_calls(sides.b, "hash", eight_of(2'000'000), eight_from(148, 1));
  const FunctionDelta hash = delta_of(comparison_of(sides).attribution, "hash");
  EXPECT_EQ(hash.match, FunctionMatch::only_b);
  ASSERT_TRUE(is_tested(hash.cost, hash.cost_together));
  ASSERT_TRUE(is_tested(hash.calls, hash.calls_together));
  EXPECT_TRUE(is_absent(hash.call_time, hash.call_time_together));
  EXPECT_LE(*hash.cost_together.p, 0.05);
  EXPECT_LE(*hash.calls_together.p, 0.05);
  EXPECT_GT(*hash.cost_together.low, 0.29);
  EXPECT_TRUE(hash.shown_by);
  EXPECT_NEAR(hash.shown_least.value_or(0), 2e6 * 151.5 / 1e9, 1e-6) << "with the time that B's calls take";
}

// Each call of forward makes so many traced calls. B calls it `more` times as often as A, and a call takes
// `slower` ns more in B.
struct Forwarding {
  std::uint64_t within_a = 1, within_b = 1;
  std::uint64_t more = 1, slower = 0;
};

// The tracer's cost of a traced call within is known up to `error` ns.
FunctionDelta forward_calibrated(const Forwarding& forwarding, double error) {
  TracedSides sides = classic();
  for (auto* side : {&sides.a, &sides.b}) {
    const bool is_a = side == &sides.a;
    each_traced(*side, [&](ComparedRun& run) {
      ComparedFunction& forward = run.trace->functions[1];
      if (!is_a) {
        forward.self_ns = forwarding.more * (forward.self_ns + forwarding.slower * forward.hits);
        forward.hits *= forwarding.more;
      }
      forward.traced_within = (is_a ? forwarding.within_a : forwarding.within_b) * forward.hits;
      forward.self_ns += 100 * forward.traced_within;
      run.trace->cost = {.entry_ns = 0, .callee_ns = 100, .entry_error_ns = 0, .callee_error_ns = error};
    });
  }
  return delta_of(comparison_of(sides).attribution, "forward");
}

constexpr double kErrorNs = 10, kQuantile = 1.95996;

TEST(FunctionFigures, have_no_error_of_the_calibration_in_the_time_of_calls_that_make_as_many_calls) {
  const FunctionDelta exact = forward_calibrated({.more = 3}, 0);
  const FunctionDelta off = forward_calibrated({.more = 3}, kErrorNs);
  EXPECT_NEAR(*off.call_time.low, *exact.call_time.low, 1e-6);
  EXPECT_NEAR(*off.call_time.high, *exact.call_time.high, 1e-6);
  // The cost of this function is in the family, and its error moves the critical value a little.
  EXPECT_NEAR(*off.call_time_together.low, *exact.call_time_together.low, 0.01 * kErrorNs);
  EXPECT_NEAR(*off.call_time_together.high, *exact.call_time_together.high, 0.01 * kErrorNs);
  // 4 * 10^6 more calls of 10 ns in 10^9 bytes.
  EXPECT_NEAR(*off.cost.shift - *off.cost.low,
              std::hypot(*exact.cost.shift - *exact.cost.low, kQuantile * 0.04), 1e-6);
  EXPECT_LT(*off.cost_together.low, *exact.cost_together.low - 0.05);
  EXPECT_GT(*off.cost_together.high, *exact.cost_together.high + 0.05);
  EXPECT_EQ(off.calls.low, exact.calls.low);
}

TEST(FunctionFigures, have_the_error_of_the_calibration_in_the_time_of_calls_that_make_more_calls) {
  const Forwarding forwarding{.within_a = 1, .within_b = 2, .slower = 100};
  const FunctionDelta exact = forward_calibrated(forwarding, 0);
  const FunctionDelta off = forward_calibrated(forwarding, kErrorNs);
  const ShiftEstimate& narrow = exact.call_time;
  const ShiftEstimate& wide = off.call_time;
  EXPECT_NEAR(*wide.shift, 100, 1e-6);
  EXPECT_NEAR(*wide.shift - *wide.low, std::hypot(*narrow.shift - *narrow.low, kQuantile * kErrorNs), 1e-4);
  EXPECT_NEAR(*wide.high - *wide.shift, std::hypot(*narrow.high - *narrow.shift, kQuantile * kErrorNs), 1e-4);
  EXPECT_LT(*off.call_time_together.low, *exact.call_time_together.low - kErrorNs);
  EXPECT_GT(*off.call_time_together.high, *exact.call_time_together.high + kErrorNs);
  EXPECT_LE(*off.call_time_together.p, 0.05);
  EXPECT_TRUE(off.shown_by);
}

TEST(FunctionFigures, have_the_error_of_the_calibration_on_both_sides_of_no_change) {
  for (const std::uint64_t slower : {0U, 2U}) {
    const FunctionDelta off = forward_calibrated({.within_a = 1, .within_b = 2, .slower = slower}, kErrorNs);
    const double shift = static_cast<double>(slower);
    EXPECT_NEAR(*off.call_time.shift, shift, 1e-6);
    EXPECT_GT(*off.call_time_together.p, 0.05);
    EXPECT_LT(*off.call_time_together.low, shift - 1.5 * kErrorNs) << slower;
    EXPECT_GT(*off.call_time_together.high, shift + 1.5 * kErrorNs) << slower;
    EXPECT_FALSE(off.shown_by) << slower;
  }
}

// B's calls take 15 ns more and make one more traced call, whose cost to the tracer is known up to 10 ns.
TEST(FunctionFigures, do_not_show_a_time_of_a_call_that_the_error_of_the_calibration_explains) {
  EXPECT_TRUE(forward_calibrated({.within_b = 2, .slower = 15}, 0).shown_by);
  const FunctionDelta off = forward_calibrated({.within_b = 2, .slower = 15}, kErrorNs);
  EXPECT_FALSE(off.shown_by);
  EXPECT_FALSE(is_without_zero(off.call_time_together));
}

// Functions whose calls take from nothing to 235 ns more, and vary by 200 ns. Each of the looks has a level
// of 99 %, so that all of them together have 95 %.
TEST(FunctionFigures, have_a_p_and_an_interval_that_agree_over_several_looks) {
  TracedSides sides = classic();
  std::mt19937_64 random(9);
  const auto varied = [&random](std::uint64_t ns) {
    CallCounts values;
    for (int i = 0; i < 8; ++i) values.push_back(ns + random() % 200);
    return values;
  };
  for (std::uint64_t step = 0; step < 48; ++step) {
    const std::string name = "step_" + std::to_string(step);
    add_calls(sides.a, name, eight_of(200'000), varied(10'000));
    add_calls(sides.b, name, eight_of(200'000), varied(10'000 + 5 * step));
  }
  ComparisonSettings settings;
  settings.looked = {.looks = looks_of(40, 1), .blocks = 12};
  settings.level = settings.looked->looks.level;
  ASSERT_EQ(settings.looked->looks.at.size(), 5U);
  int shown = 0, not_shown = 0;
  for (const FunctionDelta& function : compare(sides.a, sides.b, settings).attribution.functions) {
    ASSERT_TRUE(is_tested(function.call_time, function.call_time_together)) << function.name;
    const bool is_significant = *function.call_time_together.p <= 0.05;
    EXPECT_EQ(is_significant, is_without_zero(function.call_time_together))
        << function.name << ": p " << *function.call_time_together.p;
    ++(is_significant ? shown : not_shown);
  }
  EXPECT_GT(shown, 5);
  EXPECT_GT(not_shown, 5);
}

}  // namespace
}  // namespace netperfd::analysis
