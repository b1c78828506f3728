// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/gates.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/analysis/compare/run_planner.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

using testing::Not;

RatioEstimate interval(double low, double high) {
  RatioEstimate estimate;
  estimate.ratio = std::sqrt(low * high);
  estimate.low = low;
  estimate.high = high;
  return estimate;
}

TEST(Verdict, is_of_the_interval_against_the_threshold) {
  EXPECT_EQ(verdict_of(interval(1.011, 1.05), 0.01), Verdict::improvement);
  EXPECT_EQ(verdict_of(interval(0.95, 0.989), 0.01), Verdict::regression);
  EXPECT_EQ(verdict_of(interval(0.98, 1.02), 0.01), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(interval(0.995, 1.005), 0.01), Verdict::equivalent);
}

TEST(Verdict, of_a_sure_difference_within_the_threshold_is_equivalent) {
  EXPECT_EQ(verdict_of(interval(1.002, 1.008), 0.01), Verdict::equivalent);
  EXPECT_EQ(verdict_of(interval(1.002, 1.008), 0.002), Verdict::improvement);
}

TEST(Verdict, of_a_difference_that_may_be_less_than_the_threshold_only_leans) {
  for (const auto& [low, high, leaning] :
       {std::tuple{1.001, 1.05, Verdict::improvement}, {0.95, 0.999, Verdict::regression}}) {
    EXPECT_EQ(verdict_of(interval(low, high), 0.01), Verdict::inconclusive);
    EXPECT_EQ(leaning_of(interval(low, high), Better::higher), leaning);
    EXPECT_NE(leaning_of(interval(low, high), Better::lower), leaning);
  }
  EXPECT_FALSE(leaning_of(interval(0.99, 1.05), Better::higher));
  EXPECT_FALSE(leaning_of({}, Better::higher));
}

TEST(Verdict, is_of_the_interval_that_the_luck_of_builds_and_boots_widens) {
  // Each end is 3 % away, and with a luck of 4 % it is 5 % away.
  const RatioEstimate effect = interval(std::exp(0.04), std::exp(0.1));
  EXPECT_EQ(verdict_of(effect, 0.01), Verdict::improvement);
  EXPECT_EQ(verdict_of(effect, 0.01, Better::higher, std::exp(0.04)), Verdict::improvement) << "2 % at least";
  EXPECT_EQ(verdict_of(effect, 0.021, Better::higher, std::exp(0.04)), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(interval(0.995, 1.005), 0.01, Better::higher, 1.02), Verdict::inconclusive);
}

TEST(Verdict, at_its_borders_claims_less) {
  EXPECT_EQ(verdict_of(interval(1.0, 1.05), 0.01), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(interval(0.99, 1.005), 0.01), Verdict::inconclusive);
}

TEST(Verdict, without_an_interval_is_too_few) {
  RatioEstimate estimate;
  estimate.ratio = 3;
  EXPECT_EQ(verdict_of(estimate, 0.01), Verdict::too_few);
}

TEST(Comparison, of_clearly_faster_runs_is_an_improvement) {
  const Comparison comparison =
      compare(runs_from(0, eight_around(100e6)), runs_from(10, eight_around(120e6)), {});
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_EQ(comparison.figure, "received");
  EXPECT_EQ(comparison.effect.n_a, 8U);
  EXPECT_EQ(comparison.effect.n_b, 8U);
  ASSERT_TRUE(comparison.effect.ratio && comparison.effect.low && comparison.effect.high);
  EXPECT_NEAR(*comparison.effect.ratio, 1.2, 1e-3);
  EXPECT_LT(*comparison.effect.low, 1.2);
  EXPECT_GT(*comparison.effect.high, 1.2);
  EXPECT_GE(comparison.effect.level, 0.95);
  EXPECT_EQ(comparison.effect.cliffs_delta, 1);
  EXPECT_EQ(comparison.a.front(), 0);
  EXPECT_EQ(comparison.b.back(), 17);
}

TEST(Comparison, takes_the_ratio_on_the_logarithms) {
  const Comparison comparison =
      compare(runs_from(0, {100, 200, 400, 800}), runs_from(4, {300, 600, 1200, 2400}), {});
  ASSERT_TRUE(comparison.effect.ratio);
  EXPECT_NEAR(*comparison.effect.ratio, 3, 1e-9);
  EXPECT_DOUBLE_EQ(comparison.effect.median_a, 300);
}

TEST(Comparison, of_one_run_a_side_is_too_few_and_still_tells_the_ratio) {
  const Comparison comparison = compare({run_at(0, 100)}, {run_at(1, 150)}, {});
  EXPECT_EQ(comparison.verdict, Verdict::too_few);
  EXPECT_NEAR(comparison.effect.ratio.value_or(0), 1.5, 1e-9);
  EXPECT_FALSE(comparison.effect.low);
  EXPECT_EQ(comparison.effect.level, 0);
  EXPECT_FALSE(comparison.effect.detectable);
}

TEST(Comparison, is_too_few_just_below_the_fewest_runs_and_not_at_them) {
  const std::uint32_t fewest = fewest_for_mann_whitney();
  std::vector<double> a, b;
  for (std::uint32_t i = 0; i + 1 < fewest; ++i) {
    a.push_back(100 + i);
    b.push_back(200 + i);
  }
  EXPECT_EQ(compare(runs_from(0, a), runs_from(20, b), {}).verdict, Verdict::too_few);
  a.push_back(99);
  b.push_back(199);
  EXPECT_EQ(compare(runs_from(0, a), runs_from(20, b), {}).verdict, Verdict::improvement);
}

TEST(Comparison, tells_what_so_many_runs_can_find_in_every_verdict) {
  const Comparison wide = compare(runs_from(0, eight_around(100)), runs_from(9, eight_around(100.3)),
                                  {.threshold = 1e-4, .changed = {}});
  EXPECT_EQ(wide.verdict, Verdict::inconclusive);
  ASSERT_TRUE(wide.effect.detectable);
  EXPECT_GT(*wide.effect.detectable, 1.001);
  EXPECT_LT(*wide.effect.detectable, 1.05);
  EXPECT_TRUE(
      compare(runs_from(0, eight_around(100)), runs_from(9, eight_around(150)), {}).effect.detectable);
}

TEST(Comparison, tells_how_many_runs_would_find_twice_the_threshold) {
  const ComparisonSettings settings{.threshold = 1e-3, .changed = {}};
  const Comparison wide =
      compare(runs_from(0, eight_around(100)), runs_from(9, eight_around(100.3)), settings);
  ASSERT_TRUE(wide.effect.detectable && wide.effect.needed);
  EXPECT_GT(*wide.effect.needed, 8U);
  // The spread for which 8 runs on each side can show that `detectable` is beyond the threshold.
  const double sd = std::log(*wide.effect.detectable / 1.001) / detectable_by_runs(8, 8, 1).value();
  const std::uint32_t needed = *wide.effect.needed;
  const double beyond = std::log(1.002 / 1.001);
  EXPECT_LE(detectable_by_runs(needed, needed, sd).value(), beyond);
  EXPECT_GT(detectable_by_runs(needed - 1, needed - 1, sd).value(), beyond);
  EXPECT_FALSE(compare({run_at(0, 100)}, {run_at(1, 150)}, {}).effect.needed) << "no spread is known";
}

// One block has runs of another speed: the medians over the runs are 1.9 times apart, the blocks 1.5 times.
TEST(Comparison, tells_levels_as_far_apart_as_the_estimate) {
  std::vector<ComparedRun> a, b;
  for (int block = 1; block <= 8; ++block) {
    const double speed = block <= 4 ? 100 : 200;
    for (int letter = 0; letter < 2; ++letter) {
      a.push_back(run_at(100 * block + letter, speed + block + letter));
      b.push_back(run_at(100 * block + 10 + letter, (speed + block + letter) * (block == 4 ? 3 : 1.5)));
      for (auto* run : {&a.back(), &b.back()}) run->block = static_cast<std::uint32_t>(block);
    }
  }
  const RatioEstimate effect = compare(a, b, {}).effect;
  EXPECT_NEAR(*effect.ratio, 1.5, 0.01);
  EXPECT_GT(effect.median_b / effect.median_a, 1.6);
  EXPECT_DOUBLE_EQ(effect.centre_b / effect.centre_a, *effect.ratio);
  EXPECT_GT(effect.centre_a, 100);
  EXPECT_LT(effect.centre_a, 209);
}

TEST(Comparison, of_runs_apart_tells_levels_as_far_apart_as_the_estimate) {
  const RatioEstimate effect =
      compare(runs_from(0, {1, 2, 3, 10, 11}), runs_from(9, {2, 3, 7, 20, 30}), {}).effect;
  EXPECT_DOUBLE_EQ(effect.centre_b / effect.centre_a, *effect.ratio);
}

TEST(Comparison, does_not_count_runs_without_throughput_and_says_so) {
  auto a = runs_from(0, eight_around(100));
  a[0].received_bits_per_second.reset();
  a[1].received_bits_per_second = 0;
  const Comparison comparison = compare(a, runs_from(10, eight_around(100)), {});
  EXPECT_EQ(comparison.effect.n_a, 6U);
  EXPECT_THAT(comparison.caveats, has_caveat("1 of 8 runs of A received nothing"));
  EXPECT_THAT(comparison.caveats, has_caveat("Of 1 of 8 runs of A it is not known"));
}

TEST(Comparison, of_a_side_that_knows_no_throughput_is_refused) {
  auto b = runs_from(10, {100});
  b[0].received_bits_per_second.reset();
  const Comparison comparison = compare(runs_from(0, {100}), b, {});
  EXPECT_EQ(comparison.verdict, Verdict::refused);
  EXPECT_FALSE(comparison.effect.ratio);
  EXPECT_THAT(comparison.caveats, has_caveat("no run of B tells its throughput"));
}

TEST(Comparison, of_a_side_with_runs_that_received_nothing_is_refused) {
  const auto a = runs_from(0, eight_around(100));
  auto b = runs_from(10, eight_around(100));
  for (int i = 0; i < 4; ++i) b.push_back(run_at(30 + i, 0));
  const Comparison comparison = compare(a, b, {.threshold = 0.02, .changed = {}});
  EXPECT_EQ(comparison.verdict, Verdict::refused);
  EXPECT_TRUE(comparison.effect.ratio);
  EXPECT_EQ(comparison.caveats.front(), "4 of 12 runs of B received nothing: no ratio can hold them.");
  const Comparison despite = compare(a, b, {.threshold = 0.02, .changed = {}, .despite = true});
  EXPECT_EQ(despite.verdict, Verdict::equivalent);
  EXPECT_THAT(despite.caveats, has_caveat("4 of 12 runs of B received nothing"));
}

void give_each_a_job(std::vector<ComparedRun>& runs) {
  for (ComparedRun& run : runs) run.job = run.id;
}

TEST(Comparison, of_runs_that_were_imported_from_the_same_file_is_refused) {
  auto a = runs_from(0, eight_around(100)), b = runs_from(10, eight_around(120));
  give_each_a_job(a);
  give_each_a_job(b);
  a[1].files = {"d1"};
  a[2].files = {"d2"};
  EXPECT_EQ(compare(a, b, {}).verdict, Verdict::improvement) << "each file once";
  b[3].files = {"d0", "d2"};
  const Comparison twice = compare(a, b, {});
  EXPECT_EQ(twice.verdict, Verdict::refused);
  EXPECT_THAT(twice.caveats,
              has_caveat("Runs 2 and 13 were imported from the same file and are one measurement."));
  const Comparison despite = compare(a, b, {.changed = {}, .despite = true});
  EXPECT_EQ(despite.verdict, Verdict::improvement);
  EXPECT_THAT(despite.caveats, has_caveat("Runs 2 and 13 were imported from the same file"));
  b[2].files = b[4].files = {"d3"};
  EXPECT_THAT(compare(a, b, {}).caveats, has_caveat("one measurement; 1 more file was imported twice."));
}

TEST(Comparison, of_runs_of_a_job_that_was_imported_as_a_table_has_a_verdict) {
  auto a = runs_from(0, eight_around(100)), b = runs_from(10, eight_around(120));
  for (auto* side : {&a, &b}) {
    for (ComparedRun& run : *side) {
      run.job = 7;
      run.files = {"d1"};
    }
  }
  EXPECT_EQ(compare(a, b, {}).verdict, Verdict::improvement);
  b[3].job = 8;
  EXPECT_EQ(compare(a, b, {}).verdict, Verdict::refused) << "the table was imported twice";
}

TEST(Comparison, of_a_document_and_its_trace_imported_twice_names_the_runs_once) {
  auto a = runs_from(0, eight_around(100)), b = runs_from(10, eight_around(120));
  give_each_a_job(a);
  a[1].files = a[2].files = {"document", "trace"};
  EXPECT_THAT(compare(a, b, {}).caveats,
              has_caveat("Runs 1 and 2 were imported from the same file and are one measurement."));
}

TEST(Comparison, of_plain_runs_only_warns_of_traced_ones_that_received_nothing) {
  const auto a = runs_from(0, eight_around(100));
  auto b = runs_from(10, eight_around(100)), traced = runs_from(30, {50, 0});
  give_trace(traced, {});
  b.insert(b.end(), traced.begin(), traced.end());
  const Comparison comparison = compare(a, b, {.threshold = 0.02, .changed = {}});
  EXPECT_EQ(comparison.verdict, Verdict::equivalent);
  EXPECT_THAT(comparison.caveats, has_caveat("1 of 2 traced runs of B received nothing"));
  b[0].received_bits_per_second = 0;
  EXPECT_THAT(compare(a, b, {}).caveats, has_caveat("1 of 8 plain runs of B received nothing"));
}

TEST(Comparison, of_a_side_that_received_nothing_says_that) {
  auto b = runs_from(10, {0, 0});
  EXPECT_THAT(compare(runs_from(0, {100}), b, {}).caveats,
              has_caveat("There is nothing to compare: no run of B received anything."));
  b[0].received_bits_per_second.reset();
  EXPECT_THAT(compare(runs_from(0, {100}), b, {.changed = {}, .despite = true}).caveats,
              has_caveat("no run of B is known to have received anything"));
}

TEST(Comparison, says_how_many_runs_failed_before_what_weighs_less) {
  const Comparison comparison = compare(runs_from(0, eight_around(100)), runs_from(10, eight_around(120)),
                                        {.changed = {}, .failed_b = 4});
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_EQ(comparison.caveats.front(), "4 of 12 runs of B failed and are not in this comparison.");
  EXPECT_THAT(comparison.caveats, Not(has_caveat("runs of A failed")));
}

TEST(Comparison, of_no_runs_is_refused) {
  EXPECT_EQ(compare({}, {}, {}).verdict, Verdict::refused);
  EXPECT_EQ(compare(runs_from(0, {1}), {}, {}).verdict, Verdict::refused);
}

TEST(Comparison, takes_the_throughput_of_plain_runs_where_both_sides_have_them) {
  auto a = runs_from(0, eight_around(100)), b = runs_from(10, eight_around(100));
  auto traced_a = runs_from(20, eight_around(70)), traced_b = runs_from(30, eight_around(20));
  give_trace(traced_a, {});
  give_trace(traced_b, {});
  a.insert(a.end(), traced_a.begin(), traced_a.end());
  b.insert(b.end(), traced_b.begin(), traced_b.end());
  const Comparison comparison = compare(a, b, {.threshold = 0.02, .changed = {}});
  EXPECT_EQ(comparison.verdict, Verdict::equivalent);
  EXPECT_EQ(comparison.effect.n_a, 8U);
  EXPECT_THAT(comparison.caveats, Not(has_caveat("under tracing, whose cost")));
}

TEST(Comparison, falls_back_to_traced_runs_and_says_so) {
  auto a = runs_from(0, eight_around(100)), b = runs_from(10, eight_around(120));
  give_trace(a, {});
  give_trace(b, {});
  b.push_back(run_at(30, 500));  // B's only plain run, without a counterpart in A
  const Comparison comparison = compare(a, b, {});
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_NEAR(comparison.effect.ratio.value_or(0), 1.2, 1e-3);
  EXPECT_THAT(comparison.caveats, has_caveat("throughput is that under tracing"));
}

TEST(Comparison, of_plain_with_traced_runs_is_refused_unless_tracing_is_the_change) {
  const auto a = runs_from(0, eight_around(100));
  auto b = runs_from(10, eight_around(80));
  give_trace(b, {});
  const Comparison refused = compare(a, b, {});
  EXPECT_EQ(refused.verdict, Verdict::refused);
  EXPECT_NEAR(refused.effect.ratio.value_or(0), 0.8, 1e-3);
  const Comparison declared = compare(a, b, {.changed = {"trace"}});
  EXPECT_EQ(declared.verdict, Verdict::regression);
  EXPECT_THAT(declared.caveats, has_caveat("the cost of tracing is in the difference"));
}

TEST(Comparison, names_quality_flags) {
  auto a = runs_from(0, eight_around(100));
  a[2].flags = {"interval-sum-differs"};
  a[3].flags = {"interval-sum-differs"};
  EXPECT_THAT(compare(a, runs_from(10, eight_around(100)), {}).caveats,
              has_caveat("With quality flags: 2 of 8 runs of A (interval-sum-differs)."));
}

}  // namespace
}  // namespace netperfd::analysis
