// SPDX-License-Identifier: GPL-2.0-or-later
// What a boot adds to the difference of two builds is the same in all blocks of that boot. docs/statistics.md
// shows the figures that these tests print.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/gates.hpp"
#include "tests/unit/statistics/synthetic.hpp"

namespace netperfd::analysis {
namespace {

constexpr int kSimulated = 1'000;
constexpr double kOfRuns = 0.01;

struct Design {
  int boots = 1, blocks = 6;   // of each boot
  double spread_of_boots = 0;  // of what a boot adds to the difference, in logarithms
  double effect = 0;
  int builds = 1;  // of each side, by turns of blocks
  double spread_of_builds = 0;
};

struct Runs {
  std::vector<ComparedRun> a, b;
};

// `told`: whether the runs say which boot they are of.
Runs runs_of(const Design& design, bool told, Dice& dice) {
  Runs runs;
  std::vector<double> of_build(static_cast<std::size_t>(design.builds));
  for (double& luck : of_build) luck = design.spread_of_builds * dice.normal();
  std::uint32_t block = 0;
  for (int boot = 0; boot < design.boots; ++boot) {
    const double of_boot = design.spread_of_boots * dice.normal();
    for (int i = 0; i < design.blocks; ++i) {
      ++block;
      const auto build = static_cast<std::size_t>(i % design.builds);
      const double luck = of_boot + of_build[build] + design.effect;
      for (int letter = 0; letter < 4; ++letter) {
        const bool is_a = letter == 0 || letter == 3;
        ComparedRun run;
        run.job = 1;
        run.block = block;
        run.received_bits_per_second = 1e9 * std::exp(kOfRuns * dice.normal() + (is_a ? 0 : luck));
        if (told && design.builds > 1) run.build = std::to_string(build);
        if (told) run.fingerprint.emplace().boot_id = std::to_string(boot);
        (is_a ? runs.a : runs.b).push_back(run);
      }
    }
  }
  return runs;
}

Comparison comparison_of(const Design& design, bool told, Dice& dice) {
  const Runs runs = runs_of(design, told, dice);
  ComparisonSettings settings;
  settings.changed = {"module:hsr"};
  return compare(runs.a, runs.b, settings);
}

// Whether the interval leaves out the truth, that nothing differs.
bool misses(const Comparison& comparison) {
  const RatioEstimate& effect = comparison.effect;
  return effect.low && (*effect.low > 1 || *effect.high < 1);
}

// Whether the interval alone shows that B is better.
bool finds(const Comparison& comparison) {
  return leaning_of(comparison.effect, Better::higher) == Verdict::improvement;
}

TEST(Levels, of_several_boots_have_intervals_that_miss_no_more_often_than_they_say) {
  fmt::print("intervals of 1,000 that miss, boots that add 1 %\n{:>8}{:>8}{:>20}{:>20}\n", "boots", "blocks",
             "blocks as samples", "boots as samples");
  for (const int boots : {4, 6, 8, 12}) {
    const Design design{.boots = boots, .blocks = 6, .spread_of_boots = 0.01};
    Dice dice(static_cast<std::uint64_t>(boots));
    const double pooled = share_of(kSimulated, [&] { return misses(comparison_of(design, false, dice)); });
    const double by_boot = share_of(kSimulated, [&] { return misses(comparison_of(design, true, dice)); });
    fmt::print("{:>8}{:>8}{:>18.1f} %{:>18.1f} %\n", boots, design.blocks, 100 * pooled, 100 * by_boot);
    EXPECT_GT(pooled, 0.2) << boots;
    EXPECT_LT(by_boot, 0.067) << boots;  // 5 %, and 99 % of binomial counts
    if (boots >= 6) {
      EXPECT_GT(by_boot, 0.01) << boots;
    }
  }
}

TEST(Levels, of_several_boots_find_an_effect_of_twice_the_threshold) {
  const Design design{.boots = 8, .blocks = 6, .spread_of_boots = 0.01, .effect = std::log(1.02)};
  Dice dice(80);
  const double found = share_of(kSimulated, [&] { return finds(comparison_of(design, true, dice)); });
  fmt::print("an effect of 2 % in 8 boots that add 1 %: found in {:.1f} %\n", 100 * found);
  EXPECT_GT(found, 0.8);
}

// A design that reboots for each letter: `boots` a side of five runs each, by turns.
Comparison comparison_of_booted(int boots, double spread_of_boots, double effect, bool told, Dice& dice) {
  Runs runs;
  for (int letter = 0; letter < 2 * boots; ++letter) {
    const bool is_a = letter % 4 == 0 || letter % 4 == 3;
    const double luck = spread_of_boots * dice.normal() + (is_a ? 0 : effect);
    for (int i = 0; i < 5; ++i) {
      ComparedRun run;
      run.job = 1;
      run.block = static_cast<std::uint32_t>(letter / 4 + 1);
      run.letter = static_cast<std::uint32_t>(letter % 4 + 1);
      run.received_bits_per_second = 1e9 * std::exp(0.005 * dice.normal() + luck);
      if (told) run.fingerprint.emplace().boot_id = std::to_string(letter);
      (is_a ? runs.a : runs.b).push_back(run);
    }
  }
  if (!told) {
    for (auto* side : {&runs.a, &runs.b}) {
      for (ComparedRun& run : *side) run.block = 0;
    }
  }
  ComparisonSettings settings;
  settings.changed = {"kernel"};
  return compare(runs.a, runs.b, settings);
}

TEST(Levels, of_letters_that_reboot_have_intervals_that_miss_no_more_often_than_they_say) {
  fmt::print("boots that add 1.5 %, runs that add 0.5 %, of 1,000\n{:>14}{:>18}{:>18}{:>24}\n",
             "boots a side", "runs as samples", "boots as samples", "an effect of 5 % found");
  for (const int boots : {4, 8}) {
    Dice dice(static_cast<std::uint64_t>(100 + boots));
    const auto compared = [&](double effect, bool told) {
      return comparison_of_booted(boots, 0.015, effect, told, dice);
    };
    const double pooled = share_of(kSimulated / 5, [&] { return misses(compared(0, false)); });
    const double by_boot = share_of(kSimulated, [&] { return misses(compared(0, true)); });
    const double found = share_of(kSimulated / 5, [&] { return finds(compared(std::log(1.05), true)); });
    fmt::print("{:>14}{:>16.1f} %{:>16.1f} %{:>22.1f} %\n", boots, 100 * pooled, 100 * by_boot, 100 * found);
    EXPECT_GT(pooled, 0.2) << boots;
    EXPECT_LT(by_boot, 0.067) << boots;  // 5 %, and 99 % of binomial counts
    EXPECT_GT(by_boot, 0.01) << boots;
    EXPECT_GT(found, 0.8) << boots;
  }
}

// With one build a side, more boots do not help: each has the luck of the same builds.
TEST(Levels, of_several_builds_have_intervals_that_miss_no_more_often_than_they_say) {
  fmt::print("boots and builds that each add 1 %, of 1,000\n{:>8}{:>8}{:>10}{:>10}{:>24}\n", "boots",
             "builds", "told", "not told", "an effect of 5 % found");
  for (const auto& [boots, builds] : {std::pair{1, 8}, {8, 1}, {6, 6}, {8, 8}}) {
    Design design{.boots = boots,
                  .blocks = builds == 1 ? 6 : builds * (boots == 1 ? 4 : 1),
                  .spread_of_boots = boots == 1 ? 0 : 0.01,
                  .builds = builds,
                  .spread_of_builds = 0.01};
    Dice dice(static_cast<std::uint64_t>(10 * boots + builds));
    const double pooled = share_of(kSimulated, [&] { return misses(comparison_of(design, false, dice)); });
    const double told = share_of(kSimulated, [&] { return misses(comparison_of(design, true, dice)); });
    design.effect = std::log(1.05);
    const double found = share_of(kSimulated, [&] { return finds(comparison_of(design, true, dice)); });
    fmt::print("{:>8}{:>8}{:>8.1f} %{:>8.1f} %{:>22.1f} %\n", boots, builds, 100 * told, 100 * pooled,
               100 * found);
    EXPECT_GT(pooled, 0.2) << boots << " " << builds;
    if (builds > 1) {
      EXPECT_LT(told, 0.067) << boots << " " << builds;  // 5 %, and 99 % of binomial counts
    }
    EXPECT_GT(found, 0.8) << boots << " " << builds;
  }
}

// Of one boot and build, many intervals leave out the truth; as verdicts, no more than the level says.
TEST(Levels, of_one_boot_are_verdicts_no_more_often_than_the_level_says) {
  fmt::print("one boot of 8 blocks: changes of 1,000 that are none\n{:>16}{:>12}{:>12}\n", "boots add",
             "intervals", "verdicts");
  for (const double spread : {0.002, 0.005, 0.01}) {
    const Design design{.boots = 1, .blocks = 8, .spread_of_boots = spread};
    Dice dice(static_cast<std::uint64_t>(spread * 1e4));
    int intervals = 0, verdicts = 0;
    for (int set = 0; set < kSimulated; ++set) {
      const Comparison comparison = comparison_of(design, true, dice);
      if (misses(comparison)) ++intervals;
      if (is_change(comparison.verdict)) ++verdicts;
    }
    fmt::print("{:>14.1f} %{:>10.1f} %{:>10.1f} %\n", 100 * spread, intervals / 10.0, verdicts / 10.0);
    EXPECT_LT(verdicts, kSimulated * 0.067) << spread;
    if (spread > 0.005) {
      EXPECT_GT(intervals, kSimulated / 5);
    }
  }
}

// That costs true verdicts of a large effect little: one of 10 % is said to hold where boots add 1 %.
TEST(Levels, of_one_boot_hold_for_a_large_effect) {
  const Design design{.boots = 1, .blocks = 8, .spread_of_boots = 0.01, .effect = std::log(1.1)};
  Dice dice(81);
  const double holding = share_of(kSimulated, [&] {
    const Comparison comparison = comparison_of(design, true, dice);
    return comparison.verdict == Verdict::improvement && comparison.luck_spread.value_or(0) >= 0.01;
  });
  fmt::print("an effect of 10 % in one boot: said to hold up to boots that add 1 % in {:.1f} %\n",
             100 * holding);
  EXPECT_GT(holding, 0.8);
}

}  // namespace
}  // namespace netperfd::analysis
