// SPDX-License-Identifier: GPL-2.0-or-later
// The CPU time per byte, which is judged beside the figures of a comparison as they are.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/model/noise.hpp"
#include "tests/unit/analysis/compare/traced_sides.hpp"

namespace netperfd::analysis {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

// Eight ABBA blocks, in which B takes so many times the CPU time of A. Throughput is the same.
TracedSides dear_blocks(double ratio, double spread = 0.002) {
  TracedSides sides;
  for (std::uint32_t block = 1; block <= 8; ++block) {
    for (std::uint32_t letter = 1; letter <= 4; ++letter) {
      const bool is_a = letter == 1 || letter == 4;
      ComparedRun run;
      run.id = block * 10 + letter;
      run.job = 1;
      run.block = block;
      run.letter = letter;
      run.received_bits_per_second = 1e9 + 1e5 * block + 2e4 * letter;
      run.figures["cpu"] = 60 * (is_a ? 1 : ratio) * std::exp(spread * std::sin(1.7 * block + 2.3 * letter));
      run.fingerprint.emplace().boot_id = "boot";
      run.fingerprint->facts = {{"nic", "eth0 gro", is_a ? "on" : "off"}};
      (is_a ? sides.a : sides.b).push_back(run);
    }
  }
  return sides;
}

Comparison judged(const TracedSides& sides, const std::string& changed = "nic") {
  return compare(sides.a, sides.b, {.changed = {changed}});
}

TEST(CpuTime, has_a_verdict_of_its_own_and_no_say_in_that_of_the_comparison) {
  const Comparison comparison = judged(dear_blocks(1.1));
  EXPECT_EQ(comparison.verdict, Verdict::equivalent);
  ASSERT_THAT(comparison.beside, SizeIs(1));
  EXPECT_EQ(comparison.beside[0].name, "cpu");
  EXPECT_EQ(comparison.beside[0].verdict, Verdict::regression);
  EXPECT_EQ(judged(dear_blocks(1)).beside.at(0).verdict, Verdict::equivalent);
  EXPECT_EQ(judged(dear_blocks(1.1, 0.2)).beside.at(0).verdict, Verdict::inconclusive);
}

// "65.22 -> 65.16, +2.20" is none.
TEST(CpuTime, has_levels_as_far_apart_as_its_change_in_any_sampling) {
  for (const double spread : {0.002, 0.2}) {
    for (const bool paired : {true, false}) {
      TracedSides sides = dear_blocks(1.03, spread);
      for (auto* side : {&sides.a, &sides.b}) {
        for (ComparedRun& run : *side) run.block = paired ? run.block : 0;
      }
      for (const std::size_t runs : {16U, 2U}) {  // two are too few for an interval
        sides.a.resize(runs);
        sides.b.resize(runs);
        const ShiftEstimate line = *judged(sides).attribution.ns_per_byte;
        EXPECT_NEAR(line.centre_b - line.centre_a, line.shift.value_or(0), 1e-9);
        if (!line.low) continue;
        EXPECT_LE(*line.low, *line.shift);
        EXPECT_GE(*line.high, *line.shift);
      }
    }
  }
}

TEST(CpuTime, that_noise_of_a_side_made_has_no_verdict) {
  TracedSides sides = dear_blocks(1.1);
  for (ComparedRun& run : sides.b) run.flags = {std::string{noise::kForeignLoad}};
  const Comparison comparison = judged(sides);
  EXPECT_EQ(comparison.beside.at(0).verdict, Verdict::inconclusive);
  EXPECT_THAT(comparison.caveats, Contains(StartsWith("cpu: No verdict: it was regression")));
}

TEST(CpuTime, of_code_is_bounded_by_what_two_builds_are_taken_to_differ_by) {
  TracedSides sides = dear_blocks(1.03);
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side)
      run.fingerprint->facts = {{"module:hsr", "build-id", side == &sides.a ? "a1" : "b2"}};
  }
  const FigureResult cpu = judged(sides, "module:hsr").beside.at(0);
  EXPECT_EQ(cpu.verdict, Verdict::inconclusive);
  EXPECT_EQ(cpu.leaning, Verdict::regression);
  EXPECT_EQ(judged(dear_blocks(1.03)).beside.at(0).verdict, Verdict::regression) << "a setting is not";
}

TEST(CpuTime, is_refused_and_has_too_few_samples_as_other_figures) {
  TracedSides sides = dear_blocks(1.1);
  EXPECT_EQ(judged(sides, "kernel").beside.at(0).verdict, Verdict::refused) << "another fact differs";
  sides.a[0].files = sides.b[0].files = {"digest"};
  ++sides.b[0].job;
  EXPECT_EQ(judged(sides).beside.at(0).verdict, Verdict::refused) << "one measurement on both sides";
  TracedSides few = dear_blocks(1.1);
  few.a.resize(6);
  few.b.resize(6);
  EXPECT_EQ(judged(few).beside.at(0).verdict, Verdict::too_few);
}

TEST(CpuTime, is_bounded_by_what_self_tests_found_in_it) {
  const TracedSides sides = dear_blocks(1.03);
  ComparisonSettings settings{.changed = {"nic"}};
  settings.cpu.settings = 1.1;
  const FigureResult cpu = compare(sides.a, sides.b, settings).beside.at(0);
  EXPECT_EQ(cpu.verdict, Verdict::inconclusive);
  EXPECT_EQ(cpu.resolution, 1.1);
}

TEST(CpuTime, that_is_a_figure_of_the_comparison_is_judged_once) {
  const TracedSides sides = dear_blocks(1.1);
  ComparisonSettings settings{.changed = {"nic"}};
  settings.figures = {{}, {.figure = {.name = "cpu"}}};
  const Comparison comparison = compare(sides.a, sides.b, settings);
  EXPECT_THAT(comparison.beside, IsEmpty());
  ASSERT_TRUE(comparison.attribution.ns_per_byte);
  const FigureResult& cpu = comparison.figures.at(1);
  EXPECT_DOUBLE_EQ(comparison.attribution.ns_per_byte->centre_a, cpu.effect.centre_a);
  EXPECT_DOUBLE_EQ(*comparison.attribution.ns_per_byte->low, (*cpu.effect.low - 1) * cpu.effect.centre_a);
}

TEST(CpuTime, says_which_part_of_the_runs_it_is_of) {
  TracedSides sides = dear_blocks(1.1);
  EXPECT_TRUE(judged(sides).attribution.of_counted_part);
  sides.b[3].cpu_of_whole = true;
  EXPECT_FALSE(judged(sides).attribution.of_counted_part);
}

// What iperf3 omits is twice as dear in B: no change of the part that it counts. Traces, which have both
// parts, are compared with both.
TEST(CpuTime, of_a_costly_omitted_part_does_not_move) {
  TracedSides sides = classic();
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) {
      if (run.trace) continue;
      run.figures["cpu"] = 7 + 0.001 * static_cast<double>(*run.busy_ns % 7);
    }
  }
  const Comparison comparison = comparison_of(sides);
  EXPECT_EQ(comparison.beside.at(0).verdict, Verdict::equivalent);
  EXPECT_NEAR(comparison.attribution.whole_ns_per_byte->shift.value_or(0), -2, 0.1);
  EXPECT_TRUE(comparison.attribution.explained) << "whole plain runs and whole traced ones agree";
}

}  // namespace
}  // namespace netperfd::analysis
