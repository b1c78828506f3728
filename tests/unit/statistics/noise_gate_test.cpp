// SPDX-License-Identifier: GPL-2.0-or-later
// What the gate of noise (daemon/analysis/compare/side_noise.hpp) is worth, with a known truth: how many
// false verdicts a disturber makes without it and with it, and how many true ones it costs. docs/comparing.md
// shows the rates.
#include <gmock/gmock.h>

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

// A disturber that meets runs of a side with this probability, makes them 10 % slower and is flagged.
struct Disturbance {
  double of_a = 0, of_b = 0;
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
  const Rates truly = rates(kNoiseSets, [&] { return disturbed(10, 0.03, {0, 0.05}, dice); });
  EXPECT_GT(truly.with, 0.9 * truly.without);
  for (const double share : {0.3, 0.6, 1.0}) {
    const Rates falsely = rates(kNoiseSets, [&] { return disturbed(10, 0, {0, share}, dice); });
    print(fmt::format("7a noise in {:.0f} % of the runs of B", 100 * share), falsely, truly);
    EXPECT_GT(falsely.without, share > 0.5 ? 90 : 20);
    EXPECT_LT(falsely.with, 5);
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

}  // namespace
}  // namespace netperfd::analysis
