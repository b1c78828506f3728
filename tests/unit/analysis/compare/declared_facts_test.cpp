// SPDX-License-Identifier: GPL-2.0-or-later
// What counts to the declared change beside the groups that it names.
#include <gmock/gmock.h>

#include "daemon/analysis/compare/comparison.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;

// B is faster. All runs have the facts of a kernel, and those of their side.
Comparison compared(std::vector<Fact> a, std::vector<Fact> b, const std::vector<std::string>& changed) {
  auto runs_a = runs_from(0, eight_around(100)), runs_b = runs_from(10, eight_around(120));
  a.push_back({"kernel", "release", "6.12.1"});
  b.push_back({"kernel", "release", "6.12.1"});
  give_facts(runs_a, a);
  give_facts(runs_b, b);
  return compare(runs_a, runs_b, {.changed = changed});
}

// Each run has the facts of the module of its own congestion control.
TEST(DeclaredFacts, of_the_module_of_a_congestion_control_follow_from_the_option) {
  std::vector<Fact> cubic{{"iperf3", "congestion", "cubic"},
                          {"module:tcp_bbr", "build-id", "(absent)"},
                          {"module:tcp_cubic", "build-id", "(absent)"}};
  const std::vector<Fact> bbr{{"iperf3", "congestion", "bbr"},
                              {"module:tcp_bbr", "build-id", "77"},
                              {"module:tcp_cubic", "build-id", "3"}};
  const Comparison comparison = compared(cubic, bbr, {"iperf3"});
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.changed, ElementsAre("iperf3"));
  cubic.front().value = "bbr";
  EXPECT_EQ(compared(cubic, bbr, {"iperf3"}).verdict, Verdict::refused);
}

// What a setting changes counts to it, and nothing else does.
TEST(DeclaredFacts, of_what_a_side_sets_on_the_machine_bring_along_those_that_follow) {
  std::vector<Fact> four{{"machine", "queues.combined.eth1", "4"},
                         {"nic", "eth1 queues", "4"},
                         {"qdisc", "eth1 children", "4 of fq_codel"}};
  std::vector<Fact> eight{{"machine", "queues.combined.eth1", "8"},
                          {"nic", "eth1 queues", "8"},
                          {"qdisc", "eth1 children", "8 of fq_codel"}};
  const Comparison comparison = compared(four, eight, {"machine"});
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.changed, ElementsAre("machine"));
  four.push_back({"sysctl:net.core.rmem_max", "", "1"});
  eight.push_back({"sysctl:net.core.rmem_max", "", "2"});
  EXPECT_EQ(compared(four, eight, {"machine"}).verdict, Verdict::refused);
}

// Of what no fact is known, the setting is enough.
TEST(DeclaredFacts, of_a_setting_need_no_other) {
  const Comparison comparison = compared({{"machine", "sysctl.net.ipv6.conf.eth1.mtu", "1400"}},
                                         {{"machine", "sysctl.net.ipv6.conf.eth1.mtu", "1500"}}, {"machine"});
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
}

TEST(DeclaredFacts, that_fit_a_pattern_are_declared) {
  const std::vector<Fact> few{{"sysctl:net.core.rmem_max", "", "1"}, {"sysctl:net.core.wmem_max", "", "1"}};
  const std::vector<Fact> many{{"sysctl:net.core.rmem_max", "", "2"}, {"sysctl:net.core.wmem_max", "", "2"}};
  const Comparison comparison = compared(few, many, {"sysctl:net.core.*"});
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_THAT(comparison.changed, ElementsAre("sysctl:net.core.rmem_max", "sysctl:net.core.wmem_max"));
  EXPECT_EQ(compared(few, many, {"sysctl:net.ipv4.*"}).verdict, Verdict::refused);
}

}  // namespace
}  // namespace netperfd::analysis
