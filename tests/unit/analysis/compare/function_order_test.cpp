// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/function_order.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/analysis/compare/traced_sides.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;

struct Shown {
  double shift, low, high;
  std::optional<double> p_adjusted;
};

ShiftEstimate cost_of(const Shown& shown) {
  ShiftEstimate cost;
  cost.shift = shown.shift;
  cost.low = shown.low;
  cost.high = shown.high;
  return cost;
}

FunctionDelta traced(const std::string& name, const Shown& shown) {
  FunctionDelta function;
  function.name = name;
  function.cost = cost_of(shown);
  function.cost_together = {.p = shown.p_adjusted, .low = shown.low, .high = shown.high};
  return function;
}

// Another figure than its cost may show it.
FunctionDelta shown_by_least(FunctionDelta function, double least) {
  function.shown_by = FunctionFigure::call_time;
  function.shown_least = least;
  return function;
}

FunctionDelta sampled_only(const std::string& name, const Shown& shown) {
  FunctionDelta function;
  function.name = name;
  function.traced = false;
  function.sampled.emplace().cost = cost_of(shown);
  function.sampled->together = {.p = shown.p_adjusted, .low = shown.low, .high = shown.high};
  return function;
}

std::vector<std::string> names_of(const std::vector<FunctionDelta>& functions) {
  std::vector<std::string> names;
  for (const FunctionDelta& function : functions) names.push_back(function.name);
  return names;
}

std::vector<std::string> ordered(std::vector<FunctionDelta> functions) {
  order_functions(functions);
  return names_of(functions);
}

TEST(FunctionOrder, puts_what_is_shown_above_larger_differences_that_are_not) {
  EXPECT_THAT(
      ordered({traced("reaches 0", {-0.9, -1.8, 0.0, 0.12}), traced("contains 0", {0.7, -0.1, 1.5, 0.4}),
               traced("nearly 0", {-0.5, -0.9, -0.01, 0.06}), traced("planted", {0.12, 0.08, 0.16, 0.031})}),
      ElementsAre("planted", "reaches 0", "contains 0", "nearly 0"));
}

TEST(FunctionOrder, is_by_the_end_nearest_to_0_of_what_is_shown_and_by_size_of_the_rest) {
  EXPECT_THAT(ordered({traced("wide", {3.0, 0.1, 5.9, 0.031}), traced("small", {0.01, -0.5, 0.5, 1}),
                       traced("less", {-0.4, -0.6, -0.2, 0.05}), traced("untested", {-2.0, 0, 0, {}}),
                       traced("sure", {0.5, 0.4, 0.6, 0.01})}),
              ElementsAre("sure", "less", "wide", "untested", "small"));
}

TEST(FunctionOrder, needs_both_the_adjusted_p_and_the_interval) {
  EXPECT_THAT(ordered({traced("p alone", {2, -1, 5, 0.03}), traced("interval alone", {4, 3, 5, 0.051}),
                       traced("both", {0.2, 0.1, 0.3, 0.05})}),
              ElementsAre("both", "interval alone", "p alone"));
}

TEST(FunctionOrder, is_by_what_the_shown_figure_takes_at_least_whatever_the_cost_shows) {
  EXPECT_THAT(ordered({traced("large, not shown", {5, -1, 11, 0.4}),
                       shown_by_least(traced("little", {0.03, -0.2, 0.3, 0.9}), 0.01),
                       shown_by_least(traced("more", {0.02, -0.1, 0.2, 0.7}), 0.02),
                       traced("not shown", {0.5, -1, 2, 0.6}),
                       shown_by_least(traced("most", {4, 0.1, 8, 0.04}), 0.3)}),
              ElementsAre("most", "more", "little", "large, not shown", "not shown"));
}

TEST(FunctionOrder, judges_functions_that_are_not_traced_by_their_samples) {
  FunctionDelta confirmed = traced("traced, not shown", {1, -1, 3, 0.6});
  confirmed.sampled.emplace().cost = cost_of({9, 8, 10, 0.01});
  confirmed.sampled->together = {.p = 0.01, .low = 8, .high = 10};
  EXPECT_THAT(
      ordered({sampled_only("sampled, not shown", {8, -1, 17, 0.4}), confirmed,
               sampled_only("sampled", {0.2, 0.1, 0.3, 0.01}), traced("traced", {0.04, 0.03, 0.05, 0.01})}),
      ElementsAre("traced", "sampled", "traced, not shown", "sampled, not shown"));
}

TEST(FunctionOrder, keeps_the_order_of_functions_without_a_difference) {
  FunctionDelta first, second;
  first.name = "b";
  second.name = "a";
  EXPECT_THAT(ordered({first, second}), ElementsAre("b", "a"));
}

// Both take more time in B: "noisy" 0.3 ns a byte, and 3 more in every other run of either side; "planted"
// 0.1.
TEST(FunctionOrder, is_that_of_a_comparison) {
  TracedSides sides = classic();
  for (auto* side : {&sides.a, &sides.b}) {
    const bool is_b = side == &sides.b;
    std::uint64_t i = 0;
    each_traced(*side, [&](ComparedRun& run) {
      const std::uint64_t noise = i % 2 == 0 ? 0 : 3'000'000'000;
      const std::uint64_t wobble = 1'000'000 * ((3 * i++) % 8);
      run.trace->functions.push_back(
          function_of("noisy", (is_b ? 1'300'000'000 : 1'000'000'000) + noise + wobble));
      run.trace->functions.push_back(function_of("planted", (is_b ? 500'000'000 : 400'000'000) + wobble));
    });
  }
  const std::vector<FunctionDelta> functions = comparison_of(sides).attribution.functions;
  const auto planted = std::ranges::find(functions, "planted", &FunctionDelta::name);
  const auto noisy = std::ranges::find(functions, "noisy", &FunctionDelta::name);
  ASSERT_NE(planted, functions.end());
  ASSERT_NE(noisy, functions.end());
  ASSERT_LE(planted->cost_together.p.value_or(1), 0.05);
  ASSERT_GT(noisy->cost_together.p.value_or(1), 0.05);
  ASSERT_GT(*noisy->cost.shift, *planted->cost.shift);
  EXPECT_LT(planted, noisy);
}

}  // namespace
}  // namespace netperfd::analysis
