// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/design.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd {
namespace {

using testing::AnyOf;
using testing::ElementsAre;

JobSpec a_job(std::uint32_t repeat, bool traces) {
  JobSpec job;
  job.repeat = repeat;
  if (traces) job.trace.emplace();
  return job;
}

JobSpec with_variants(std::uint32_t blocks, bool traces, bool plain) {
  JobSpec job = a_job(blocks, traces);
  job.design = Design{.a = Variant{.name = "A", .apply = {}, .verify = {}, .builds = {}},
                      .b = Variant{.name = "B", .apply = {}, .verify = {}, .builds = {}},
                      .plain = plain,
                      .changed = {},
                      .seed = {}};
  return job;
}

JobSpec plain_and_traced(std::uint32_t blocks) {
  JobSpec job = a_job(blocks, true);
  job.design = Design{.a = {}, .b = {}, .plain = true, .changed = {}, .seed = {}};
  return job;
}

// A block's letters, each once: "ABBA".
std::string letters_of(const std::vector<Slot>& slots, std::uint32_t block) {
  std::string letters;
  std::uint32_t last = 0;
  for (const Slot& slot : slots) {
    if (slot.block != block || slot.letter == last) continue;
    letters += slot.variant;
    last = slot.letter;
  }
  return letters;
}

// A word for each block: the variants' letters (- without variants), lower case for plain runs.
std::vector<std::string> blocks_of(const std::vector<Slot>& slots) {
  std::vector<std::string> blocks;
  for (const Slot& slot : slots) {
    if (slot.block > blocks.size()) blocks.emplace_back();
    const char letter = slot.variant == '\0' ? 'T' : slot.variant;
    blocks.back() += slot.traced ? letter : static_cast<char>(letter - 'A' + 'a');
  }
  return blocks;
}

TEST(DrawSlots, without_a_design_are_one_run_a_repeat) {
  EXPECT_EQ(draw_slots(a_job(3, false), 1), std::vector<Slot>(3, Slot{}));
  EXPECT_EQ(draw_slots(a_job(2, true), 1),
            std::vector<Slot>(2, Slot{.block = 0, .letter = 0, .variant = '\0', .build = 0, .traced = true}));
}

JobSpec with_reboots(std::uint32_t blocks, std::uint32_t runs, bool both_arms) {
  JobSpec job = with_variants(blocks, both_arms, both_arms);
  job.design->reboots.emplace().runs = runs;
  return job;
}

TEST(Reboots, may_be_twice_as_many_as_the_letters_but_never_more_than_a_job_may_ask_for) {
  EXPECT_EQ(most_reboots(with_reboots(3, 1, false)), 24U);
  EXPECT_EQ(most_reboots(with_reboots(125, 1, false)), 1000U);
  EXPECT_EQ(most_reboots(with_reboots(126, 1, false)), 1000U);
  EXPECT_EQ(most_reboots(with_reboots(250, 1, false)), 1000U);
  JobSpec given = with_reboots(3, 1, false);
  given.design->reboots->most = 7;
  EXPECT_EQ(most_reboots(given), 7U);
}

TEST(Letters, that_are_left_are_counted_with_the_one_that_was_begun) {
  const auto slots = draw_slots(with_reboots(2, 3, false), 42);
  EXPECT_EQ(letters_left(slots, 0), 8U);
  EXPECT_EQ(letters_left(slots, 2), 8U) << "one run of the first letter is left";
  EXPECT_EQ(letters_left(slots, 3), 7U);
  EXPECT_EQ(letters_left(slots, 12), 4U) << "the next block begins";
  EXPECT_EQ(letters_left(slots, 23), 1U);
  EXPECT_EQ(letters_left(slots, 24), 0U);
}

TEST(DrawSlots, of_boots_have_several_runs_of_each_letter_one_after_another) {
  const auto slots = draw_slots(with_reboots(2, 3, false), 42);
  ASSERT_EQ(slots.size(), 24U);
  for (std::size_t run = 0; run < slots.size(); ++run) {
    EXPECT_EQ(slots[run].block, run / 12 + 1) << run;
    EXPECT_EQ(slots[run].letter, run / 3 % 4 + 1) << run;
    EXPECT_EQ(slots[run].variant, slots[run / 3 * 3].variant) << run;
  }
  const auto one_run_each = draw_slots(with_variants(2, false, false), 42);
  for (std::uint32_t block = 1; block <= 2; ++block) {
    EXPECT_EQ(letters_of(slots, block), letters_of(one_run_each, block))
        << "the order has nothing to do with it";
  }
}

TEST(DrawSlots, of_boots_have_both_arms_in_each_run_of_a_letter) {
  const auto slots = draw_slots(with_reboots(4, 3, true), 42);
  ASSERT_EQ(slots.size(), 4U * 4 * 3 * 2);
  std::set<bool> first;
  for (std::size_t pair = 0; pair < slots.size(); pair += 2) {
    EXPECT_NE(slots[pair].traced, slots[pair + 1].traced) << pair;
    EXPECT_EQ(slots[pair].letter, slots[pair + 1].letter) << pair;
    first.insert(slots[pair].traced);
  }
  EXPECT_EQ(first.size(), 2U) << "which one comes first is drawn";
}

// The build of each block, which all of its runs have.
std::vector<std::uint32_t> builds_of(const std::vector<Slot>& slots) {
  std::vector<std::uint32_t> builds;
  for (const Slot& slot : slots) {
    if (slot.block > builds.size()) builds.push_back(slot.build);
    EXPECT_EQ(slot.build, builds.back());
  }
  return builds;
}

TEST(DrawSlots, of_several_builds_have_each_once_in_as_many_blocks) {
  JobSpec job = with_variants(8, true, true);
  job.design->a->builds = {"list-1", "list-2", "list-3"};
  job.design->b->builds = {"hash-1", "hash-2", "hash-3"};
  EXPECT_THAT(builds_of(draw_slots(job, 42)), ElementsAre(2, 3, 1, 1, 2, 3, 3, 2));
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    auto builds = builds_of(draw_slots(job, seed));
    builds.resize(3);
    EXPECT_THAT(builds, testing::UnorderedElementsAre(1, 2, 3));
    orders.insert(builds);
  }
  EXPECT_EQ(orders.size(), 6U);
  EXPECT_EQ(job.design->build_name('B', 2), "hash-2");
  EXPECT_EQ(job.design->build_name('A', 0), "");
}

TEST(DrawSlots, of_a_seed_are_the_same_every_time_and_everywhere) {
  EXPECT_THAT(blocks_of(draw_slots(with_variants(8, false, false), 42)),
              ElementsAre("baab", "baab", "baab", "abba", "baab", "abba", "baab", "abba"));
  EXPECT_THAT(blocks_of(draw_slots(with_variants(4, true, true), 42)),
              ElementsAre("BbAaaABb", "AabBbBaA", "AaBbBbAa", "BbaAaAbB"));
  EXPECT_THAT(blocks_of(draw_slots(plain_and_traced(8), 42)),
              ElementsAre("Tt", "Tt", "Tt", "tT", "Tt", "tT", "Tt", "tT"));
  EXPECT_EQ(draw_slots(with_variants(50, true, true), 7), draw_slots(with_variants(50, true, true), 7));
}

TEST(DrawSlots, of_other_seeds_are_others) {
  std::set<std::vector<std::string>> orders;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    orders.insert(blocks_of(draw_slots(with_variants(20, false, false), seed)));
  }
  EXPECT_EQ(orders.size(), 100U);
}

TEST(DrawSlots, begin_alike_where_a_job_is_only_longer) {
  const auto few = draw_slots(with_variants(3, true, true), 9);
  const auto many = draw_slots(with_variants(30, true, true), 9);
  EXPECT_TRUE(std::ranges::equal(few, std::span(many).first(few.size())));
}

TEST(DrawSlots, number_blocks_and_letters_from_one) {
  const auto slots = draw_slots(with_variants(2, true, true), 3);
  ASSERT_EQ(slots.size(), 16U);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(slots[i].block, i / 8 + 1) << i;
    EXPECT_EQ(slots[i].letter, i % 8 / 2 + 1) << i;
  }
}

TEST(DrawSlots, of_variants_are_abba_or_baab_in_every_block) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const bool traced : {false, true}) {
      const auto slots = draw_slots(with_variants(5, traced, traced), seed);
      for (std::uint32_t block = 1; block <= 5; ++block) {
        EXPECT_THAT(letters_of(slots, block), AnyOf("ABBA", "BAAB")) << seed;
      }
    }
  }
}

TEST(DrawSlots, with_plain_and_traced_have_each_once_a_letter) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const JobSpec& job : {with_variants(4, true, true), plain_and_traced(9)}) {
      const auto slots = draw_slots(job, seed);
      for (std::size_t i = 0; i < slots.size(); i += 2) {
        EXPECT_EQ(slots[i].letter, slots[i + 1].letter);
        EXPECT_EQ(slots[i].variant, slots[i + 1].variant);
        EXPECT_NE(slots[i].traced, slots[i + 1].traced);
      }
    }
  }
}

TEST(DrawSlots, follow_the_trace_where_plain_runs_were_not_asked_for) {
  const auto is_traced = [](const Slot& slot) { return slot.traced; };
  EXPECT_TRUE(std::ranges::all_of(draw_slots(with_variants(2, true, false), 1), is_traced));
  EXPECT_TRUE(std::ranges::none_of(draw_slots(with_variants(2, false, false), 1), is_traced));
  EXPECT_TRUE(std::ranges::none_of(draw_slots(with_variants(2, false, true), 1), is_traced));
}

TEST(DrawSlots, of_plain_and_traced_runs_have_a_pair_a_block_and_no_variant) {
  const auto slots = draw_slots(plain_and_traced(3), 5);
  ASSERT_EQ(slots.size(), 6U);
  for (const Slot& slot : slots) {
    EXPECT_EQ(slot.variant, '\0');
    EXPECT_EQ(slot.letter, 1U);
  }
  EXPECT_EQ(slots[5].block, 3U);
}

// Of 2,000 fair draws, the share of one outcome is outside 0.5 +- 0.05 in only 1 of 100,000 cases. The seeds
// are fixed, so this fails always or never.
TEST(DrawSlots, are_balanced_over_the_seeds_and_within_one) {
  constexpr int kDraws = 2'000;
  const auto expect_fair = [](int count, const char* what) {
    EXPECT_NEAR(static_cast<double>(count) / kDraws, 0.5, 0.05) << what;
  };
  int first_b = 0, first_traced = 0, both_alike = 0;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const auto slots = draw_slots(with_variants(2, true, true), seed);
    first_b += slots[0].variant == 'B' ? 1 : 0;
    first_traced += slots[0].traced ? 1 : 0;
    both_alike += slots[0].variant == slots[8].variant ? 1 : 0;
  }
  expect_fair(first_b, "BAAB first");
  expect_fair(first_traced, "traced first");
  expect_fair(both_alike, "second block as the first");
  int within = 0, changes = 0;
  const auto pairs = draw_slots(plain_and_traced(kDraws), 1);
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    within += pairs[i].traced ? 1 : 0;
    changes += i > 0 && pairs[i].traced != pairs[i - 2].traced ? 1 : 0;
  }
  expect_fair(within, "traced first, one seed");
  expect_fair(changes, "other order than the block before");
}

TEST(RunCount, is_the_number_of_slots) {
  for (const JobSpec& job : {a_job(5, true), a_job(0, false), with_variants(3, true, true),
                             with_variants(3, true, false), with_variants(3, false, true),
                             plain_and_traced(4), with_reboots(3, 5, false), with_reboots(3, 5, true)}) {
    EXPECT_EQ(run_count(job), draw_slots(job, 1).size());
  }
}

TEST(RunCount, has_room_for_what_no_job_may_have) {
  EXPECT_EQ(run_count(with_variants(4'294'967'295, true, true)), 34'359'738'360);
}

TEST(JobPurposes, are_words) {
  for (const auto purpose : {JobPurpose::measurement, JobPurpose::pilot, JobPurpose::selftest}) {
    EXPECT_EQ(parse_job_purpose(to_string(purpose)), purpose);
  }
  EXPECT_EQ(to_string(JobPurpose::selftest), "selftest");
  EXPECT_EQ(parse_job_purpose("Pilot"), std::nullopt);
  EXPECT_EQ(parse_job_purpose(""), std::nullopt);
}

}  // namespace
}  // namespace netperfd
