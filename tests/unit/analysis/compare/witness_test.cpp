// SPDX-License-Identifier: GPL-2.0-or-later
// The samples of the plain runs beside the traces.
#include "daemon/analysis/compare/witness.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/analysis/compare/traced_sides.hpp"

namespace netperfd::analysis {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Samples a nanosecond of CPU time per byte, in all runs of classic().
constexpr std::uint64_t kSamples = 10'000;

// What each plain run of a side was sampled in; the values vary from run to run by a few parts in a thousand.
void give_samples(std::vector<ComparedRun>& runs, const std::vector<SampledCost>& functions) {
  std::uint64_t i = 0;
  for (ComparedRun& run : runs) {
    if (run.trace) continue;
    ComparedSamples& samples = run.samples.emplace();
    samples.ns_per_sample = 1e9 / kSamples;
    samples.busy = 10 * kSamples;
    samples.functions = functions;
    const std::uint64_t wobble = (5 * i++) % 8;
    for (SampledCost& function : samples.functions) function.samples += function.samples * wobble / 1000;
  }
}

SampledCost sampled(const std::string& name, double ns_per_byte, const std::string& module = "hsr") {
  return {.name = name,
          .module = module,
          .duplicate = 0,
          .samples = static_cast<std::uint64_t>(ns_per_byte * kSamples),
          .below = {}};
}

const FunctionDelta& function_of(const Comparison& comparison, const std::string& name) {
  const auto& functions = comparison.attribution.functions;
  return *std::ranges::find(functions, name, &FunctionDelta::name);
}

TEST(Witness, agrees_on_the_function_that_changed) {
  TracedSides sides = classic();
  give_samples(sides.a, {sampled("lookup", 2.0), sampled("forward", 0.8)});
  give_samples(sides.b, {sampled("lookup", 0.5), sampled("forward", 0.8)});
  const Comparison comparison = comparison_of(sides);
  const FunctionDelta& lookup = function_of(comparison, "lookup");
  ASSERT_TRUE(lookup.sampled);
  EXPECT_NEAR(*lookup.sampled->cost.shift, -1.5, 0.01);
  EXPECT_EQ(lookup.sampled->witness, Witness::agrees);
  EXPECT_FALSE(function_of(comparison, "forward").sampled->witness);
  ASSERT_TRUE(comparison.attribution.samples);
  EXPECT_EQ(comparison.attribution.samples->witness, Witness::agrees);
  EXPECT_EQ(comparison.attribution.samples->runs_a, 8);
  EXPECT_EQ(comparison.attribution.samples->samples_b, 80 * kSamples);
  EXPECT_EQ(comparison.attribution.not_attributed, "");
  EXPECT_TRUE(comparison.attribution.explained);
}

TEST(Witness, withholds_the_shares_if_it_disagrees) {
  TracedSides sides = classic();
  give_samples(sides.a, {sampled("lookup", 0.7), sampled("forward", 0.8)});
  give_samples(sides.b, {sampled("lookup", 0.5), sampled("forward", 0.8)});
  const Comparison comparison = comparison_of(sides);
  EXPECT_EQ(function_of(comparison, "lookup").sampled->witness, Witness::disagrees);
  EXPECT_EQ(comparison.attribution.samples->witness, Witness::disagrees);
  EXPECT_THAT(comparison.attribution.not_attributed, AllOf(HasSubstr("disagree"), HasSubstr("lookup")));
  EXPECT_FALSE(comparison.attribution.explained);
  EXPECT_FALSE(function_of(comparison, "lookup").share);
}

TEST(Witness, disagrees_if_only_the_samples_show_a_change) {
  TracedSides sides = classic();
  give_samples(sides.a, {sampled("lookup", 2.0), sampled("forward", 0.8)});
  give_samples(sides.b, {sampled("lookup", 0.5), sampled("forward", 1.6)});
  const Comparison comparison = comparison_of(sides);
  EXPECT_EQ(function_of(comparison, "forward").sampled->witness, Witness::disagrees);
  EXPECT_EQ(comparison.attribution.samples->witness, Witness::disagrees);
}

TEST(Witness, disagrees_on_a_function_in_which_no_sample_was_taken) {
  TracedSides sides = classic();
  give_samples(sides.a, {sampled("forward", 0.8)});
  give_samples(sides.b, {sampled("forward", 0.8)});
  const Comparison comparison = comparison_of(sides);
  ASSERT_TRUE(function_of(comparison, "lookup").sampled);
  EXPECT_EQ(function_of(comparison, "lookup").sampled->witness, Witness::disagrees);
  EXPECT_THAT(comparison.attribution.not_attributed, HasSubstr("lookup"));
}

TEST(Witness, bears_a_tenth_of_difference) {
  TracedSides sides = classic();
  give_samples(sides.a, {sampled("lookup", 2.12), sampled("forward", 0.8)});
  give_samples(sides.b, {sampled("lookup", 0.5), sampled("forward", 0.8)});
  EXPECT_EQ(function_of(comparison_of(sides), "lookup").sampled->witness, Witness::agrees);
}

TEST(Witness, names_a_function_that_is_not_traced) {
  TracedSides sides = classic();
  SampledCost ack = sampled("tcp_ack", 0.4, "");
  ack.below = "forward";
  give_samples(sides.a, {sampled("lookup", 2.0), ack, sampled("rare", 0.01, "")});
  ack.samples = static_cast<std::uint64_t>(0.55 * kSamples);
  give_samples(sides.b, {sampled("lookup", 0.5), ack, sampled("rare", 0.05, "")});
  const Comparison comparison = comparison_of(sides);
  const FunctionDelta& untraced = function_of(comparison, "tcp_ack");
  const auto not_traced = std::ranges::count(comparison.attribution.functions, false, &FunctionDelta::traced);
  EXPECT_EQ(not_traced, 1) << "rare has less than 1 % of the samples";
  EXPECT_FALSE(untraced.traced);
  EXPECT_EQ(untraced.below, "forward");
  EXPECT_FALSE(untraced.cost.shift);
  EXPECT_NEAR(*untraced.sampled->cost.shift, 0.15, 0.01);
  EXPECT_LE(untraced.sampled->together.p.value_or(1), 0.05);
  EXPECT_FALSE(untraced.sampled->witness);
}

TEST(Witness, tells_too_few_samples) {
  TracedSides sides = classic();
  for (auto* side : {&sides.a, &sides.b}) {
    give_samples(*side, {sampled("lookup", 1)});
    for (ComparedRun& run : *side) {
      if (!run.samples) continue;
      run.samples->functions.front().samples = 1;
      run.samples->ns_per_sample = 2e9;
      run.samples->busy = 10;
    }
  }
  const Comparison comparison = comparison_of(sides);
  EXPECT_EQ(function_of(comparison, "lookup").sampled->witness, Witness::compatible);
  EXPECT_EQ(comparison.attribution.not_attributed, "");
}

// Without a spread between the runs, the interval is that of counting: 8 runs of 100 samples a side.
TEST(Witness, has_an_interval_no_narrower_than_counting_allows) {
  TracedSides sides = classic();
  for (auto* side : {&sides.a, &sides.b}) {
    give_samples(*side, {sampled("lookup", 1)});
    for (ComparedRun& run : *side) {
      if (!run.samples) continue;
      run.samples->functions.front().samples = 100;
      run.samples->ns_per_sample = 1e7;
    }
  }
  const Comparison comparison = comparison_of(sides);
  const ShiftEstimate& cost = function_of(comparison, "lookup").sampled->cost;
  const double half = 1.96 * std::sqrt(2 * 801) / 8 * 0.01;
  EXPECT_NEAR(*cost.low, -half, 1e-4);
  EXPECT_NEAR(*cost.high, half, 1e-4);
}

TEST(Witness, needs_samples_of_both_sides) {
  TracedSides sides = classic();
  give_samples(sides.a, {sampled("lookup", 2.0)});
  const Comparison comparison = comparison_of(sides);
  EXPECT_FALSE(comparison.attribution.samples);
  EXPECT_FALSE(function_of(comparison, "lookup").sampled);
  EXPECT_TRUE(comparison.attribution.explained);
  EXPECT_THAT(comparison.caveats, has_caveat("Nothing untraced confirms what the functions cost"));
  give_samples(sides.b, {sampled("lookup", 0.5)});
  EXPECT_THAT(comparison_of(sides).caveats, Not(has_caveat("Nothing untraced confirms")));
}

// Tracing changes `forward` by 0.05 ns a byte, and the change that matters is of `lookup`.
TEST(Witness, that_disagrees_on_little_does_not_withhold_what_matters) {
  TracedSides sides = classic();
  give_samples(sides.a, {sampled("lookup", 2.0), sampled("forward", 0.8)});
  give_samples(sides.b, {sampled("lookup", 0.5), sampled("forward", 0.9)});
  const Comparison comparison = comparison_of(sides);
  EXPECT_EQ(function_of(comparison, "forward").sampled->witness, Witness::disagrees);
  EXPECT_EQ(comparison.attribution.samples->witness, Witness::agrees) << "on lookup";
  EXPECT_EQ(comparison.attribution.not_attributed, "");
  EXPECT_TRUE(comparison.attribution.explained);
  EXPECT_THAT(comparison.caveats, has_caveat("Samples and trace disagree on forward, by little"));
}

TEST(Witness, that_has_no_sample_of_a_function_has_not_seen_it) {
  TracedSides sides = classic();
  for (auto* side : {&sides.a, &sides.b}) {
    give_samples(*side, {sampled("other", 1)});
    for (ComparedRun& run : *side) {
      if (run.samples) run.samples->ns_per_sample = 2e10;  // one is more than the change
    }
  }
  EXPECT_EQ(function_of(comparison_of(sides), "lookup").sampled->witness, Witness::unseen);
}

TEST(Witness, knows_the_change_that_its_samples_find) {
  TracedSides sides = classic();
  give_samples(sides.a, {sampled("lookup", 2.0), sampled("forward", 0.8)});
  give_samples(sides.b, {sampled("lookup", 0.5), sampled("forward", 0.8)});
  const auto found = function_of(comparison_of(sides), "lookup").sampled->detectable;
  // 160,000 and 40,000 samples of 0.1 ps a byte each: they cannot find less than counting does.
  const double counted = 2.80 * std::sqrt(160'000 + 40'000) * 1e-4 / 8;
  EXPECT_GT(found.value_or(0), counted * 0.999);
  EXPECT_LT(found.value_or(1), 3 * counted);
}

// 0.02 ns a byte: a sample in each run is 1 ns a byte.
TEST(Witness, does_not_hold_what_it_cannot_see_against_a_small_function) {
  TracedSides sides = classic();
  std::uint64_t self = 20'000'000;
  for (auto* side : {&sides.a, &sides.b}) {
    each_traced(*side, [&self](ComparedRun& run) {
      run.trace->functions.push_back(analysis::function_of("tiny", self += 1'000));
    });
    self *= 2;
    give_samples(*side, {sampled("other", 1)});
    for (ComparedRun& run : *side) {
      if (run.samples) run.samples->ns_per_sample = 1e9;
    }
  }
  const Comparison comparison = comparison_of(sides);
  const FunctionDelta& tiny = function_of(comparison, "tiny");
  ASSERT_TRUE(tiny.shown_by && tiny.sampled);
  EXPECT_NEAR(*tiny.cost.shift, 0.02, 0.001);
  EXPECT_EQ(tiny.sampled->witness, Witness::unseen);
  EXPECT_NEAR(tiny.sampled->detectable.value_or(0), 2.80 * std::sqrt(2) / 8, 0.001);
}

TEST(Witness, tells_of_plain_runs_without_samples) {
  TracedSides sides = classic();
  give_samples(sides.a, {sampled("lookup", 2.0)});
  give_samples(sides.b, {sampled("lookup", 0.5)});
  sides.b.front().samples.reset();
  const Comparison comparison = comparison_of(sides);
  EXPECT_EQ(comparison.attribution.samples->runs_b, 7);
  EXPECT_THAT(comparison.caveats, has_caveat("Without samples: 1 of 8 plain runs of B."));
}

TEST(Witness, tells_if_only_some_samples_have_the_start_of_iperf3) {
  const std::string kMixed = "runs include what iperf3 does before its test begins";
  TracedSides sides = classic();
  give_samples(sides.a, {sampled("lookup", 2.0)});
  give_samples(sides.b, {sampled("lookup", 0.5)});
  EXPECT_THAT(comparison_of(sides).caveats, Not(has_caveat(kMixed)));
  for (ComparedRun& run : sides.a) {
    if (run.samples) run.samples->with_start = true;
  }
  EXPECT_THAT(comparison_of(sides).caveats, has_caveat(kMixed));
}

TEST(Witness, stands_alone_if_nothing_was_traced) {
  TracedSides sides = classic();
  for (auto* side : {&sides.a, &sides.b})
    std::erase_if(*side, [](const ComparedRun& run) { return run.trace.has_value(); });
  give_samples(sides.a, {sampled("tcp_ack", 2.0, "")});
  give_samples(sides.b, {sampled("tcp_ack", 0.5, "")});
  const Comparison comparison = comparison_of(sides);
  ASSERT_EQ(comparison.attribution.functions.size(), 1U);
  EXPECT_EQ(comparison.attribution.functions.front().name, "tcp_ack");
  EXPECT_FALSE(comparison.attribution.samples->witness);
}

TEST(Witness, marks_functions_that_have_the_samples_of_code_before_them) {
  TracedSides sides = classic();
  give_samples(sides.a, {sampled("_raw_spin_unlock_irqrestore", 2.0, "")});
  give_samples(sides.b, {sampled("_raw_spin_unlock_irqrestore", 0.5, "")});
  const auto has_those_before = [&] {
    return function_of(comparison_of(sides), "_raw_spin_unlock_irqrestore").sampled->after_interrupts_off;
  };
  EXPECT_FALSE(has_those_before());
  for (ComparedRun& run : sides.b) {
    if (run.samples) run.samples->sees_interrupts_off = false;
  }
  EXPECT_TRUE(has_those_before());
}

}  // namespace
}  // namespace netperfd::analysis
