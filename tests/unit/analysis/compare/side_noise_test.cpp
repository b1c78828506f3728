// SPDX-License-Identifier: GPL-2.0-or-later
// What a comparison makes of the noise of the host.
#include "daemon/analysis/compare/side_noise.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/model/noise.hpp"

namespace netperfd::analysis {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct NoisySides {
  std::vector<ComparedRun> a, b;
};

// Eight ABBA blocks, whose B is faster by `effect`.
NoisySides noisy_blocks(double effect) {
  NoisySides sides;
  for (std::uint32_t block = 1; block <= 8; ++block) {
    for (std::uint32_t letter = 1; letter <= 4; ++letter) {
      const bool is_a = letter == 1 || letter == 4;
      ComparedRun run;
      run.id = block * 10 + letter;
      run.job = 1;
      run.block = block;
      run.letter = letter;
      run.received_bits_per_second = (1e9 + 1e6 * block + 2e5 * letter) * (is_a ? 1 : 1 + effect);
      run.fingerprint.emplace().boot_id = "boot";
      run.fingerprint->facts = {{"nic", "eth0 gro", is_a ? "on" : "off"}};
      (is_a ? sides.a : sides.b).push_back(run);
    }
  }
  return sides;
}

Comparison judged(const NoisySides& sides) {
  return compare(sides.a, sides.b, {.changed = {"nic"}});
}

void flag_block(std::vector<ComparedRun>& runs, std::uint32_t block) {
  for (ComparedRun& run : runs) {
    if (run.block == block) run.flags = {std::string{noise::kForeignLoad}};
  }
}

TEST(SideNoise, that_made_the_verdict_leaves_none) {
  NoisySides sides = noisy_blocks(0);
  for (std::uint32_t block = 1; block <= 8; ++block) {
    for (ComparedRun& run : sides.b) run.received_bits_per_second = *run.received_bits_per_second * 0.99;
    flag_block(sides.b, block);
  }
  const Comparison comparison = judged(sides);
  EXPECT_EQ(comparison.verdict, Verdict::inconclusive);
  EXPECT_THAT(comparison.caveats.front(),
              StartsWith("No verdict: it was regression. The sides differ in the noise of the host: 0 of 16 "
                         "runs of A are flagged; 16 of 16 runs of B are flagged (foreign-load). Without the "
                         "32 runs of flagged blocks the verdict is too few."));
  EXPECT_THAT(
      comparison.figures.front().reason,
      StartsWith("the sides differ in the noise of the host, and without the 32 runs of flagged blocks "
                 "the verdict is too few; measure again"));
}

TEST(SideNoise, that_made_the_verdict_is_said_where_the_verdict_is_wanted_despite_it) {
  NoisySides sides = noisy_blocks(-0.05);
  for (std::uint32_t block = 1; block <= 8; ++block) flag_block(sides.b, block);
  const Comparison comparison = compare(sides.a, sides.b, {.changed = {"nic"}, .despite = true});
  EXPECT_EQ(comparison.verdict, Verdict::regression);
  EXPECT_THAT(comparison.caveats.front(),
              HasSubstr("Without the 32 runs of flagged blocks the verdict is too few."));
}

TEST(SideNoise, without_which_the_verdict_is_the_same_only_weakens_it) {
  NoisySides sides = noisy_blocks(0.1);
  flag_block(sides.b, 3);
  flag_block(sides.b, 5);
  const Comparison comparison = judged(sides);
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.caveats,
              Contains(HasSubstr("Without the 8 runs of flagged blocks the verdict is the same.")));
}

// Of each run of a side: others took this share of its CPUs.
void load(std::vector<ComparedRun>& runs, double share) {
  for (ComparedRun& run : runs) {
    run.flags = {std::string{noise::kForeignLoad}};
    run.counters = {noise::counter_of(noise::kWindow, 1'000'000'000, "ns"),
                    noise::counter_of(noise::kCpus, 1, ""),
                    noise::counter_of(noise::kOthers, static_cast<std::uint64_t>(share * 1e9), "ns")};
  }
}

NoisySides as_two_jobs(NoisySides sides) {
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) {
      run.block = run.letter = 0;
      run.job = side == &sides.a ? 1 : 2;
    }
  }
  return sides;
}

TEST(SideNoise, of_all_runs_keeps_a_change_beyond_what_the_load_can_have_made) {
  NoisySides sides = noisy_blocks(-0.49);
  load(sides.a, 0.603);
  load(sides.b, 0.529);
  for (const NoisySides& each : {sides, as_two_jobs(sides)}) {
    const Comparison comparison = judged(each);
    EXPECT_EQ(comparison.verdict, Verdict::regression);
    EXPECT_EQ(comparison.figures.front().reason, "");
    EXPECT_THAT(comparison.caveats,
                Contains(HasSubstr("The verdict holds beyond the 19 % that this can have made: "
                                   "others left the workload 39.7 % of its CPUs in A and 47.1 % in B.")));
  }
}

TEST(SideNoise, of_all_runs_withholds_a_change_that_the_load_can_have_made) {
  for (const double effect : {-0.15, 0.15}) {
    NoisySides sides = noisy_blocks(effect);
    load(sides.a, 0.603);
    load(sides.b, 0.529);
    for (const NoisySides& each : {sides, as_two_jobs(sides)}) {
      const Comparison comparison = judged(each);
      EXPECT_EQ(comparison.verdict, Verdict::inconclusive);
      EXPECT_EQ(comparison.figures.front().reason,
                "could be noise, up to 19 %: others left the workload 39.7 % of its CPUs in A and 47.1 % in "
                "B; measure "
                "again while nothing else runs");
    }
  }
}

TEST(SideNoise, of_which_nothing_is_flagged_withholds_what_its_load_can_have_made) {
  NoisySides sides = as_two_jobs(noisy_blocks(-0.15));
  load(sides.a, 0.43);
  load(sides.b, 0.626);
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) run.flags.clear();
  }
  const Comparison comparison = judged(sides);
  EXPECT_EQ(comparison.verdict, Verdict::inconclusive);
  EXPECT_THAT(comparison.figures.front().reason, StartsWith("could be noise, up to 52 %"));
}

TEST(SideNoise, of_other_kinds_than_load_has_no_such_bound) {
  NoisySides sides = noisy_blocks(-0.49);
  load(sides.a, 0.603);
  load(sides.b, 0.529);
  for (ComparedRun& run : sides.b) run.flags.emplace_back(noise::kSlowed);
  EXPECT_EQ(judged(sides).verdict, Verdict::inconclusive);
}

// A load says at most what a rate lacks: a latency can be many times as long.
TEST(SideNoise, of_a_latency_has_no_such_bound) {
  NoisySides sides = noisy_blocks(0);
  load(sides.a, 0.02);
  load(sides.b, 0.1);
  for (ComparedRun& run : sides.a) run.figures = {{"latency.p99", 2e6 + 1e3 * run.block}};
  for (ComparedRun& run : sides.b) run.figures = {{"latency.p99", 5e6 + 1e3 * run.block}};
  ComparisonSettings settings{.changed = {"nic"}};
  settings.figures = {{.figure = {.name = "latency.p99"}}};
  EXPECT_EQ(compare(sides.a, sides.b, settings).verdict, Verdict::inconclusive);
}

// The others meet a few runs of B only, hard enough to make the whole difference.
TEST(SideNoise, of_some_runs_counts_in_each_of_them) {
  NoisySides sides = noisy_blocks(0);
  load(sides.a, 0);
  load(sides.b, 0);
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) run.flags.clear();
  }
  for (ComparedRun& run : sides.b) {
    if (run.letter != 2) continue;
    std::vector<ComparedRun> met{run};
    load(met, 0.4);
    met.front().received_bits_per_second = *run.received_bits_per_second * 0.6;
    run = met.front();
  }
  const Comparison comparison = judged(sides);
  EXPECT_EQ(comparison.verdict, Verdict::inconclusive);
  EXPECT_THAT(comparison.figures.front().reason, HasSubstr("100.0 % of its CPUs in A and 80.0 % in B"));
}

TEST(SideNoise, of_which_some_runs_know_no_load_has_no_such_bound) {
  NoisySides sides = noisy_blocks(-0.49);
  load(sides.a, 0.603);
  load(sides.b, 0.529);
  sides.b.back().counters.clear();
  EXPECT_EQ(judged(sides).verdict, Verdict::inconclusive);
}

TEST(SideNoise, that_chance_explains_is_told) {
  NoisySides sides = noisy_blocks(0.1);
  for (const std::uint32_t block : {1U, 2U, 3U, 4U, 5U}) flag_block(sides.b, block);
  for (const std::uint32_t block : {2U, 4U, 6U, 8U}) flag_block(sides.a, block);
  const Comparison comparison = judged(sides);
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.caveats,
              Contains(StartsWith("The host was noisy, on neither side more than chance explains: 8 of 16")));
}

TEST(SideNoise, that_is_alike_on_both_sides_is_told) {
  NoisySides sides = noisy_blocks(0.1);
  for (std::uint32_t block = 1; block <= 8; ++block) {
    flag_block(sides.a, block);
    flag_block(sides.b, block);
  }
  const Comparison comparison = judged(sides);
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.caveats, Contains(StartsWith("The host was noisy, on neither side more")));
}

TEST(SideNoise, is_seen_below_the_flags_too) {
  NoisySides sides = noisy_blocks(0.1);
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) {
      run.counters = {noise::counter_of(noise::kWindow, 1'000'000'000, "ns"),
                      noise::counter_of(noise::kCpus, 1, ""),
                      noise::counter_of(noise::kOthers, side == &sides.a ? 0 : 60'000'000, "ns")};
    }
  }
  EXPECT_THAT(judged(sides).caveats, Contains(HasSubstr("others took 6.0 % of its CPUs")));
}

// The same load, of tasks that netperfd could not see.
TEST(SideNoise, of_unseen_tasks_counts_like_that_of_seen_ones) {
  NoisySides sides = noisy_blocks(0.1);
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) {
      run.counters = {noise::counter_of(noise::kWindow, 1'000'000'000, "ns"),
                      noise::counter_of(noise::kCpus, 1, ""), noise::counter_of(noise::kOthers, 0, "ns"),
                      noise::counter_of(noise::kUnknownThere, side == &sides.a ? 0 : 60'000'000, "ns")};
    }
  }
  EXPECT_THAT(judged(sides).caveats, Contains(HasSubstr("others took 6.0 % of its CPUs")));
}

TEST(SideNoise, of_unseen_tasks_that_made_the_verdict_leaves_none) {
  NoisySides sides = noisy_blocks(-0.05);
  for (ComparedRun& run : sides.b) run.flags = {std::string{noise::kUnknownLoad}};
  const Comparison comparison = judged(sides);
  EXPECT_EQ(comparison.verdict, Verdict::inconclusive);
  EXPECT_THAT(comparison.caveats.front(), HasSubstr("16 of 16 runs of B are flagged (unknown-load)."));
}

// A change that breaks the pacing of UDP is a regression, not noise.
TEST(SideNoise, is_not_a_rate_that_one_side_does_not_reach) {
  NoisySides sides = noisy_blocks(-0.23);
  for (ComparedRun& run : sides.b) run.flags = {std::string{noise::kRateMissed}};
  const Comparison comparison = judged(sides);
  EXPECT_EQ(comparison.verdict, Verdict::regression);
  EXPECT_THAT(comparison.caveats,
              Contains(HasSubstr("With quality flags: 16 of 16 runs of B (rate-not-reached).")));
}

TEST(SideNoise, of_a_quiet_host_is_not_mentioned) {
  NoisySides sides = noisy_blocks(0.1);
  for (ComparedRun& run : sides.a) run.flags = {"stalls"};
  const Comparison comparison = judged(sides);
  for (const std::string& caveat : comparison.caveats) EXPECT_THAT(caveat, Not(HasSubstr("nois")));
  EXPECT_THAT(comparison.caveats, Contains(HasSubstr("With quality flags: 16 of 16 runs of A (stalls).")));
}

TEST(SideNoise, that_only_some_runs_know_is_said) {
  NoisySides sides = noisy_blocks(0.1);
  sides.a.front().counters = {noise::counter_of(noise::kOthers, 5, "ns")};
  EXPECT_THAT(judged(sides).caveats,
              Contains(StartsWith("Of 31 of 32 runs it is not known what other processes took")));
}

TEST(SideNoise, is_no_counter_of_the_change) {
  NoisySides sides = noisy_blocks(0.1);
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) {
      run.goodput_bytes = 1'000'000'000;
      run.counters = {noise::counter_of(noise::kNetperfd, side == &sides.a ? 5 : 5'000 + run.block, "ns")};
    }
  }
  EXPECT_EQ(judged(sides).counters_tested, 0U);
}

TEST(OwnCpuTime, is_without_others_without_netperfd_and_without_steal) {
  const std::vector<CounterDelta> counters{noise::counter_of(noise::kSteal, 200, "ns"),
                                           noise::counter_of(noise::kOthers, 400, "ns"),
                                           noise::counter_of(noise::kNetperfd, 30, "ns")};
  EXPECT_EQ(own_cpu_ns(1'000, counters), 1'000U - 200 - 320 - 30) << "a fifth of others' time was stolen";
  EXPECT_EQ(own_cpu_ns(1'000, {}), 1'000U);
  EXPECT_EQ(own_cpu_ns(1'000, {noise::counter_of(noise::kOthers, 400, "ns"),
                               noise::counter_of(noise::kUnknown, 150, "ns")}),
            450U)
      << "and without tasks that netperfd could not see";
  EXPECT_EQ(own_cpu_ns(100, counters), 0U);
  EXPECT_EQ(own_cpu_ns(0, counters), 0U);
}

TEST(OwnCpuTime, of_what_iperf3_counted_is_without_the_rest_of_the_run) {
  std::vector<CounterDelta> counters{noise::counter_of(noise::kSteal, 200, "ns"),
                                     noise::counter_of(noise::kOthers, 400, "ns"),
                                     noise::counter_of(noise::kNetperfd, 30, "ns"),
                                     noise::counter_of(noise::kUncountedBusy, 500, "ns"),
                                     noise::counter_of(noise::kUncountedSteal, 200, "ns"),
                                     noise::counter_of(noise::kUncountedNetperfd, 20, "ns")};
  EXPECT_EQ(counted_cpu_ns(1'000, counters), std::nullopt) << "the others of the rest are not known";
  counters.push_back(noise::counter_of(noise::kUncountedOthers, 150, "ns"));
  EXPECT_EQ(counted_cpu_ns(1'000, counters), 500U - 250 - 10);
  EXPECT_EQ(counted_cpu_ns(400, counters), 0U);
  EXPECT_EQ(counted_cpu_ns(1'000, {}), std::nullopt);
  counters.push_back(noise::counter_of(noise::kUnknown, 100, "ns"));
  counters.push_back(noise::counter_of(noise::kWindow, 500, "ns"));
  counters.push_back(noise::counter_of(noise::kUncountedWindow, 100, "ns"));
  EXPECT_EQ(counted_cpu_ns(1'000, counters), 500U - 250 - 10 - 80) << "four fifths of what is not seen";
}

}  // namespace
}  // namespace netperfd::analysis
