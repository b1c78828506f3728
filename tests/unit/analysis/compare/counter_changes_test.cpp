// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include "daemon/analysis/compare/comparison.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct CounterSides {
  std::vector<ComparedRun> a = runs_from(0, eight_around(100)), b = runs_from(10, eight_around(100));
};

CounterSides of_two_gigabytes() {
  CounterSides sides;
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) run.goodput_bytes = 2'000'000'000;
  }
  return sides;
}

void count(std::vector<ComparedRun>& runs, const CounterDelta& counter, std::uint64_t step = 0) {
  std::uint64_t more = 0;
  for (ComparedRun& run : runs) {
    run.counters.push_back(counter);
    run.counters.back().delta += more;
    more += step;
  }
}

CounterDelta counter(const std::string& source, const std::string& name, std::uint64_t delta,
                     const std::string& netns = "") {
  return {.source = source, .netns = netns, .name = name, .delta = delta, .unit = ""};
}

std::vector<std::string> names(const std::vector<CounterChange>& changes) {
  std::vector<std::string> names;
  for (const CounterChange& change : changes) names.push_back(change.source + " " + change.name);
  return names;
}

TEST(Counters, that_moved_are_per_gigabyte_of_goodput) {
  CounterSides sides = of_two_gigabytes();
  count(sides.a, counter("netstat", "TcpExtTCPSackRecovery", 1000), 10);
  count(sides.b, counter("netstat", "TcpExtTCPSackRecovery", 400), 10);
  const auto changes = compare(sides.a, sides.b, {}).counters;
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_NEAR(changes[0].per_work.centre_a, 517.5, 1e-9);
  EXPECT_NEAR(changes[0].per_work.shift.value_or(0), -300, 10);
  EXPECT_LT(*changes[0].per_work.q, 0.05);
}

// The points of a sweep share the level.
TEST(Counters, count_what_shares_the_level_in_q) {
  CounterSides sides = of_two_gigabytes();
  count(sides.a, counter("netstat", "TcpExtTCPSackRecovery", 1000), 10);
  count(sides.b, counter("netstat", "TcpExtTCPSackRecovery", 400), 10);
  ComparisonSettings of_a_point;
  of_a_point.level = 1 - 0.05 / 4;
  const auto alone = compare(sides.a, sides.b, {}).counters;
  const auto of_four = compare(sides.a, sides.b, of_a_point).counters;
  ASSERT_EQ(alone.size(), 1U);
  ASSERT_EQ(of_four.size(), 1U);
  EXPECT_NEAR(*of_four[0].per_work.q, 4 * *alone[0].per_work.q, 1e-9);
}

TEST(Counters, are_per_packet_if_the_comparison_is) {
  CounterSides sides = of_two_gigabytes();
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) run.work = {.unit = WorkUnit::packet, .amount = 4'000};
  }
  count(sides.a, counter("softirqs", "NET_RX", 8'000), 10);
  count(sides.b, counter("softirqs", "NET_RX", 12'000), 10);
  const auto changes = compare(sides.a, sides.b, {}).counters;
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_NEAR(changes[0].per_work.centre_a, 2.00875, 1e-9);
  EXPECT_NEAR(changes[0].per_work.shift.value_or(0), 1, 0.01);
  for (ComparedRun& run : sides.b) run.work->amount.reset();
  EXPECT_THAT(compare(sides.a, sides.b, {}).counters, IsEmpty()) << "B has no packets to divide by";
}

TEST(Counters, that_did_not_move_are_left_out) {
  CounterSides sides = of_two_gigabytes();
  count(sides.a, counter("snmp", "TcpInSegs", 1000), 10);
  count(sides.b, counter("snmp", "TcpInSegs", 1005), 10);
  count(sides.a, counter("snmp", "IpInReceives", 7));
  count(sides.b, counter("snmp", "IpInReceives", 7));
  EXPECT_THAT(compare(sides.a, sides.b, {}).counters, IsEmpty());
}

TEST(Counters, that_were_tested_are_counted_shown_or_not) {
  CounterSides sides = of_two_gigabytes();
  for (const char* name : {"TcpInSegs", "TcpOutSegs", "IpInDelivers"}) {
    count(sides.a, counter("snmp", name, 1000), 10);
    count(sides.b, counter("snmp", name, 1005), 10);
  }
  count(sides.a, counter("softirqs", "NET_RX", 1000), 1);
  count(sides.b, counter("softirqs", "NET_RX", 2000), 1);
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_THAT(names(comparison.counters), ElementsAre("softirqs NET_RX"));
  EXPECT_EQ(comparison.counters_tested, 4U);
  sides.a.resize(1);
  sides.b.resize(1);
  EXPECT_EQ(compare(sides.a, sides.b, {}).counters_tested, 0U);
}

TEST(Counters, of_retransmits_are_there_always_and_after_those_that_moved) {
  CounterSides sides = of_two_gigabytes();
  for (auto* side : {&sides.a, &sides.b}) count(*side, counter("snmp", "TcpRetransSegs", 0));
  count(sides.a, counter("softirqs", "NET_RX", 1000), 1);
  count(sides.b, counter("softirqs", "NET_RX", 2000), 1);
  const auto changes = compare(sides.a, sides.b, {}).counters;
  EXPECT_THAT(names(changes), ElementsAre("softirqs NET_RX", "snmp TcpRetransSegs"));
  EXPECT_EQ(changes[1].per_work.shift, 0);
}

TEST(Counters, are_joined_over_namespaces_but_for_those_of_devices) {
  CounterSides sides = of_two_gigabytes();
  for (const char* netns : {"left", "right"}) {
    count(sides.a, counter("snmp", "TcpInSegs", 1000, netns), 2);
    count(sides.b, counter("snmp", "TcpInSegs", 3000, netns), 2);
    count(sides.a, counter("nic", "veth0 tx_packets", 1000, netns), 2);
    count(sides.b, counter("nic", "veth0 tx_packets", 3000, netns), 2);
  }
  const auto changes = compare(sides.a, sides.b, {}).counters;
  EXPECT_THAT(names(changes), testing::UnorderedElementsAre("snmp TcpInSegs", "nic veth0@left tx_packets",
                                                            "nic veth0@right tx_packets"));
  for (const CounterChange& change : changes) {
    EXPECT_NEAR(change.per_work.shift.value_or(0), change.source == "snmp" ? 2000 : 1000, 5);
  }
}

TEST(Counters, that_few_runs_have_are_not_tested) {
  CounterSides sides = of_two_gigabytes();
  count(sides.a, counter("snmp", "IpInReceives", 7));
  count(sides.b, counter("snmp", "IpInReceives", 7));
  std::vector<ComparedRun> some(sides.b.begin(), sides.b.begin() + 7);
  count(some, counter("snmp", "TcpAttemptFails", 900), 1);
  std::copy(some.begin(), some.end(), sides.b.begin());
  EXPECT_THAT(compare(sides.a, sides.b, {}).counters, IsEmpty());
  // With one more run, half of them have it: 0 runs of A and 8 of B.
  sides.b[7].counters.push_back(counter("snmp", "TcpAttemptFails", 950));
  EXPECT_THAT(names(compare(sides.a, sides.b, {}).counters), ElementsAre("snmp TcpAttemptFails"));
}

TEST(Counters, of_a_source_that_a_run_could_not_read_are_unknown_and_not_none) {
  CounterSides sides = of_two_gigabytes();
  count(sides.b, counter("nic", "eth0 rx_missed", 900), 1);
  EXPECT_THAT(compare(sides.a, sides.b, {}).counters, IsEmpty());
}

TEST(Counters, of_too_few_runs_for_a_test_show_what_moved_farthest) {
  CounterSides sides = of_two_gigabytes();
  for (int i = 0; i < 15; ++i) {
    count(sides.a, counter("snmp", "Counter" + std::to_string(i), 1000));
    count(sides.b, counter("snmp", "Counter" + std::to_string(i), 1000 + static_cast<std::uint64_t>(i)));
  }
  sides.a.resize(1);
  sides.b.resize(1);
  const auto changes = compare(sides.a, sides.b, {}).counters;
  ASSERT_EQ(changes.size(), 10U);
  EXPECT_EQ(changes[0].name, "Counter14");
  EXPECT_FALSE(changes[0].per_work.p);
  EXPECT_FALSE(changes[0].per_work.q);
}

TEST(Counters, keep_their_unit) {
  CounterSides sides = of_two_gigabytes();
  count(sides.a, {.source = "cpu", .netns = "", .name = "cpu0 softirq", .delta = 1000, .unit = "ns"}, 1);
  count(sides.b, {.source = "cpu", .netns = "", .name = "cpu0 softirq", .delta = 9000, .unit = "ns"}, 1);
  const auto changes = compare(sides.a, sides.b, {}).counters;
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].unit, "ns");
}

}  // namespace
}  // namespace netperfd::analysis
