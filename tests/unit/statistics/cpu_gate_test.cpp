// SPDX-License-Identifier: GPL-2.0-or-later
// What the gates are worth for the CPU time per byte, which is judged beside the figures: how often it is
// said to differ though nothing does, and how often a change of 5 % is found. docs/comparing.md shows the
// rates.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/shift_estimate.hpp"
#include "daemon/model/noise.hpp"
#include "tests/unit/statistics/gate_rates.hpp"
#include "tests/unit/statistics/synthetic.hpp"

namespace netperfd::analysis {
namespace {

constexpr int kCpuSets = 1'000;
constexpr double kCpuBytes = 1e9;
const double kCpuEffect = std::log(1.05);

struct CpuHost {
  std::uint32_t count = 6;  // ABBA blocks, or runs per side
  bool paired = true;
  double disturbed = 0;  // share of the runs of B that a disturber meets, makes 10 % dearer and flags
};

// Runs of which only the CPU time tells the sides apart. They vary by 1 %, with a tail to the dear side.
GatedSides cpu_runs(const CpuHost& host, double effect, Dice& dice) {
  GatedSides sides;
  const std::uint32_t letters = host.paired ? 4 : 2;
  for (std::uint32_t block = 1; block <= host.count; ++block) {
    for (std::uint32_t letter = 1; letter <= letters; ++letter) {
      const bool is_a = letter == 1 || letter == 4;
      const bool met = !is_a && dice.chance(host.disturbed);
      ComparedRun run;
      run.job = 1;
      run.block = host.paired ? block : 0;
      run.letter = host.paired ? letter : 0;
      run.received_bits_per_second = 1e9 * std::exp(0.01 * dice.normal());
      const double luck = -0.5 * log_of_run(Shape::skewed, dice);
      run.goodput_bytes = static_cast<std::uint64_t>(kCpuBytes);
      run.busy_ns =
          static_cast<std::uint64_t>(60 * kCpuBytes * std::exp(luck + (is_a ? 0 : effect) + (met ? 0.1 : 0)));
      if (met) run.flags = {std::string{noise::kForeignLoad}};
      run.fingerprint.emplace().boot_id = "boot";
      run.fingerprint->facts = {{"nic", "eth0 gro", is_a ? "on" : "off"}};
      (is_a ? sides.a : sides.b).push_back(run);
    }
  }
  return sides;
}

struct CpuCounts {
  Rates differs;              // its interval leaves out 0; it is said to be changed
  double apart = 0;           // its levels are not as far apart as its change
  double held = 0, some = 0;  // intervals that hold the truth, of those that there are
};

CpuCounts judged(const CpuHost& host, double effect, Dice& dice) {
  CpuCounts counts;
  counts.differs = rates(kCpuSets, [&] {
    const GatedSides sides = cpu_runs(host, effect, dice);
    const Comparison comparison = compare(sides.a, sides.b, {.changed = {"nic"}});
    const FigureResult& cpu = comparison.beside.at(0);
    const ShiftEstimate& line = *comparison.attribution.ns_per_byte;
    if (std::abs(line.centre_b - line.centre_a - *line.shift) > 1e-9) ++counts.apart;
    if (cpu.effect.low) ++counts.some;
    if (cpu.effect.low && std::log(*cpu.effect.low) <= effect && effect <= std::log(*cpu.effect.high))
      ++counts.held;
    return Conclusions{.without = is_change(line), .with = is_change(cpu.verdict)};
  });
  return counts;
}

TEST(CpuGate, says_of_what_is_the_same_that_it_differs_in_few_comparisons_and_finds_what_changed) {
  Dice dice(201);
  for (const bool paired : {true, false}) {
    for (const std::uint32_t count : {3U, 6U, 10U}) {
      const CpuHost host{.count = count, .paired = paired};
      const CpuCounts none = judged(host, 0, dice), some = judged(host, kCpuEffect, dice);
      print(fmt::format("16 CPU time, {} {}", count, paired ? "blocks" : "runs per side"), none.differs,
            some.differs);
      EXPECT_EQ(none.apart + some.apart, 0);
      EXPECT_LE(none.differs.without, 6.7);  // 99 % of binomial counts of 1,000 at 5 %
      EXPECT_LE(none.differs.with, 2);
      if (count == 3) {
        EXPECT_EQ(some.differs.without, 0);  // too few for an interval
      } else {
        EXPECT_GE(none.held, none.some * 0.933);
        EXPECT_GE(some.held, some.some * 0.933);
        EXPECT_GE(some.differs.with, 90);
      }
    }
  }
}

TEST(CpuGate, withholds_what_a_disturber_of_one_side_made) {
  Dice dice(202);
  for (const bool paired : {true, false}) {
    const CpuCounts truly = judged({.count = 10, .paired = paired, .disturbed = 0.05}, kCpuEffect, dice);
    const CpuCounts falsely = judged({.count = 10, .paired = paired, .disturbed = 0.6}, 0, dice);
    print(fmt::format("16 CPU time, noise in 60 % of B, 10 {}", paired ? "blocks" : "runs per side"),
          falsely.differs, truly.differs);
    EXPECT_GT(falsely.differs.without, 50);
    EXPECT_LT(falsely.differs.with, 5);
    EXPECT_GT(truly.differs.with, 0.9 * truly.differs.without);
  }
}

}  // namespace
}  // namespace netperfd::analysis
