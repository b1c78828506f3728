// SPDX-License-Identifier: GPL-2.0-or-later
// What each gate before the verdict (daemon/analysis/compare/gates.hpp) is worth: how many false verdicts
// there would be without it and are with it, and how many true ones. docs/comparing.md shows the table that
// these tests print.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/gates.hpp"
#include "daemon/analysis/compare/host_resolution.hpp"
#include "daemon/analysis/compare/run_planner.hpp"
#include "tests/unit/statistics/gate_rates.hpp"
#include "tests/unit/statistics/synthetic.hpp"

namespace netperfd::analysis {
namespace {

constexpr int kGateSets = 1'000;
constexpr double kSdOfGateRuns = 0.01;  // of runs

// What the interval alone would say, if it leaves out 1 or lies within the threshold.
Verdict ungated(const Comparison& comparison) {
  const Verdict verdict = verdict_of(comparison.effect, comparison.threshold);
  return verdict == Verdict::equivalent ? verdict
                                        : leaning_of(comparison.effect, Better::higher).value_or(verdict);
}

// ABBA blocks of one boot. `effect` of B, in logarithms; `luck` of the boot, added to it.
GatedSides blocks(int count, double effect, Dice& dice, double luck = 0) {
  GatedSides sides;
  for (int block = 1; block <= count; ++block) {
    for (std::uint32_t letter = 1; letter <= 4; ++letter) {
      const bool is_a = letter == 1 || letter == 4;
      ComparedRun run;
      run.job = 1;
      run.block = static_cast<std::uint32_t>(block);
      run.letter = letter;
      run.received_bits_per_second =
          1e9 * std::exp(kSdOfGateRuns * dice.normal() + (is_a ? 0 : effect + luck));
      run.fingerprint.emplace().boot_id = "boot";
      run.fingerprint->facts = {{"cpu", "governor", "performance"}, {"nic", "eth0 gro", "on"}};
      (is_a ? sides.a : sides.b).push_back(run);
    }
  }
  return sides;
}

void set_fact(ComparedRun& run, std::size_t fact, const std::string& value) {
  run.fingerprint->facts[fact].value = value;
}

// B hangs in every tenth run, and is 4 % faster in the others: there is no verdict about those alone.
TEST(Gates, runs_that_received_nothing) {
  Dice dice(2);
  const auto once = [&dice](double effect, double dead_a, double dead_b) {
    GatedSides sides = blocks(8, effect, dice);
    const auto kill = [&dice](std::vector<ComparedRun>& runs, double share) {
      for (ComparedRun& run : runs) {
        if (dice.chance(share)) run.received_bits_per_second = 0;
      }
    };
    kill(sides.a, dead_a);
    kill(sides.b, dead_b);
    const Comparison comparison = compare(sides.a, sides.b, {.changed = {"nic"}});
    const auto concludes = [](Verdict verdict) {
      return is_change(verdict) || verdict == Verdict::equivalent;
    };
    return Conclusions{.without = concludes(ungated(comparison)), .with = concludes(comparison.verdict)};
  };
  const Rates falsely = rates(kGateSets, [&] { return once(0.04, 0, 0.1); });
  const Rates truly = rates(kGateSets, [&] { return once(0.04, 0.001, 0.001); });
  print("2 runs that received nothing", falsely, truly);
  EXPECT_GT(falsely.without, 80);
  EXPECT_LT(falsely.with, 25) << "those in which none hung";
  EXPECT_GT(truly.with, 0.94 * truly.without);
}

// The governor goes along with B and costs 4 %; or it changes for both, halfway, and a run fails.
TEST(Gates, undeclared_differences) {
  Dice dice(3);
  const auto judge = [](const GatedSides& sides) {
    const Comparison comparison = compare(sides.a, sides.b, {.changed = {"nic"}});
    return Conclusions{.without = is_change(ungated(comparison)), .with = is_change(comparison.verdict)};
  };
  const Rates falsely = rates(kGateSets, [&] {
    GatedSides sides = blocks(8, -0.04, dice);
    for (ComparedRun& run : sides.b) set_fact(run, 0, "schedutil");
    for (ComparedRun& run : sides.b) set_fact(run, 1, "off");
    return judge(sides);
  });
  const Rates truly = rates(kGateSets, [&] {
    GatedSides sides = blocks(8, 0.04, dice);
    const auto changed_after = static_cast<std::uint32_t>(4 + (dice.chance(0.5) ? 1 : 0));
    for (auto* side : {&sides.a, &sides.b}) {
      for (ComparedRun& run : *side) {
        if (run.block > changed_after) set_fact(run, 0, "schedutil");
        if (side == &sides.b) set_fact(run, 1, "off");
      }
    }
    sides.b.erase(sides.b.begin() + (dice.chance(0.5) ? 3 : 12));
    return judge(sides);
  });
  print("3 an undeclared difference", falsely, truly);
  EXPECT_GT(falsely.without, 90);
  EXPECT_EQ(falsely.with, 0);
  EXPECT_EQ(truly.with, truly.without);
}

TEST(Gates, plain_runs_against_traced_ones) {
  Dice dice(4);
  const auto once = [&dice](const std::vector<std::string>& changed) {
    GatedSides sides = blocks(8, -0.3, dice);
    for (ComparedRun& run : sides.b) run.trace.emplace();
    const Comparison comparison = compare(sides.a, sides.b, {.changed = changed});
    return Conclusions{.without = is_change(ungated(comparison)), .with = is_change(comparison.verdict)};
  };
  const Rates falsely = rates(kGateSets, [&] { return once({"nic"}); });
  const Rates truly = rates(kGateSets, [&] { return once({"trace"}); });
  print("4 plain runs against traced ones", falsely, truly);
  EXPECT_EQ(falsely.without, 100);
  EXPECT_EQ(falsely.with, 0);
  EXPECT_EQ(truly.with, 100);
}

// Five blocks of one sign look convincing.
TEST(Gates, too_few_samples) {
  Dice dice(5);
  const auto once = [&dice](double effect) {
    const GatedSides sides = blocks(5, effect, dice);
    const Comparison comparison = compare(sides.a, sides.b, {});
    bool above = true, below = true;
    for (std::uint32_t block = 1; block <= 5; ++block) {
      double difference = 0;
      for (const auto* side : {&sides.a, &sides.b}) {
        for (const ComparedRun& run : *side) {
          const double log = std::log(*run.received_bits_per_second);
          if (run.block == block) difference += side == &sides.b ? log : -log;
        }
      }
      (difference > 0 ? below : above) = false;
    }
    return Conclusions{.without = above || below, .with = is_change(comparison.verdict)};
  };
  const Rates falsely = rates(kGateSets, [&] { return once(0); });
  const Rates truly = rates(kGateSets, [&] { return once(0.02); });
  print("5 too few samples (5 blocks of one sign)", falsely, truly);
  EXPECT_GT(falsely.without, 5);
  EXPECT_EQ(falsely.with, 0);
}

// Beside it, the verdict that only asks whether the estimate is beyond the threshold. As many blocks as the
// plan says for twice the threshold.
TEST(Gates, the_interval) {
  Dice dice(6);
  const int planned = static_cast<int>(
      netperfd::analysis::blocks({.sd = kSdOfGateRuns, .effect = std::log(1.01 / 1.005)}).value_or(0));
  const auto once = [&](double effect) {
    const GatedSides sides = blocks(planned, effect, dice);
    const Comparison comparison = compare(sides.a, sides.b, {.threshold = 0.005, .changed = {}});
    return Conclusions{.without = std::abs(*comparison.effect.ratio - 1) > 0.005,
                       .with = is_change(comparison.verdict)};
  };
  // Of a change that is just no more than the threshold.
  const Rates falsely = rates(kGateSets, [&] { return once(std::log(1.005)); });
  const Rates truly = rates(kGateSets, [&] { return once(std::log(1.01)); });
  print(fmt::format("6 the interval ({} blocks, as planned)", planned), falsely, truly);
  EXPECT_LT(falsely.with, 3.9);  // 99 % of binomial counts at 2.5 %: one end of the interval
  EXPECT_GT(falsely.without, 40);
  EXPECT_GT(truly.with, 76.7) << "80 % as planned";
}

// One boot adds 1 % to B, and so did each boot of the self-tests, to either side.
TEST(Gates, what_the_host_resolves_for_code) {
  for (const int boots : {3, 5, 8}) {
    Dice dice(70 + static_cast<std::uint64_t>(boots));
    const auto once = [&](double effect) {
      GatedSides tests;
      for (int boot = 0; boot < boots; ++boot) {
        GatedSides test = blocks(6, 0, dice, 0.01 * dice.normal());
        for (auto* side : {&test.a, &test.b}) {
          for (ComparedRun& run : *side) {
            run.fingerprint->boot_id = std::to_string(boot);
            run.job = boot;
          }
        }
        tests.a.insert(tests.a.end(), test.a.begin(), test.a.end());
        tests.b.insert(tests.b.end(), test.b.begin(), test.b.end());
      }
      const GatedSides sides = blocks(8, effect, dice, 0.01 * dice.normal());
      ComparisonSettings settings;
      settings.changed = {"module:hsr"};
      settings.figures.front().resolution.code = code_resolution(tests.a, tests.b, settings.level);
      const Comparison comparison = compare(sides.a, sides.b, settings);
      return Conclusions{.without = is_change(ungated(comparison)), .with = is_change(comparison.verdict)};
    };
    const Rates falsely = rates(kGateSets, [&] { return once(0); });
    const Rates truly = rates(kGateSets, [&] { return once(std::log(1.05)); });
    print(fmt::format("7 self-tests of {} boots that add 1 %, of 5 %", boots), falsely, truly);
    EXPECT_GT(falsely.without, 30);
    EXPECT_LT(falsely.with, 6.7);
    EXPECT_GT(truly.with, 60);
  }
}

// One boot, and builds whose pairs differ by 1 %: in self-tests each meets the next one.
TEST(Gates, what_the_host_resolves_with_several_builds) {
  Dice dice(78);
  const auto luck = [&dice] { return 0.01 / std::sqrt(2.0) * dice.normal(); };
  const auto once = [&](double effect) {
    constexpr std::size_t kBuilds = 8;
    GatedSides tests;
    std::vector<double> builds(kBuilds);
    for (double& build : builds) build = luck();
    for (std::size_t build = 0; build < kBuilds; ++build) {
      GatedSides test = blocks(3, 0, dice, builds[(build + 1) % kBuilds] - builds[build]);
      for (auto* side : {&test.a, &test.b}) {
        for (ComparedRun& run : *side) {
          run.job = static_cast<JobId>(build);
          run.build = std::to_string(side == &test.a ? build : (build + 1) % kBuilds);
        }
        auto& all = side == &test.a ? tests.a : tests.b;
        all.insert(all.end(), side->begin(), side->end());
      }
    }
    const GatedSides sides = blocks(8, effect, dice, luck() - luck());
    ComparisonSettings settings;
    settings.changed = {"module:hsr"};
    settings.figures.front().resolution.code = code_resolution(tests.a, tests.b, settings.level);
    const Comparison comparison = compare(sides.a, sides.b, settings);
    return Conclusions{.without = is_change(ungated(comparison)), .with = is_change(comparison.verdict)};
  };
  const Rates falsely = rates(kGateSets, [&] { return once(0); });
  const Rates truly = rates(kGateSets, [&] { return once(std::log(1.05)); });
  print("7 self-tests of 8 builds that add 1 %, of 5 %", falsely, truly);
  EXPECT_GT(falsely.without, 30);
  EXPECT_LT(falsely.with, 6.7);
  EXPECT_GT(truly.with, 60);
}

// Before and after a kernel: eight runs in a boot each, which vary by 1.5 %.
TEST(Gates, one_boot_a_side) {
  Dice dice(79);
  const auto once = [&dice](double effect) {
    GatedSides sides;
    for (auto* side : {&sides.a, &sides.b}) {
      const double of_boot = 0.015 * dice.normal() + (side == &sides.b ? effect : 0);
      for (int i = 0; i < 8; ++i) {
        ComparedRun& run = side->emplace_back();
        run.received_bits_per_second = 1e9 * std::exp(of_boot + 0.005 * dice.normal());
        run.fingerprint.emplace().boot_id = side == &sides.a ? "before" : "after";
      }
    }
    const Comparison comparison = compare(sides.a, sides.b, {.changed = {"kernel"}});
    return Conclusions{.without = is_change(ungated(comparison)), .with = is_change(comparison.verdict)};
  };
  const Rates falsely = rates(kGateSets, [&] { return once(0); });
  const Rates truly = rates(kGateSets, [&] { return once(std::log(1.1)); });
  print("7 one boot a side; of 10 %", falsely, truly);
  EXPECT_GT(falsely.without, 70);
  EXPECT_LT(falsely.with, 6.7);
  EXPECT_GT(truly.with, 80);
}

// The switch to B leaves a cold cache, which costs 1.5 %, also in the self-test. Without that, the self-test
// finds a change in one case of 25.
TEST(Gates, what_the_host_resolves_for_settings) {
  Dice dice(77);
  const auto once = [&dice](double effect, double bias) {
    const GatedSides test = blocks(8, bias, dice);
    const Comparison self_test = compare(test.a, test.b, {});
    ComparisonSettings settings;
    settings.changed = {"nic"};
    settings.figures.front().resolution.settings = settings_resolution(self_test.effect, self_test.verdict);
    const GatedSides sides = blocks(8, effect + bias, dice);
    const Comparison comparison = compare(sides.a, sides.b, settings);
    return Conclusions{.without = is_change(ungated(comparison)), .with = is_change(comparison.verdict)};
  };
  const Rates falsely = rates(kGateSets, [&] { return once(0, -0.015); });
  const Rates truly = rates(kGateSets, [&] { return once(std::log(1.03), 0); });
  print("7 a self-test that found 1.5 %; of 3 %", falsely, truly);
  EXPECT_GT(falsely.without, 80);
  EXPECT_LT(falsely.with, 25);
  EXPECT_GT(truly.with, 0.95 * truly.without);
}

}  // namespace
}  // namespace netperfd::analysis
