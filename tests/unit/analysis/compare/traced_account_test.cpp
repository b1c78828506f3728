// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/traced_account.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/unit/analysis/compare/traced_sides.hpp"

namespace netperfd::analysis {
namespace {

TEST(TracedAccount, explains_a_share_of_the_traced_runs_and_shows_the_rest) {
  const Attribution attribution = comparison_of(classic()).attribution;
  ASSERT_TRUE(attribution.ns_per_byte && attribution.ns_per_byte->shift);
  EXPECT_NEAR(*attribution.ns_per_byte->shift, -2, 0.01);
  EXPECT_NEAR(attribution.ns_per_byte->centre_a, 10, 0.02);
  EXPECT_NEAR(attribution.explained.value_or(0), 0.75, 0.02);
  EXPECT_LT(*attribution.explained_low, 0.75);
  EXPECT_GT(*attribution.explained_high, 0.75);
  ASSERT_TRUE(attribution.account);
  EXPECT_NEAR(*attribution.account->time.shift, -2, 0.01);
  EXPECT_NEAR(*attribution.account->functions.shift, -1.5, 0.01);
  EXPECT_NEAR(*attribution.account->tracer.shift, 0, 1e-9);
  EXPECT_NEAR(*attribution.account->rest.shift, -0.5, 0.01);
  EXPECT_LT(*attribution.account->rest.low, -0.5);
  EXPECT_GT(*attribution.account->rest.high, -0.5);
  EXPECT_NEAR(attribution.traced_to_plain.value_or(0), 0.76, 0.001);
}

// The cause is in code that is not traced: the functions must not be said to explain it.
// 1.5 of 2 ns a byte, with the spread of both: not narrower than what all functions explain is known to.
TEST(TracedAccount, gives_the_share_of_a_function_with_its_interval) {
  const Attribution attribution = comparison_of(classic()).attribution;
  const FunctionDelta& lookup = attribution.functions[0];
  ASSERT_TRUE(lookup.share_low && lookup.share_high);
  EXPECT_LT(*lookup.share_low, 0.75);
  EXPECT_GT(*lookup.share_high, 0.75);
  EXPECT_GT(*lookup.share_low, 0.73);
  EXPECT_LT(*lookup.share_high, 0.77);
  for (const FunctionDelta& function : attribution.functions) {
    EXPECT_EQ(function.share_low.has_value(), function.cost.low.has_value()) << function.name;
    if (function.share_low)
      EXPECT_TRUE(*function.share_low <= function.share && function.share <= *function.share_high)
          << function.name;
  }
}

// The change of CPU time is only just known: no function's share of it is known better.
TEST(TracedAccount, gives_a_share_of_an_uncertain_change_as_uncertain) {
  TracedSides sides = classic();
  std::uint64_t more = 0;
  each_traced(sides.b, [&more](ComparedRun& run) {
    *run.busy_ns += 300'000'000 * (more++ % 4);
    *run.busy_ns -= 450'000'000;
  });
  const Attribution attribution = comparison_of(sides).attribution;
  const FunctionDelta& lookup = attribution.functions[0];
  ASSERT_TRUE(attribution.explained && lookup.share_low && lookup.share_high);
  EXPECT_LT(*lookup.share_low, *lookup.share - 0.1);
  EXPECT_GT(*lookup.share_high, *lookup.share + 0.1);
}

TEST(TracedAccount, of_a_cause_in_untraced_code_shows_it_in_the_rest) {
  TracedSides sides = classic();
  for (ComparedRun& run : sides.b) *run.busy_ns += 5'000'000'000;
  const Attribution attribution = comparison_of(sides).attribution;
  EXPECT_NEAR(*attribution.account->rest.shift, 4.5, 0.01);
  EXPECT_NEAR(attribution.explained.value_or(1), -0.5, 0.01);
}

TEST(TracedAccount, gives_no_shares_where_plain_and_traced_runs_disagree) {
  TracedSides sides = classic();
  each_traced(sides.b, [](ComparedRun& run) { *run.busy_ns += 3'000'000'000; });
  const Comparison comparison = comparison_of(sides);
  EXPECT_NEAR(*comparison.attribution.account->time.shift, 1, 0.01);
  EXPECT_FALSE(comparison.attribution.explained);
  EXPECT_FALSE(comparison.attribution.functions[0].share);
  EXPECT_THAT(comparison.caveats,
              has_caveat("Plain and traced runs disagree on the change in CPU time, -2 ("));
}

TEST(TracedAccount, has_no_account_without_the_tracers_cost) {
  TracedSides sides = classic();
  each_traced(sides.b, [](ComparedRun& run) { run.trace->cost.reset(); });
  EXPECT_FALSE(comparison_of(sides).attribution.account);
  EXPECT_FALSE(comparison_of(sides).attribution.explained);
}

// Each way without a share of a cause that is found has its word.
class NoShares : public testing::Test {
 protected:
  void expect_caveat(const std::string& words) const {
    const Comparison comparison = comparison_of(sides_);
    const FunctionDelta& first = comparison.attribution.functions.front();
    EXPECT_EQ(first.name, "lookup");
    EXPECT_TRUE(first.shown_by);
    EXPECT_FALSE(first.share);
    EXPECT_FALSE(comparison.attribution.explained);
    EXPECT_EQ(comparison.attribution.not_attributed, "");
    EXPECT_THAT(comparison.caveats, has_caveat(words));
  }
  static void each_plain(std::vector<ComparedRun>& runs, const std::function<void(ComparedRun&)>& change) {
    for (ComparedRun& run : runs) {
      if (!run.trace) change(run);
    }
  }
  // 0, 4 or 8 ns a byte, beside a change of 2.
  static std::uint64_t scatter(std::uint64_t run) { return 4'000'000'000 * (run % 3); }

  TracedSides sides_ = classic();
};

TEST_F(NoShares, are_told_if_some_traces_are_not_calibrated) {
  each_traced(sides_.b, [](ComparedRun& run) { run.trace->cost.reset(); });
  expect_caveat("Some traced runs are not calibrated: what the tracer took of their CPU time is not known");
}

TEST_F(NoShares, are_told_if_no_traced_run_of_a_side_knows_its_cpu_time) {
  each_traced(sides_.b, [](ComparedRun& run) { run.busy_ns.reset(); });
  expect_caveat("No traced run of B knows its CPU time, so no share of the change is given to functions.");
}

TEST_F(NoShares, are_told_if_no_plain_run_of_a_side_knows_its_cpu_time) {
  each_plain(sides_.a, [](ComparedRun& run) { run.busy_ns.reset(); });
  expect_caveat("No plain runs of both sides tell how much CPU time they took a byte");
}

TEST_F(NoShares, are_told_if_plain_and_traced_runs_disagree) {
  each_traced(sides_.b, [](ComparedRun& run) { *run.busy_ns += 3'000'000'000; });
  expect_caveat("Plain and traced runs disagree on the change in CPU time, -2 (");
}

TEST_F(NoShares, are_told_if_the_traced_runs_cpu_time_may_not_have_changed) {
  std::uint64_t next = 0;
  for (auto* side : {&sides_.a, &sides_.b})
    each_traced(*side, [&next](ComparedRun& run) { *run.busy_ns += scatter(next++); });
  expect_caveat("The CPU time of the whole traced runs may as well not have changed, ");
}

TEST_F(NoShares, are_told_if_the_plain_runs_cpu_time_may_not_have_changed) {
  std::uint64_t next = 0;
  for (auto* side : {&sides_.a, &sides_.b})
    each_plain(*side, [&next](ComparedRun& run) { *run.busy_ns += scatter(next++); });
  expect_caveat("The CPU time of the whole plain runs may as well not have changed, ");
}

TEST_F(NoShares, are_told_if_too_few_plain_runs_know_their_cpu_time) {
  for (auto* side : {&sides_.a, &sides_.b}) {
    int kept = 0;
    each_plain(*side, [&kept](ComparedRun& run) {
      if (++kept > 2) run.busy_ns.reset();
    });
  }
  expect_caveat("The plain runs are too few to tell whether their CPU time changed, so no share");
}

TEST_F(NoShares, are_told_if_too_few_traced_runs_know_their_cpu_time) {
  for (auto* side : {&sides_.a, &sides_.b}) {
    int kept = 0;
    each_traced(*side, [&kept](ComparedRun& run) {
      if (++kept > 2) run.busy_ns.reset();
    });
  }
  expect_caveat("The traced runs are too few to tell whether their CPU time changed, so no share");
}

// Equal sides have no cause to tell of.
TEST_F(NoShares, are_not_told_if_no_function_is_shown) {
  sides_.b = sides_.a;
  const Comparison comparison = comparison_of(sides_);
  EXPECT_FALSE(comparison.attribution.functions.front().shown_by);
  EXPECT_THAT(comparison.caveats, testing::Not(has_caveat("no share of")));
}

TEST(TracedAccount, gives_no_shares_of_a_difference_that_may_be_none) {
  TracedSides sides = classic();
  for (ComparedRun& run : sides.b) *run.busy_ns += 2'000'000'000;
  const Attribution attribution = comparison_of(sides).attribution;
  EXPECT_TRUE(attribution.ns_per_byte->low);
  EXPECT_FALSE(attribution.explained);
  EXPECT_FALSE(attribution.functions[0].share);
  EXPECT_NEAR(*attribution.account->rest.shift, 1.5, 0.02);
}

}  // namespace
}  // namespace netperfd::analysis
