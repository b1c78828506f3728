// SPDX-License-Identifier: GPL-2.0-or-later
// Options of queueing disciplines, which were once recorded as a digest.
#include <gmock/gmock.h>

#include "daemon/analysis/compare/comparison.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<Fact> with_queue(const std::string& value) {
  return {{"cpu", "governor", "performance"}, {"qdisc", "veth0 children", value}};
}

Comparison comparison_of_queues(const std::string& a, const std::string& b) {
  auto runs_a = runs_from(0, eight_around(100)), runs_b = runs_from(10, eight_around(120));
  give_facts(runs_a, with_queue(a));
  give_facts(runs_b, with_queue(b));
  return compare(runs_a, runs_b, {});
}

TEST(QueueFacts, that_are_a_digest_on_one_side_and_words_on_the_other_do_not_differ_in_them) {
  const Comparison comparison = comparison_of_queues("1 of pfifo options 2259d71c, 1 of tbf options 7cca08d2",
                                                     "1 of pfifo limit 7p, 1 of tbf rate 1000B/s limit 9B");
  EXPECT_THAT(comparison.facts, IsEmpty());
  EXPECT_THAT(comparison.caveats, has_caveat("Not compared: the options of qdisc veth0 children."));
}

TEST(QueueFacts, that_are_digests_or_words_on_both_sides_are_compared_by_them) {
  EXPECT_THAT(comparison_of_queues("1 of pfifo options 2259d71c", "1 of pfifo options 2259d71c").facts,
              IsEmpty());
  for (const auto& [a, b] : {std::pair{"1 of pfifo options 2259d71c", "1 of pfifo options e6ddc407"},
                             std::pair{"1 of pfifo limit 7p", "1 of pfifo limit 9p"}}) {
    const Comparison comparison = comparison_of_queues(a, b);
    ASSERT_EQ(comparison.facts.size(), 1U) << a;
    EXPECT_THAT(comparison.facts[0].a, ElementsAre(a));
    EXPECT_THAT(comparison.facts[0].b, ElementsAre(b));
    EXPECT_THAT(comparison.caveats, Not(has_caveat("Not compared: the options")));
  }
}

TEST(QueueFacts, with_a_digest_and_with_words_differ_if_the_queues_are_of_other_kinds_or_numbers) {
  EXPECT_EQ(comparison_of_queues("pfifo options 2259d71c", "bfifo limit 7B").facts.size(), 1U);
  EXPECT_EQ(comparison_of_queues("1 of pfifo options 2259d71c", "2 of pfifo limit 7p").facts.size(), 1U);
  EXPECT_EQ(comparison_of_queues("1 of netem latency 1, 1 of pfifo options 2259d71c",
                                 "1 of netem latency 2, 1 of pfifo limit 7p")
                .facts.size(),
            1U)
      << "netem has never been a digest";
}

}  // namespace
}  // namespace netperfd::analysis
