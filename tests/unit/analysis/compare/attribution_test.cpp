// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "daemon/analysis/compare/comparison.hpp"
#include "tests/unit/analysis/compare/traced_sides.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Attribution, names_the_function_that_became_cheaper_first) {
  const Attribution attribution = comparison_of(classic()).attribution;
  EXPECT_THAT(attribution.not_attributed, IsEmpty());
  ASSERT_EQ(attribution.functions.size(), 3U);
  const FunctionDelta& lookup = attribution.functions[0];
  EXPECT_EQ(lookup.name, "lookup");
  EXPECT_EQ(lookup.module, "hsr");
  EXPECT_NEAR(lookup.cost.shift.value_or(0), -1.5, 0.01);
  EXPECT_LT(*lookup.cost.low, -1.5);
  EXPECT_GT(*lookup.cost.high, -1.5);
  EXPECT_LT(*lookup.cost.q, 0.01);
  EXPECT_NEAR(lookup.share.value_or(0), 0.75, 0.01);
  EXPECT_GT(*attribution.functions[1].cost.q, 0.05);
}

TEST(Attribution, tests_functions_however_little_time_they_take) {
  const Attribution attribution = comparison_of(classic()).attribution;
  EXPECT_EQ(attribution.tested, 3U);
  EXPECT_EQ(attribution.few_calls, 0U);
  const auto& small = *std::ranges::find(attribution.functions, "small", &FunctionDelta::name);
  EXPECT_TRUE(small.cost.p && small.cost.low && small.cost_together.p && small.cost_together.low);
}

TEST(Attribution, tests_the_same_functions_with_the_sides_exchanged) {
  TracedSides sides = classic();
  each_traced(sides.a, [](ComparedRun& run) { run.trace->functions[2].hits = 1; });
  each_traced(sides.b, [](ComparedRun& run) { run.trace->functions[2].hits = 40; });
  EXPECT_EQ(comparison_of(sides).attribution.tested, 3U) << "B alone calls small 200 times";
  EXPECT_EQ(compare(sides.b, sides.a, {}).attribution.tested, 3U);
}

TEST(Attribution, tells_called_less_often_from_became_faster) {
  TracedSides sides = classic();
  each_traced(sides.b, [](ComparedRun& run) {
    run.packets = 500'000;
    run.trace->functions[1].hits = 500'000;
  });
  for (const FunctionDelta& function : comparison_of(sides).attribution.functions) {
    if (function.name != "forward") continue;
    EXPECT_NEAR(function.a.packets_per_byte.value_or(0), 1e-3, 1e-9);
    EXPECT_NEAR(function.b.packets_per_byte.value_or(0), 5e-4, 1e-9);
    EXPECT_NEAR(function.a.calls_per_packet, 2, 1e-9);
    EXPECT_NEAR(function.b.calls_per_packet, 1, 1e-9);
    EXPECT_NEAR(function.a.ns_per_call, 403, 5);
    EXPECT_NEAR(function.b.ns_per_call, 1614, 20);
    // The product of the factors is the cost.
    EXPECT_NEAR(*function.b.packets_per_byte * function.b.calls_per_packet * function.b.ns_per_call,
                function.cost.centre_b, 1e-6);
  }
}

TEST(Attribution, counts_calls_a_byte_where_a_run_does_not_know_its_packets) {
  TracedSides sides = classic();
  sides.a[1].packets.reset();
  const FunctionDelta lookup = comparison_of(sides).attribution.functions[0];
  EXPECT_FALSE(lookup.a.packets_per_byte);
  EXPECT_FALSE(lookup.b.packets_per_byte);
  EXPECT_NEAR(lookup.b.calls_per_packet, 2e-3, 1e-9);
}

TEST(Attribution, is_of_corrected_times_only_where_every_run_is_calibrated) {
  TracedSides sides = classic();
  for (auto* side : {&sides.a, &sides.b}) {
    each_traced(*side, [](ComparedRun& run) {
      run.trace->functions[0].self_ns += 1'000'000'000;
      run.trace->functions[0].traced_within = 10'000'000;
    });
  }
  const Comparison corrected = comparison_of(sides);
  EXPECT_NEAR(corrected.attribution.functions[0].cost.centre_a, 2.0, 0.01);
  EXPECT_THAT(corrected.caveats, Not(has_caveat("Not calibrated")));
  sides.b[3].trace->cost.reset();
  const Comparison raw = comparison_of(sides);
  EXPECT_NEAR(raw.attribution.functions[0].cost.centre_a, 3.0, 0.01);
  EXPECT_THAT(raw.caveats, has_caveat("Not calibrated: 1 of 16 traces."));
}

// A calibration has an error of its own, which must not become a difference between the sides.
TEST(Attribution, of_equal_sides_with_unequal_calibrations_differs_in_nothing) {
  TracedSides sides = classic();
  sides.b = sides.a;
  each_traced(sides.a, [](ComparedRun& run) { run.trace->cost = {.entry_ns = 151, .callee_ns = 700}; });
  each_traced(sides.b, [](ComparedRun& run) { run.trace->cost = {.entry_ns = 161, .callee_ns = 740}; });
  const Comparison comparison = comparison_of(sides);
  const Attribution& attribution = comparison.attribution;
  EXPECT_THAT(
      comparison.caveats,
      has_caveat("the tracer takes 851 ns a call in A and 901 ns in B. Both are corrected with one cost, "
                 "so a change of a function by up to 50 ns a call can be the tracer's."));
  for (const FunctionDelta& function : attribution.functions)
    EXPECT_EQ(function.cost.shift, 0.0) << function.name;
  // 2 * 10^6 calls of 156 ns are the tracer's.
  const auto& lookup = *std::ranges::find(attribution.functions, "lookup", &FunctionDelta::name);
  EXPECT_NEAR(lookup.cost.centre_a, 2.0 - 0.312, 0.01);
  EXPECT_EQ(attribution.account->tracer.shift, 0.0);
}

TEST(Attribution, does_not_remark_calibrations_that_differ_by_less_than_two_percent_or_by_chance) {
  TracedSides sides = classic();
  each_traced(sides.b, [](ComparedRun& run) { run.trace->cost = {.entry_ns = 0, .callee_ns = 101.9}; });
  EXPECT_THAT(comparison_of(sides).caveats, Not(has_caveat("By the calibrations")));
  each_traced(sides.b, [](ComparedRun& run) { run.trace->cost->callee_ns = 102.1; });
  EXPECT_THAT(comparison_of(sides).caveats, has_caveat("By the calibrations"));
  for (ComparedRun* run : {&sides.b[1], &sides.b[3], &sides.b[5], &sides.b[7]})
    run->trace->cost->callee_ns = 90;
  EXPECT_THAT(comparison_of(sides).caveats, Not(has_caveat("By the calibrations")));
}

TEST(Attribution, shows_a_function_of_one_side_and_what_that_means) {
  TracedSides sides = classic();
  each_traced(sides.b, [](ComparedRun& run) {
    run.trace->functions.push_back(function_of("hash", 300'000'000));
    run.trace->traced_functions = 21;
  });
  const Comparison comparison = comparison_of(sides);
  const FunctionDelta& hash = comparison.attribution.functions[1];
  EXPECT_EQ(hash.name, "hash");
  EXPECT_EQ(hash.match, FunctionMatch::only_b);
  EXPECT_NEAR(hash.cost.shift.value_or(0), 0.3, 1e-9);
  EXPECT_THAT(comparison.caveats,
              has_caveat("Called only in B: hash [hsr]. A did not call them, or did not trace them; then"));
  EXPECT_THAT(comparison.caveats, has_caveat("A traces 20 functions and B 21"));
}

TEST(Attribution, does_not_say_that_a_side_did_not_trace_what_both_sides_trace) {
  TracedSides sides = classic();
  each_traced(sides.a, [](ComparedRun& run) {
    run.trace->functions.push_back(function_of("walk", 300'000'000));
    run.trace->traced_functions = 21;
  });
  each_traced(sides.b, [](ComparedRun& run) { run.trace->traced_functions = 21; });
  EXPECT_THAT(comparison_of(sides).caveats,
              has_caveat("Called only in A: walk [hsr]. Both sides trace 21 functions, so most likely B "
                         "traced them too and never called them."));
  each_traced(sides.b, [](ComparedRun& run) { run.trace->missing_functions = {"walk"}; });
  EXPECT_THAT(comparison_of(sides).caveats,
              has_caveat("Called only in A: walk [hsr]. B could not trace them"));
}

TEST(Attribution, names_what_was_matched_by_base_name) {
  TracedSides sides = classic();
  each_traced(sides.b, [](ComparedRun& run) { run.trace->functions[0].name = "lookup.isra.0"; });
  const Comparison comparison = comparison_of(sides);
  EXPECT_EQ(comparison.attribution.functions[0].match, FunctionMatch::renamed);
  EXPECT_EQ(comparison.attribution.functions[0].name_b, "lookup.isra.0");
  EXPECT_NEAR(comparison.attribution.functions[0].cost.shift.value_or(0), -1.5, 0.01);
  EXPECT_THAT(comparison.caveats, has_caveat("lookup [hsr] is lookup.isra.0 in B"));
}

TEST(Attribution, has_no_story_where_no_cpu_was_the_limit) {
  TracedSides sides = classic();
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) {
      if (!run.trace) run.busiest_cpu = 0.6;
    }
  }
  const Attribution attribution = comparison_of(sides).attribution;
  EXPECT_THAT(attribution.not_attributed, HasSubstr("Not CPU-bound: the busiest CPU was busy for 60 %"));
  EXPECT_FALSE(attribution.explained);
  EXPECT_FALSE(attribution.functions[0].share);
  EXPECT_EQ(attribution.functions.size(), 3U);
}

TEST(Attribution, counts_a_process_that_moves_between_cpus_as_the_limit) {
  TracedSides sides = classic();
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) {
      run.busiest_cpu = 0.5;
      run.busiest_process = 0.98;
    }
  }
  const Comparison comparison = comparison_of(sides);
  EXPECT_THAT(comparison.attribution.not_attributed, IsEmpty());
  EXPECT_TRUE(comparison.attribution.explained);
  EXPECT_THAT(comparison.caveats, Not(has_caveat("CPU-bound")));
  for (ComparedRun& run : sides.b) run.busiest_process = 0.7;
  EXPECT_THAT(comparison_of(sides).caveats,
              has_caveat("B was not CPU-bound (its busiest CPU was busy for 50 % of the time)"));
}

TEST(Attribution, of_an_idle_process_and_unknown_cpus_knows_no_limit) {
  TracedSides sides = classic();
  for (ComparedRun& run : sides.a) {
    run.busiest_cpu.reset();
    run.busiest_process = 0.3;
  }
  EXPECT_THAT(comparison_of(sides).caveats, has_caveat("It is not known whether a CPU was the limit"));
}

TEST(Attribution, of_one_cpu_bound_side_warns) {
  TracedSides sides = classic();
  for (ComparedRun& run : sides.b) run.busiest_cpu = 0.84;
  const Comparison comparison = comparison_of(sides);
  EXPECT_THAT(comparison.attribution.not_attributed, IsEmpty());
  EXPECT_TRUE(comparison.attribution.explained);
  EXPECT_THAT(comparison.caveats,
              has_caveat("B was not CPU-bound (its busiest CPU was busy for 84 % of the time)"));
}

TEST(Attribution, says_when_nobody_knows_what_was_the_limit) {
  TracedSides sides = classic();
  for (ComparedRun& run : sides.a) run.busiest_cpu.reset();
  const Comparison comparison = comparison_of(sides);
  EXPECT_THAT(comparison.attribution.not_attributed, IsEmpty());
  EXPECT_THAT(comparison.caveats, has_caveat("It is not known whether a CPU was the limit"));
}

TEST(Attribution, is_refused_where_a_hundredth_of_the_records_is_lost) {
  TracedSides sides = classic();
  each_traced(sides.b, [](ComparedRun& run) { run.trace->lost = run.trace->calls / 40; });
  EXPECT_THAT(comparison_of(sides).attribution.not_attributed,
              HasSubstr("The traces of B lost 1.2 % of their records"));
  each_traced(sides.b, [](ComparedRun& run) { run.trace->lost = run.trace->calls / 60; });
  const Comparison comparison = comparison_of(sides);
  EXPECT_THAT(comparison.attribution.not_attributed, IsEmpty());
  EXPECT_THAT(comparison.caveats, has_caveat("The traces of B lost 800000 records (0.83 %)"));
}

TEST(Attribution, is_refused_where_nobody_counted_the_losses) {
  TracedSides sides = classic();
  each_traced(sides.b, [](ComparedRun& run) {
    run.trace->lost = 1;
    run.flags.emplace_back("losses-uncounted");
  });
  const Comparison comparison = comparison_of(sides);
  const std::string refusal = "The traces of B lost records, and how many is not known.";
  EXPECT_EQ(comparison.attribution.not_attributed, refusal);
  EXPECT_THAT(comparison.caveats, has_caveat("The traces of B lost at least 8 records"));
  // Nor is the least number a share, however large it is.
  each_traced(sides.b, [](ComparedRun& run) { run.trace->lost = run.trace->calls; });
  EXPECT_EQ(comparison_of(sides).attribution.not_attributed, refusal);
}

TEST(Attribution, is_refused_where_a_trace_is_broken) {
  TracedSides sides = classic();
  sides.a[1].trace->broken = "module hsr was unloaded";
  EXPECT_THAT(comparison_of(sides).attribution.not_attributed, HasSubstr("run 1: module hsr was unloaded"));
}

TEST(Attribution, is_weakened_by_calls_that_are_not_whole) {
  TracedSides sides = classic();
  ComparedTrace& trace = *sides.a[1].trace;
  trace.unmatched_calls = 100'000;
  trace.depth_overruns = 3;
  trace.clipped = 1'000'000;
  trace.missing_functions = {"hsr_gone"};
  const auto caveats = comparison_of(sides).caveats;
  EXPECT_THAT(caveats, has_caveat("In the traces of A 0.21 % of the calls have no entry or no exit."));
  EXPECT_THAT(
      caveats,
      has_caveat(
          "Calls too deep for the kernel to follow, whose time is in their callers: 3 in the traces of A."));
  EXPECT_THAT(caveats, has_caveat("2 % of the times came out negative"));
  EXPECT_THAT(caveats, has_caveat("hsr_gone"));
}

TEST(Attribution, is_weakened_by_sleep_in_the_self_times) {
  TracedSides sides = classic();
  EXPECT_THAT(comparison_of(sides).caveats, Not(has_caveat("slept")));
  each_traced(sides.b, [](ComparedRun& run) { run.trace->off_cpu_known = false; });
  EXPECT_THAT(comparison_of(sides).caveats,
              has_caveat("In 8 of 16 traces it is not known when tasks slept: sleep is in their self times; "
                         "all are of B."));
  each_traced(sides.a, [](ComparedRun& run) { run.trace->off_cpu_known = false; });
  EXPECT_THAT(comparison_of(sides).caveats,
              has_caveat("In 16 of 16 traces it is not known when tasks slept: sleep is in their self "
                         "times."));
}

TEST(Attribution, is_weakened_by_another_depth) {
  TracedSides sides = classic();
  each_traced(sides.a, [](ComparedRun& run) { run.trace->depth = 3; });
  EXPECT_THAT(comparison_of(sides).caveats,
              has_caveat("A traces calls 3 deep and B of any depth: deeper ones have no self time of their "
                         "own"));
  each_traced(sides.b, [](ComparedRun& run) { run.trace->depth = 3; });
  EXPECT_THAT(comparison_of(sides).caveats, Not(has_caveat("3 deep")));
}

TEST(Attribution, names_what_only_one_side_has_and_neither_traces) {
  TracedSides sides = classic();
  const std::string words = "Only one side of the design has hsr_hash: traced on neither.";
  each_traced(sides.a, [&](ComparedRun& run) { run.trace->left_out = words; });
  EXPECT_THAT(comparison_of(sides).caveats, Not(has_caveat("hsr_hash"))) << "B traces it";
  each_traced(sides.b, [&](ComparedRun& run) { run.trace->left_out = words; });
  EXPECT_THAT(comparison_of(sides).caveats, has_caveat(words));
}

TEST(Attribution, says_when_tracing_made_another_workload_of_it) {
  TracedSides sides = classic();
  EXPECT_THAT(comparison_of(sides).caveats, Not(has_caveat("not representative")));
  each_traced(sides.b, [](ComparedRun& run) { run.received_bits_per_second = 85e6; });
  EXPECT_THAT(comparison_of(sides).caveats,
              has_caveat("The traced runs are not representative: they reach 68 % of the plain throughput."));
}

TEST(Attribution, without_plain_runs_knows_no_total) {
  TracedSides sides = classic();
  for (auto* side : {&sides.a, &sides.b}) {
    std::erase_if(*side, [](const ComparedRun& run) { return !run.trace; });
  }
  const Comparison comparison = comparison_of(sides);
  EXPECT_FALSE(comparison.attribution.ns_per_byte);
  EXPECT_FALSE(comparison.attribution.explained);
  EXPECT_FALSE(comparison.attribution.traced_to_plain);
  EXPECT_EQ(comparison.attribution.functions[0].name, "lookup");
  EXPECT_THAT(comparison.caveats, has_caveat("No plain runs of both sides tell how much CPU time"));
}

TEST(Attribution, without_function_traces_says_which_side_has_none) {
  TracedSides sides = classic();
  std::erase_if(sides.b, [](const ComparedRun& run) { return run.trace.has_value(); });
  const Attribution attribution = comparison_of(sides).attribution;
  EXPECT_EQ(attribution.not_attributed, "No run of B has a trace of functions.");
  EXPECT_TRUE(attribution.ns_per_byte);
}

TEST(Attribution, has_none_of_calls_without_an_end) {
  TracedSides sides = classic();
  each_traced(sides.b, [](ComparedRun& run) { run.trace->timed = false; });
  EXPECT_THAT(comparison_of(sides).attribution.not_attributed, HasSubstr("have no self times"));
}

TEST(Attribution, of_one_run_a_side_still_shows_what_changed) {
  TracedSides sides = classic();
  sides.a.resize(2);
  sides.b.resize(2);
  const Attribution attribution = comparison_of(sides).attribution;
  EXPECT_EQ(attribution.functions[0].name, "lookup");
  EXPECT_NEAR(attribution.functions[0].cost.shift.value_or(0), -1.5, 0.01);
  for (const FunctionDelta& function : attribution.functions) {
    EXPECT_FALSE(function.cost.low || function.cost.p || function.cost.q) << function.name;
  }
  EXPECT_FALSE(attribution.explained);
}

TEST(Attribution, of_traces_without_bytes_still_shows_what_a_call_took) {
  TracedSides sides = classic();
  for (auto* side : {&sides.a, &sides.b}) {
    std::erase_if(*side, [](const ComparedRun& run) { return !run.trace; });
    side->resize(1);
    side->front().goodput_bytes.reset();
  }
  const Attribution attribution = comparison_of(sides).attribution;
  EXPECT_EQ(attribution.not_attributed, "Of the traced runs of A it is not known how many bytes arrived.");
  ASSERT_EQ(attribution.functions.size(), 3U);
  const FunctionDelta& lookup = attribution.functions[0];
  EXPECT_EQ(lookup.name, "lookup");
  EXPECT_NEAR(lookup.b.ns_per_call / lookup.a.ns_per_call, 0.25, 0.001);
  EXPECT_FALSE(lookup.cost.shift);
  EXPECT_FALSE(lookup.a.packets_per_byte);
  EXPECT_EQ(attribution.tested, 0U);
}

TEST(Attribution, of_blocks_pairs_within_them) {
  TracedSides sides = classic();
  for (auto* side : {&sides.a, &sides.b}) {
    for (std::size_t i = 0; i < side->size(); ++i) {
      ComparedRun& run = (*side)[i];
      run.block = static_cast<std::uint32_t>(i / 2 + 1);
      // A drift far greater than the difference, the same on both sides of a block.
      if (run.trace) run.trace->functions[0].self_ns += 1'000'000'000 * run.block;
    }
  }
  const FunctionDelta lookup = comparison_of(sides).attribution.functions[0];
  EXPECT_NEAR(lookup.cost.shift.value_or(0), -1.5, 0.001);
  EXPECT_NEAR(*lookup.cost.high - *lookup.cost.low, 0, 0.01);
}

}  // namespace
}  // namespace netperfd::analysis
