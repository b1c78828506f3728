// SPDX-License-Identifier: GPL-2.0-or-later
// What the gate of noise (daemon/analysis/compare/side_noise.hpp) is worth, with a known truth: how many
// false verdicts a disturber makes without it and with it, and how many true ones it costs. docs/comparing.md
// shows the rates.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/gates.hpp"
#include "daemon/model/noise.hpp"
#include "tests/unit/statistics/gate_rates.hpp"
#include "tests/unit/statistics/synthetic.hpp"

namespace netperfd::analysis {
namespace {

// docs/comparing.md has the rates of 1,000 sets.
#ifdef NETPERFD_SANITIZED
constexpr int kNoiseSets = 60;
#else
constexpr int kNoiseSets = 1'000;
#endif

// What others took of the CPU of a run.
std::vector<CounterDelta> load_counters(double share) {
  return {noise::counter_of(noise::kWindow, 1'000'000'000, "ns"), noise::counter_of(noise::kCpus, 1, ""),
          noise::counter_of(noise::kOthers, static_cast<std::uint64_t>(share * 1e9), "ns")};
}

// A disturber that meets runs of a side with this probability, makes them 10 % slower and is flagged.
struct Disturbance {
  double of_a = 0, of_b = 0;
  bool load_known = false;
};

Conclusions disturbed(std::uint32_t count, double effect, const Disturbance& disturbance, Dice& dice) {
  GatedSides sides;
  for (std::uint32_t block = 1; block <= count; ++block) {
    for (std::uint32_t letter = 1; letter <= 4; ++letter) {
      const bool is_a = letter == 1 || letter == 4;
      const bool met = dice.chance(is_a ? disturbance.of_a : disturbance.of_b);
      ComparedRun run;
      run.job = 1;
      run.block = block;
      run.letter = letter;
      run.received_bits_per_second =
          1e9 * std::exp(0.01 * dice.normal() + (is_a ? 0 : effect) - (met ? 0.1 : 0));
      if (met) run.flags = {std::string{noise::kForeignLoad}};
      if (disturbance.load_known) run.counters = load_counters(met ? 1 - std::exp(-0.1) : 0);
      run.fingerprint.emplace().boot_id = "boot";
      run.fingerprint->facts = {{"nic", "eth0 gro", is_a ? "on" : "off"}};
      (is_a ? sides.a : sides.b).push_back(run);
    }
  }
  const Comparison comparison = compare(sides.a, sides.b, {.changed = {"nic"}});
  return {.without = is_change(verdict_of(comparison.effect, comparison.threshold)),
          .with = is_change(comparison.verdict)};
}

TEST(NoiseGate, withholds_what_a_disturber_of_one_side_made_and_keeps_what_is_true) {
  Dice dice(18);
  for (const bool load_known : {false, true}) {
    const Rates truly = rates(kNoiseSets, [&] { return disturbed(10, 0.03, {0, 0.05, load_known}, dice); });
    EXPECT_GT(truly.with, 0.9 * truly.without);
    for (const double share : {0.3, 0.6, 1.0}) {
      const Rates falsely = rates(kNoiseSets, [&] { return disturbed(10, 0, {0, share, load_known}, dice); });
      print(fmt::format("7a noise in {:.0f} % of the runs of B{}", 100 * share,
                        load_known ? ", of known load" : ""),
            falsely, truly);
      EXPECT_GT(falsely.without, share > 0.5 ? 90 : 20);
      EXPECT_LT(falsely.with, 5);
    }
  }
}

TEST(NoiseGate, costs_nothing_on_a_quiet_host_and_little_on_one_that_is_noisy_on_both_sides) {
  Dice dice(19);
  const Rates quiet = rates(kNoiseSets, [&] { return disturbed(10, 0.03, {}, dice); });
  const Rates noisy = rates(kNoiseSets, [&] { return disturbed(10, 0.1, {1, 1}, dice); });
  const Rates same = rates(kNoiseSets, [&] { return disturbed(10, 0, {0.3, 0.3}, dice); });
  const Rates some = rates(kNoiseSets, [&] { return disturbed(10, 0.1, {0.3, 0.3}, dice); });
  print("7a a quiet host; 30 % of the runs of both", same, quiet);
  print("7a 30 % of the runs of both", same, some);
  EXPECT_GT(some.with, 0.8 * some.without);
  EXPECT_EQ(quiet.with, quiet.without);
  EXPECT_EQ(noisy.with, noisy.without);
  EXPECT_LT(same.with, 5);
}

// Others take a share of each run's CPUs, which the workload lacks: its throughput falls with what is left.
struct Load {
  double of_a = 0, of_b = 0;  // means; runs vary by 5 points
};

Conclusions loaded(std::uint32_t count, double effect, const Load& load, bool blocks, Dice& dice) {
  GatedSides sides;
  for (std::uint32_t block = 1; block <= count; ++block) {
    for (std::uint32_t letter = 1; letter <= 4; ++letter) {
      const bool is_a = letter == 1 || letter == 4;
      const double taken = std::clamp((is_a ? load.of_a : load.of_b) + 0.05 * dice.normal(), 0.0, 0.95);
      ComparedRun run;
      run.job = blocks || is_a ? 1 : 2;
      if (blocks) {
        run.block = block;
        run.letter = letter;
      }
      run.received_bits_per_second = 1e9 * (1 - taken) * std::exp(0.01 * dice.normal() + (is_a ? 0 : effect));
      if (taken > 0.05) run.flags = {std::string{noise::kForeignLoad}};
      run.counters = load_counters(taken);
      run.fingerprint.emplace().boot_id = "boot";
      run.fingerprint->facts = {{"nic", "eth0 gro", is_a ? "on" : "off"}};
      (is_a ? sides.a : sides.b).push_back(run);
    }
  }
  const Comparison comparison = compare(sides.a, sides.b, {.changed = {"nic"}});
  return {.without = is_change(verdict_of(comparison.effect, comparison.threshold)),
          .with = is_change(comparison.verdict)};
}

TEST(NoiseGate, bounds_what_a_load_can_have_made_where_all_runs_have_it) {
  Dice dice(20);
  for (const bool blocks : {true, false}) {
    const char* const pairing = blocks ? "in blocks" : "of two jobs";
    for (const Load load :
         {Load{.of_a = 0.53, .of_b = 0.60}, Load{.of_a = 0.2, .of_b = 0.5}, Load{.of_a = 0, .of_b = 0.3}}) {
      const Rates falsely = rates(kNoiseSets, [&] { return loaded(8, 0, load, blocks, dice); });
      const Rates truly = rates(kNoiseSets, [&] { return loaded(8, -0.7, load, blocks, dice); });
      print(fmt::format("7a others take {:.0f} % of A and {:.0f} % of B, {}", 100 * load.of_a,
                        100 * load.of_b, pairing),
            falsely, truly);
      EXPECT_GT(falsely.without, 50);
      EXPECT_LT(falsely.with, 5);
      EXPECT_GT(truly.with, 90);
    }
    const Rates same =
        rates(kNoiseSets, [&] { return loaded(8, 0, {.of_a = 0.5, .of_b = 0.5}, blocks, dice); });
    const Rates some =
        rates(kNoiseSets, [&] { return loaded(8, -0.7, {.of_a = 0.5, .of_b = 0.5}, blocks, dice); });
    print(fmt::format("7a others take 50 % of both, {}", pairing), same, some);
    EXPECT_LT(same.with, 5);
    EXPECT_GT(some.with, 90);
  }
}

}  // namespace
}  // namespace netperfd::analysis
