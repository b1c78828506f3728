// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <utility>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"
#include "tests/unit/analysis/compare/sampled_sides.hpp"

namespace netperfd::analysis {
namespace {

using testing::Not;

TEST(Grouping, of_blocks_has_one_value_a_block_which_linear_drift_does_not_touch) {
  const SampledSides sides = blocks(8, 1.05);
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_EQ(comparison.pairing, Pairing::blocks);
  EXPECT_EQ(comparison.effect.n_a, 8U);
  EXPECT_EQ(comparison.effect.n_b, 8U);
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_NEAR(comparison.effect.ratio.value_or(0), 1.05, 2e-4);
  EXPECT_LT(*comparison.effect.high - *comparison.effect.low, 1e-3);  // although 16 runs spread by 30 %
  EXPECT_TRUE(comparison.effect.detectable);
  EXPECT_THAT(comparison.caveats, Not(has_caveat("interleaved")));
}

TEST(Grouping, tells_of_blocks_that_are_not_whole) {
  SampledSides sides = blocks(8, 1.05);
  EXPECT_THAT(compare(sides.a, sides.b, {}).caveats, Not(has_caveat("not whole")));
  sides.a.pop_back();
  sides.b.pop_back();
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_EQ(comparison.effect.n_a, 8U);
  EXPECT_THAT(comparison.caveats, has_caveat("Blocks that are not whole, whose differences spread more than "
                                             "those of the others: 1."));
}

TEST(Grouping, of_few_blocks_is_too_few_however_many_runs_they_have) {
  const SampledSides sides = blocks(5, 1.05);
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_EQ(comparison.pairing, Pairing::blocks);
  EXPECT_EQ(comparison.verdict, Verdict::too_few);
  EXPECT_NEAR(comparison.effect.ratio.value_or(0), 1.05, 2e-4);
}

TEST(Grouping, keeps_blocks_of_two_jobs_apart) {
  SampledSides sides = blocks(4, 1.05);
  SampledSides more = blocks(4, 1.05);
  for (auto* side : {&more.a, &more.b}) {
    for (ComparedRun& run : *side) run.job = 8;
  }
  sides.a.insert(sides.a.end(), more.a.begin(), more.a.end());
  sides.b.insert(sides.b.end(), more.b.begin(), more.b.end());
  EXPECT_EQ(compare(sides.a, sides.b, {}).effect.n_a, 8U);
}

TEST(Grouping, of_blocks_in_several_boots_has_one_value_a_boot) {
  SampledSides sides = blocks(14, 1.05);
  boot_every(2, sides);
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_EQ(comparison.pairing, Pairing::boots_of_blocks);
  EXPECT_EQ(comparison.effect.n_a, 7U);
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_NEAR(comparison.effect.ratio.value_or(0), 1.05, 2e-4);
  EXPECT_FALSE(comparison.luck_spread) << "the boots are in the interval";
  boot_every(7, sides);
  EXPECT_EQ(compare(sides.a, sides.b, {}).verdict, Verdict::too_few) << "two boots, however many blocks";
  boot_every(14, sides);
  EXPECT_EQ(compare(sides.a, sides.b, {}).pairing, Pairing::blocks);
}

// As of a design that reboots: each letter's runs, of which there are `each`, have a boot of their own.
SampledSides booted_letters(std::uint32_t count, double ratio, int each) {
  SampledSides letters = blocks(count, ratio), sides;
  for (auto [from, to] : {std::pair{&letters.a, &sides.a}, {&letters.b, &sides.b}}) {
    for (ComparedRun& run : *from) {
      run.fingerprint.emplace().boot_id = fmt::format("boot-{}-{}", run.block, run.letter);
      to->insert(to->end(), static_cast<std::size_t>(each), run);
    }
  }
  return sides;
}

TEST(Grouping, of_letters_that_have_a_boot_each_has_one_value_a_boot) {
  const SampledSides sides = booted_letters(2, 2, 5);
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_EQ(comparison.pairing, Pairing::boots);
  EXPECT_EQ(comparison.effect.n_a, 4U);
  EXPECT_EQ(comparison.effect.n_b, 4U);
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_FALSE(comparison.luck_spread) << "the boots are in the interval";
  EXPECT_THAT(comparison.caveats, has_caveat("Each letter of a block has a boot of its own"));
  EXPECT_THAT(comparison.caveats, Not(has_caveat("Not interleaved")));
  const SampledSides few = booted_letters(1, 2, 50);
  EXPECT_EQ(compare(few.a, few.b, {}).verdict, Verdict::too_few) << "two boots a side, however many runs";
}

// A power cut within a boot: the rest of the letter's runs have another one, which is a sample too.
TEST(Grouping, of_a_letter_that_fell_into_two_boots_has_two) {
  SampledSides sides = booted_letters(2, 2, 5);
  sides.a.front().fingerprint->boot_id = "boot-before";
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_EQ(comparison.pairing, Pairing::boots);
  EXPECT_EQ(comparison.effect.n_a, 5U);
  EXPECT_EQ(comparison.effect.n_b, 4U);
}

// Gives each side `count` builds by turns.
void build_by_turns(std::uint32_t count, SampledSides& sides) {
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) {
      run.build = (side == &sides.a ? "a" : "b") + std::to_string((run.block - 1) % count);
    }
  }
}

TEST(Grouping, of_blocks_of_several_builds_has_one_value_a_pair_of_builds) {
  SampledSides sides = blocks(14, 1.05);
  boot_every(14, sides);
  build_by_turns(7, sides);
  const Comparison comparison = compare(sides.a, sides.b, {.changed = {"module:hsr"}});
  EXPECT_EQ(comparison.pairing, Pairing::builds_of_blocks);
  EXPECT_EQ(comparison.effect.n_a, 7U);
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_NEAR(comparison.effect.ratio.value_or(0), 1.05, 2e-4);
  EXPECT_THAT(comparison.of_one, testing::ElementsAre(Level::boot));
  build_by_turns(2, sides);
  EXPECT_EQ(compare(sides.a, sides.b, {}).verdict, Verdict::too_few) << "two builds, however many blocks";
  build_by_turns(1, sides);
  EXPECT_EQ(compare(sides.a, sides.b, {}).pairing, Pairing::blocks);
}

// Boots differ in steps of 1 %, builds in steps of 2 %: the interval holds both.
TEST(Grouping, of_several_boots_and_builds_has_the_luck_of_both_in_its_interval) {
  SampledSides sides = blocks(49, 1.04);
  boot_every(7, sides);
  build_by_turns(7, sides);
  for (ComparedRun& run : sides.b) {
    const double boot = (run.block - 1) / 7,
                 build = (run.block - 1) % 7;  // NOLINT(bugprone-integer-division)
    *run.received_bits_per_second *= std::exp(0.01 * (boot - 3) + 0.02 * (build - 3));
  }
  const Comparison comparison = compare(sides.a, sides.b, {.changed = {"module:hsr"}});
  EXPECT_EQ(comparison.pairing, Pairing::boots_of_blocks);
  EXPECT_EQ(comparison.effect.n_a, 7U);
  EXPECT_NEAR(comparison.effect.ratio.value_or(0), 1.04, 5e-4);
  EXPECT_THAT(comparison.of_one, testing::IsEmpty());
  // At n = 7 the interval leaves out the two lowest and highest Walsh averages: it is +-0.02 by boots and
  // +-0.04 by builds. That of the 49 cells, whose spread is 0.045, is in both.
  const double half = std::sqrt(0.02 * 0.02 + 0.04 * 0.04 - 0.015 * 0.015);
  EXPECT_NEAR(std::log(*comparison.effect.high / *comparison.effect.ratio), half, 0.0005);
  EXPECT_NEAR(std::log(*comparison.effect.ratio / *comparison.effect.low), half, 0.0005);
  EXPECT_EQ(comparison.verdict, Verdict::inconclusive);
  EXPECT_GT(*comparison.effect.p, 0.05);
}

TEST(Grouping, leaves_out_a_block_that_fell_into_two_boots) {
  SampledSides sides = blocks(14, 1.05);
  boot_every(2, sides);
  sides.b.back().fingerprint->boot_id = "boot-after";
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_EQ(comparison.effect.n_a, 7U);
  EXPECT_THAT(
      comparison.caveats,
      has_caveat("Not counted, because their blocks lack one side or fell into two boots: 4 of 56 runs."));
}

TEST(Grouping, of_whole_blocks_of_one_boot_is_by_block_though_a_reboot_cut_another) {
  SampledSides sides = blocks(8, 1.05);
  boot_every(8, sides);
  sides.a.front().fingerprint->boot_id = "boot-before";
  std::erase_if(sides.b, [](const ComparedRun& run) { return run.block == 1; });
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_EQ(comparison.pairing, Pairing::blocks);
  EXPECT_EQ(comparison.effect.n_a, 7U);
  EXPECT_THAT(comparison.caveats, Not(has_caveat("not of all of them the boot is known")));
}

TEST(Grouping, of_one_boot_says_up_to_which_spread_of_boots_its_verdict_holds) {
  SampledSides sides = blocks(8, 1.1);
  boot_every(8, sides);
  EXPECT_FALSE(compare(sides.a, sides.b, {.changed = {"sysctl:net.core.rmem_max"}}).luck_spread);
  const Comparison comparison = compare(sides.a, sides.b, {.changed = {"module:hsr"}});
  ASSERT_TRUE(comparison.luck_spread);
  // The interval is much narrower than 10 %, so nearly all of that beyond 1 % can be the luck of the boot.
  EXPECT_NEAR(*comparison.luck_spread, std::expm1(std::log(1.1 / 1.01) / 1.96), 1e-3);
  sides = blocks(8, 1.05);
  boot_every(8, sides);
  for (ComparedRun& run : sides.b) run.fingerprint->boot_id = "boot-b";
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) run.block = 0;
  }
  EXPECT_EQ(compare(sides.a, sides.b, {}).verdict, Verdict::inconclusive) << "by run, with the drift in it";
  EXPECT_FALSE(compare(sides.a, sides.b, {}).luck_spread);
}

// Gives the runs of a side in the blocks from `first` to `last` that governor, and the others another one.
void set_governor(std::uint32_t first, std::uint32_t last, std::vector<ComparedRun>& runs) {
  for (ComparedRun& run : runs) {
    const bool other = first <= run.block && run.block <= last;
    run.fingerprint.emplace().facts = {{"cpu", "governor", other ? "schedutil" : "performance"}};
  }
}

TEST(Grouping, compares_facts_within_blocks_whatever_runs_failed) {
  SampledSides sides = blocks(8, 1.05);
  set_governor(4, 8, sides.a);
  set_governor(4, 8, sides.b);
  sides.b.pop_back();
  EXPECT_THAT(compare(sides.a, sides.b, {}).facts, testing::IsEmpty()) << "it changed between two blocks";
  sides.a[5].fingerprint->facts[0].value = "schedutil";
  ASSERT_EQ(sides.a[5].block, 3U);
  const Comparison comparison = compare(sides.a, sides.b, {});
  ASSERT_EQ(comparison.facts.size(), 1U) << "it changed for one run of a block";
  EXPECT_THAT(comparison.facts[0].runs_a, testing::ElementsAre(5, 11));
}

TEST(Grouping, finds_a_fact_that_differs_in_each_block_in_another_way) {
  SampledSides sides = blocks(8, 1.05);
  set_governor(1, 4, sides.a);
  set_governor(5, 8, sides.b);
  EXPECT_EQ(compare(sides.a, sides.b, {}).facts.size(), 1U) << "both have it in equal shares";
}

TEST(Grouping, leaves_out_a_block_without_one_side_and_tells_of_uneven_ones) {
  SampledSides sides = blocks(8, 1.05);
  std::erase_if(sides.b, [](const ComparedRun& run) { return run.block == 3; });
  std::erase_if(sides.b, [](const ComparedRun& run) { return run.block == 5 && run.letter == 2; });
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_EQ(comparison.effect.n_a, 7U);
  EXPECT_THAT(comparison.caveats,
              has_caveat("because their blocks lack one side or fell into two boots: 2 of 29 runs."));
  EXPECT_THAT(comparison.caveats, has_caveat("does not cancel: 1."));
}

TEST(Grouping, of_blocks_that_are_not_the_same_ones_is_by_run) {
  SampledSides sides = blocks(8, 1.05);
  for (ComparedRun& run : sides.b) run.job = 9;
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_EQ(comparison.pairing, Pairing::runs);
  EXPECT_EQ(comparison.effect.n_a, 16U);
  EXPECT_THAT(comparison.caveats, has_caveat("Not interleaved in blocks"));
}

TEST(Grouping, says_when_one_side_was_all_before_the_other) {
  const auto early = runs_from(0, eight_around(100)), late = runs_from(10, eight_around(100));
  EXPECT_THAT(compare(early, late, {}).caveats, has_caveat("all runs of A were before all of B"));
  EXPECT_THAT(compare(late, early, {}).caveats, has_caveat("all runs of B were before all of A"));
}

TEST(Grouping, tells_runs_by_turns_from_those_in_blocks) {
  auto a = runs_from(0, eight_around(100)), b = runs_from(4, eight_around(100));
  const Comparison comparison = compare(a, b, {});
  EXPECT_THAT(comparison.caveats,
              has_caveat("Not interleaved in blocks: a drift of the host need not cancel"));
  EXPECT_THAT(comparison.caveats, Not(has_caveat("were before all of")));
  a[0].started.reset();
  EXPECT_THAT(compare(a, b, {}).caveats, has_caveat("it is not known when each run was"));
}

TEST(Grouping, of_several_boots_takes_the_median_of_each_for_one_value) {
  SampledSides sides;
  for (int boot = 0; boot < 5; ++boot) {
    for (auto* side : {&sides.a, &sides.b}) {
      const double luck = 100.0 + 3 * boot + (side == &sides.b ? 50 : 0);
      // The last value of A is an outlier, which does not affect the median of its boot.
      const double last = side == &sides.a ? luck * 9 : luck;
      auto runs =
          runs_from(10 * boot + (side == &sides.b ? 5 : 0), {luck, luck + 0.1, luck - 0.1, luck, last});
      give_boot(runs, (side == &sides.a ? "a" : "b") + std::to_string(boot));
      side->insert(side->end(), runs.begin(), runs.end());
    }
  }
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_EQ(comparison.pairing, Pairing::boots);
  EXPECT_EQ(comparison.effect.n_a, 5U);
  EXPECT_EQ(comparison.effect.n_b, 5U);
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_NEAR(comparison.effect.ratio.value_or(0), 156.0 / 106.0, 1e-2);
  EXPECT_THAT(comparison.caveats, Not(has_caveat("One boot each")));
}

TEST(Grouping, of_two_boots_a_side_is_too_few_however_many_runs_they_have) {
  SampledSides sides;
  for (const char* boot : {"1", "2"}) {
    auto a = runs_from(0, eight_around(100)), b = runs_from(30, eight_around(200));
    give_boot(a, std::string("a") + boot);
    give_boot(b, std::string("b") + boot);
    sides.a.insert(sides.a.end(), a.begin(), a.end());
    sides.b.insert(sides.b.end(), b.begin(), b.end());
  }
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_EQ(comparison.verdict, Verdict::too_few);
  EXPECT_EQ(comparison.effect.n_a, 2U);
}

TEST(Grouping, with_one_boot_a_side_says_what_that_cannot_tell) {
  auto a = runs_from(0, eight_around(100)), b = runs_from(10, eight_around(120));
  give_boot(a, "one");
  give_boot(b, "other");
  const Comparison comparison = compare(a, b, {});
  EXPECT_EQ(comparison.pairing, Pairing::runs);
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.caveats, has_caveat("One boot each: not separable from boot-to-boot variation."));
  give_boot(b, "one");
  EXPECT_THAT(compare(a, b, {}).caveats, Not(has_caveat("One boot each")));
}

TEST(Grouping, of_boots_that_are_not_all_known_is_by_run_and_says_so) {
  auto a = runs_from(0, eight_around(100)), b = runs_from(10, eight_around(100));
  give_boot(a, "one");
  give_boot(b, "one");
  a[0].fingerprint->boot_id = "two";
  a[1].fingerprint.reset();
  const Comparison comparison = compare(a, b, {});
  EXPECT_EQ(comparison.pairing, Pairing::runs);
  EXPECT_THAT(comparison.caveats, has_caveat("not of all of them the boot is known"));
}

TEST(Grouping, leaves_out_runs_that_do_not_know_and_blocks_that_then_lack_a_side) {
  const SampledSides sides = blocks(2, 1);
  RunList a, b;
  for (const ComparedRun& run : sides.a) a.push_back(&run);
  for (const ComparedRun& run : sides.b) b.push_back(&run);
  const Grouping grouping(a, b);
  const Samples samples =
      grouping.samples({1.0, 3.0, 5.0, std::nullopt}, {7.0, std::nullopt, std::nullopt, std::nullopt});
  EXPECT_THAT(samples.a, testing::ElementsAre(2));
  EXPECT_THAT(samples.b, testing::ElementsAre(7));
}

}  // namespace
}  // namespace netperfd::analysis
