// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include "daemon/analysis/compare/comparison.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

const std::vector<Fact> kFacts = {
    {"cpu", "governor", "performance"},         {"kernel", "release", "6.12.1"},
    {"module:hsr", "build-id", "3f9c"},         {"nic", "driver version", "6.12.1"},
    {"sysctl:net.core.rmem_max", "", "212992"},
};

std::vector<Fact> with(const std::string& group, const std::string& key, const std::string& value) {
  std::vector<Fact> facts = kFacts;
  for (Fact& fact : facts) {
    if (fact.group == group && fact.key == key) fact.value = value;
  }
  return facts;
}

struct Sides {
  std::vector<ComparedRun> a = runs_from(0, eight_around(100)), b = runs_from(10, eight_around(120));
};

Sides sides(const std::vector<Fact>& facts_b, const std::vector<Fact>& facts_a = kFacts) {
  Sides sides;
  give_facts(sides.a, facts_a);
  give_facts(sides.b, facts_b);
  return sides;
}

Comparison comparison_of(const Sides& sides, const ComparisonSettings& settings = {}) {
  return compare(sides.a, sides.b, settings);
}

TEST(Facts, that_differ_alone_are_the_change) {
  const Comparison comparison = comparison_of(sides(with("module:hsr", "build-id", "71ab")));
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.changed, ElementsAre("module:hsr"));
  ASSERT_EQ(comparison.facts.size(), 1U);
  EXPECT_EQ(comparison.facts[0].key, "build-id");
  EXPECT_THAT(comparison.facts[0].a, ElementsAre("3f9c"));
  EXPECT_THAT(comparison.facts[0].b, ElementsAre("71ab"));
  EXPECT_TRUE(comparison.facts[0].declared);
  EXPECT_TRUE(comparison.facts[0].explains);
  EXPECT_THAT(comparison.same, ElementsAre("cpu", "kernel", "nic", "sysctl"));
}

TEST(Facts, of_the_change_that_both_sides_have_alike_make_them_mixtures) {
  Sides mixed = sides(with("kernel", "release", "6.13"));
  mixed.a.back().fingerprint->facts = with("kernel", "release", "6.13");
  mixed.b.back().fingerprint->facts = kFacts;
  for (const std::vector<std::string>& declared : {std::vector<std::string>{}, {"kernel"}}) {
    const Comparison comparison = comparison_of(mixed, {.changed = declared});
    EXPECT_EQ(comparison.verdict, Verdict::refused);
    EXPECT_THAT(comparison.caveats,
                has_caveat("What changed is alike in runs of both sides (kernel release "
                           "6.12.1 in 7 runs of A and 1 of B and kernel release 6.13 in 1 "
                           "run of A and 7 of B): a side is a mixture"));
  }
  EXPECT_EQ(comparison_of(mixed, {.changed = {"kernel"}, .despite = true}).verdict, Verdict::improvement);
}

// Gives the runs from `first` up to `last` that value.
void set_in(std::vector<ComparedRun>& runs, std::size_t first, std::size_t last, const Fact& fact) {
  for (std::size_t i = first; i < last; ++i) {
    for (Fact& each : runs[i].fingerprint->facts) {
      if (each.group == fact.group && each.key == fact.key) each.value = fact.value;
    }
  }
}

// Seven of eight runs of A and one of B on one kernel, the others on another: both kernels are on both sides.
TEST(Facts, that_the_sides_have_in_unequal_shares_differ) {
  Sides both = sides(kFacts);
  const Fact newer{"kernel", "release", "6.13.0"};
  set_in(both.a, 7, 8, newer);
  set_in(both.b, 1, 8, newer);
  const Comparison comparison = comparison_of(both, {.changed = {"module:hsr"}});
  EXPECT_EQ(comparison.verdict, Verdict::refused);
  ASSERT_EQ(comparison.facts.size(), 1U);
  EXPECT_THAT(comparison.facts[0].a, ElementsAre("6.12.1", "6.13.0"));
  EXPECT_THAT(comparison.facts[0].runs_a, ElementsAre(7, 1));
  EXPECT_THAT(comparison.facts[0].runs_b, ElementsAre(1, 7));
  EXPECT_THAT(comparison.same, Not(testing::Contains("kernel")));
}

TEST(Facts, that_the_sides_have_in_equal_shares_do_not_differ) {
  Sides both = sides(kFacts);
  const Fact other{"cpu", "governor", "schedutil"};
  set_in(both.a, 0, 2, other);
  set_in(both.b, 0, 2, other);
  EXPECT_THAT(comparison_of(both).facts, IsEmpty());
  both.b.resize(4);  // two of eight and two of four
  EXPECT_EQ(comparison_of(both).facts.size(), 1U);
  both.a.erase(both.a.begin() + 4, both.a.end());
  EXPECT_THAT(comparison_of(both).facts, IsEmpty());
}

TEST(Facts, that_differ_in_two_groups_refuse_the_verdict_and_keep_the_numbers) {
  auto facts = with("module:hsr", "build-id", "71ab");
  facts[0].value = "schedutil";
  const Comparison comparison = comparison_of(sides(facts));
  EXPECT_EQ(comparison.verdict, Verdict::refused);
  EXPECT_NEAR(comparison.effect.ratio.value_or(0), 1.2, 1e-3);
  EXPECT_TRUE(comparison.effect.low);
  EXPECT_THAT(comparison.changed, IsEmpty());
  EXPECT_EQ(comparison.facts.size(), 2U);
  EXPECT_THAT(comparison.caveats.front(),
              testing::StrEq(
                  "No change is declared, and cpu and module:hsr differ and can each explain the result."));
}

TEST(Facts, beside_the_declared_change_refuse_the_verdict) {
  auto facts = with("module:hsr", "build-id", "71ab");
  facts[0].value = "schedutil";
  const Comparison comparison = comparison_of(sides(facts), {.changed = {"module:hsr"}});
  EXPECT_EQ(comparison.verdict, Verdict::refused);
  EXPECT_THAT(comparison.changed, ElementsAre("module:hsr"));
  EXPECT_THAT(comparison.caveats,
              has_caveat("Beside the declared change (module:hsr) cpu differs and can explain the result."));
  for (const FactChange& fact : comparison.facts) EXPECT_EQ(fact.declared, fact.group == "module:hsr");
}

TEST(Facts, that_were_all_declared_let_the_verdict_stand) {
  auto facts = with("module:hsr", "build-id", "71ab");
  facts[0].value = "schedutil";
  EXPECT_EQ(comparison_of(sides(facts), {.changed = {"module:hsr", "cpu"}}).verdict, Verdict::improvement);
}

TEST(Facts, that_refuse_leave_a_caveat_where_the_verdict_is_wanted_despite_them) {
  auto facts = with("module:hsr", "build-id", "71ab");
  facts[0].value = "schedutil";
  const Comparison comparison = comparison_of(sides(facts), {.changed = {"module:hsr"}, .despite = true});
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.caveats, has_caveat("cpu differs and can explain"));
}

TEST(Facts, that_differ_alone_but_are_not_what_was_declared_refuse) {
  const Comparison comparison =
      comparison_of(sides(with("cpu", "governor", "schedutil")), {.changed = {"kernel"}});
  EXPECT_EQ(comparison.verdict, Verdict::refused);
  EXPECT_THAT(comparison.caveats,
              has_caveat("kernel was declared to change, but no known fact of it differs."));
}

TEST(Facts, that_follow_from_another_kernel_are_no_further_change) {
  auto facts = with("kernel", "release", "6.13.0");
  facts[2].value = "71ab";
  facts[3].value = "6.13.0";
  const Comparison comparison = comparison_of(sides(facts));
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.changed, ElementsAre("kernel"));
  ASSERT_EQ(comparison.facts.size(), 3U);
  for (const FactChange& fact : comparison.facts) EXPECT_TRUE(fact.declared) << fact.group;
}

TEST(Facts, of_a_module_that_do_not_follow_from_the_kernel_are_a_further_change) {
  auto facts_a = kFacts, facts_b = with("kernel", "release", "6.13.0");
  facts_a.push_back({"module:hsr", "parameter x", "0"});
  facts_b.push_back({"module:hsr", "parameter x", "1"});
  EXPECT_EQ(comparison_of(sides(facts_b, facts_a)).verdict, Verdict::refused);
}

TEST(Facts, that_only_one_kernel_knows_follow_from_it) {
  auto facts = with("kernel", "release", "6.13.0");
  facts.push_back({"nic", "veth0 feature rx-new", "on"});
  facts.push_back({"module:hsr", "parameter fresh", "1"});
  facts.push_back({"sysctl:net.fresh", "value", "1"});
  EXPECT_EQ(comparison_of(sides(facts)).verdict, Verdict::improvement);
  facts.push_back({"nic", "veth0 xdp", "prog 7"});
  EXPECT_EQ(comparison_of(sides(facts)).verdict, Verdict::refused);
  auto of_one_kernel = kFacts;
  of_one_kernel.push_back({"sysctl:net.fresh", "value", "1"});
  EXPECT_THAT(comparison_of(sides(of_one_kernel)).changed, ElementsAre("sysctl:net.fresh"));
}

TEST(Facts, that_differ_nowhere_leave_a_difference_without_a_cause) {
  const Comparison comparison = comparison_of(sides(kFacts));
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.facts, IsEmpty());
  EXPECT_THAT(comparison.caveats, has_caveat("No known fact of the environment differs"));
}

TEST(Facts, that_one_side_lacks_are_shown_as_absent) {
  auto facts = kFacts;
  facts.erase(facts.begin() + 2);
  const Comparison comparison = comparison_of(sides(facts));
  ASSERT_EQ(comparison.facts.size(), 1U);
  EXPECT_THAT(comparison.facts[0].a, ElementsAre("3f9c"));
  EXPECT_THAT(comparison.facts[0].b, ElementsAre("(absent)"));
}

TEST(Facts, of_a_group_that_a_side_could_not_read_are_not_compared) {
  auto facts = kFacts;
  std::erase_if(facts, [](const Fact& fact) { return fact.group == "nic"; });
  Sides both = sides(facts);
  for (ComparedRun& run : both.b) run.fingerprint->unknown = {"nic: ethtool: Operation not permitted"};
  const Comparison comparison = comparison_of(both);
  EXPECT_THAT(comparison.facts, IsEmpty());
  EXPECT_THAT(comparison.caveats,
              has_caveat("Not known of the environment of B, and not compared: nic: ethtool"));
}

TEST(Facts, of_a_side_without_fingerprints_refuse_nothing) {
  Sides both = sides(with("cpu", "governor", "schedutil"));
  for (ComparedRun& run : both.b) run.fingerprint.reset();
  const Comparison comparison = comparison_of(both, {.changed = {"kernel"}});
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.facts, IsEmpty());
  EXPECT_THAT(comparison.same, IsEmpty());
  EXPECT_THAT(comparison.caveats, has_caveat("No run of B has a fingerprint"));
}

TEST(Facts, of_some_runs_are_told_to_be_of_some) {
  Sides both = sides(kFacts);
  both.a[0].fingerprint.reset();
  EXPECT_THAT(comparison_of(both).caveats,
              has_caveat("Without a fingerprint of its environment: 1 of 8 runs of A."));
}

TEST(Facts, that_both_sides_met_alike_are_no_difference_but_told) {
  Sides both = sides(kFacts);
  both.a[0].fingerprint->facts[0].value = "schedutil";
  both.b[5].fingerprint->facts[0].value = "schedutil";
  const Comparison comparison = comparison_of(both);
  EXPECT_THAT(comparison.facts, IsEmpty());
  EXPECT_THAT(comparison.caveats, has_caveat("Within the sides the runs differ among themselves in cpu."));
}

TEST(Facts, that_one_side_met_beside_the_common_ones_are_a_difference) {
  Sides both = sides(kFacts);
  both.b[5].fingerprint->facts[0].value = "schedutil";
  const auto facts = differing_facts(both.a, both.b, {});
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_THAT(facts[0].b, ElementsAre("performance", "schedutil"));
  EXPECT_FALSE(facts[0].declared);
}

TEST(Facts, of_the_trace_explain_nothing_where_plain_runs_give_the_throughput) {
  Sides both;
  for (auto* side : {&both.a, &both.b}) {
    auto facts = kFacts;
    facts.push_back({"trace", "functions", side == &both.a ? "20" : "21"});
    auto traced = runs_from(20, eight_around(50));
    give_facts(*side, kFacts);
    give_facts(traced, facts);
    give_trace(traced, {});
    side->insert(side->end(), traced.begin(), traced.end());
  }
  Comparison comparison = comparison_of(both);
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  ASSERT_EQ(comparison.facts.size(), 1U);
  EXPECT_FALSE(comparison.facts[0].explains);
  EXPECT_THAT(comparison.changed, IsEmpty());
  EXPECT_EQ(comparison_of(both, {.changed = {"kernel"}}).verdict, Verdict::improvement);

  std::erase_if(both.a, [](const ComparedRun& run) { return !run.trace; });
  comparison = comparison_of(both, {.changed = {"kernel"}});
  EXPECT_TRUE(comparison.facts[0].explains);
  EXPECT_EQ(comparison.verdict, Verdict::refused);
}

TEST(Facts, of_the_trace_are_those_of_traced_runs) {
  Sides both = sides(kFacts);
  give_trace(both.a, {});
  give_trace(both.b, {});
  ComparedRun plain = run_at(40, 100);  // a plain run without a counterpart in A
  plain.fingerprint = Fingerprint{.boot_id = "boot-1", .facts = kFacts, .unknown = {}};
  plain.fingerprint->facts.push_back({"trace", "tracer", "none"});
  both.b.push_back(plain);
  for (auto* side : {&both.a, &both.b}) {
    for (ComparedRun& run : *side) {
      if (run.trace) run.fingerprint->facts.push_back({"trace", "tracer", "function_graph"});
    }
  }
  EXPECT_THAT(comparison_of(both).facts, IsEmpty());
  EXPECT_THAT(comparison_of(both).same, testing::Contains("trace"));
  // For a side without traced runs, the trace is neither equal nor different.
  both.a.assign(both.b.end() - 1, both.b.end());
  EXPECT_THAT(comparison_of(both).facts, IsEmpty());
  EXPECT_THAT(comparison_of(both).same, Not(testing::Contains("trace")));
}

TEST(Facts, of_plain_and_traced_runs_make_tracing_the_change) {
  Sides both = sides(kFacts);
  give_trace(both.b, {});
  for (ComparedRun& run : both.a) run.fingerprint->facts.push_back({"trace", "tracer", "none"});
  for (ComparedRun& run : both.b) run.fingerprint->facts.push_back({"trace", "tracer", "function_graph"});
  const Comparison comparison = comparison_of(both);
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.changed, ElementsAre("trace"));
}

TEST(Facts, of_a_family_that_a_side_could_not_read_are_not_compared) {
  auto facts = kFacts;
  std::erase_if(facts, [](const Fact& fact) { return fact.group == "module:hsr"; });
  Sides both = sides(facts);
  for (ComparedRun& run : both.b)
    run.fingerprint->unknown = {"module: /proc/modules: Operation not permitted"};
  EXPECT_THAT(comparison_of(both).facts, IsEmpty());
}

std::vector<Fact> asked(const std::string& protocol) {
  return {{"iperf3", "protocol", protocol}, {"iperf3", "bitrate", "(absent)"}, {"iperf3", "streams", "1"}};
}

void import(std::vector<ComparedRun>& runs, const std::vector<Fact>& facts) {
  for (ComparedRun& run : runs) {
    run.fingerprint = Fingerprint{.boot_id = {}, .facts = facts, .unknown = {std::string(kAllElse)}};
  }
}

TEST(Facts, of_imported_documents_of_one_test_refuse_nothing) {
  Sides both;
  import(both.a, asked("udp"));
  import(both.b, asked("udp"));
  const Comparison comparison = comparison_of(both);
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.same, ElementsAre("iperf3"));
  EXPECT_THAT(comparison.caveats,
              has_caveat("Not known of the environment of A, and not compared: everything but what the "
                         "iperf3 document tells."));
}

TEST(Facts, of_imported_documents_of_two_tests_refuse_unless_declared) {
  Sides both;
  import(both.a, asked("udp"));
  import(both.b, asked("tcp"));
  const Comparison comparison = comparison_of(both);
  EXPECT_EQ(comparison.verdict, Verdict::refused);
  EXPECT_THAT(comparison.changed, IsEmpty());
  EXPECT_THAT(comparison.caveats, has_caveat("No change is declared, iperf3 differs and can explain the "
                                             "result, and what else differs is not known."));
  EXPECT_EQ(comparison_of(both, {.changed = {"iperf3"}}).verdict, Verdict::improvement);
}

TEST(Facts, of_imported_documents_of_two_kernels_refuse_unless_declared) {
  Sides both;
  auto facts = asked("tcp");
  facts.push_back({"kernel", "release", "6.1.0"});
  import(both.a, facts);
  facts.back().value = "6.2.0";
  import(both.b, facts);
  EXPECT_EQ(comparison_of(both).verdict, Verdict::refused) << "iperf3 is the same, but the rest is not known";
  EXPECT_EQ(comparison_of(both, {.changed = {"kernel"}}).verdict, Verdict::improvement);
}

TEST(Facts, that_a_document_does_not_tell_are_not_compared_with_those_of_a_run) {
  Sides both;
  auto facts = kFacts;
  facts.push_back({"iperf3", "protocol", "udp"});
  facts.push_back({"iperf3", "streams", "1"});
  facts.push_back({"iperf3", "interval", "1 s"});
  give_facts(both.a, facts);
  import(both.b, asked("udp"));
  EXPECT_EQ(comparison_of(both).verdict, Verdict::improvement);
  EXPECT_THAT(comparison_of(both).facts, IsEmpty());
  facts.push_back({"iperf3", "bitrate", "50000000"});
  give_facts(both.a, facts);
  const Comparison comparison = comparison_of(both);
  EXPECT_EQ(comparison.verdict, Verdict::refused);
  ASSERT_EQ(comparison.facts.size(), 1U);
  EXPECT_EQ(comparison.facts[0].key, "bitrate");
}

TEST(Facts, of_another_boot_are_none) {
  Sides both = sides(with("module:hsr", "build-id", "71ab"));
  give_boot(both.b, "boot-2");
  const Comparison comparison = comparison_of(both);
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.changed, ElementsAre("module:hsr"));
  EXPECT_THAT(comparison.caveats, Not(has_caveat("Beside the declared")));
}

}  // namespace
}  // namespace netperfd::analysis
