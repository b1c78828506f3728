// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/deltas.hpp"

#include <gmock/gmock.h>

namespace netperfd::counters {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Counters deltas_of(const CounterKind& kind, const Readings& before, const Readings& after,
                   std::string_view netns = "") {
  Counters counters;
  add_deltas(kind, netns, before, after, counters);
  return counters;
}

TEST(Deltas, are_what_was_added_and_those_that_stood_still_are_left_out) {
  const auto counters =
      deltas_of(kSnmp, {{"TcpRetransSegs", {}, 5}, {"TcpEstabResets", {}, 2}, {"IpInReceives", {}, 10}},
                {{"TcpRetransSegs", {}, 5}, {"TcpEstabResets", {}, 2}, {"IpInReceives", {}, 25}}, "left");
  EXPECT_THAT(counters.deltas, ElementsAre(CounterDelta{"snmp", "left", "IpInReceives", 15, ""},
                                           CounterDelta{"snmp", "left", "TcpRetransSegs", 0, ""}));
  EXPECT_THAT(counters.unknown, IsEmpty());
}

TEST(Deltas, that_stood_still_are_kept_if_a_figure_needs_them) {
  const Readings readings = {{"veth0 rx_dropped", {}, 5}, {"veth0 tx_dropped", {}, 5}, {"dropped", {}, 1}};
  Counters counters;
  add_deltas(
      kNic, "left", readings, readings, counters,
      {.expected = false, .figures = {"counter.veth0@left.rx_dropped", "counter.veth0@right.tx_dropped"}});
  EXPECT_THAT(counters.deltas, ElementsAre(CounterDelta{"nic", "left", "veth0 rx_dropped", 0, ""}));
}

TEST(Deltas, have_the_names_of_figures_before_they_are_known) {
  std::vector<std::string> names;
  add_figures(kSoftnet, "", {{"dropped", 0, 1}, {"dropped", 1, 1}}, names);
  add_figures(kInterrupts, "", {{"eth0-0", 0, 1}}, names);
  add_figures(kNic, "left", {{"veth0 rx_bytes", {}, 1}}, names);
  EXPECT_THAT(names, ElementsAre("counter.softnet.dropped", "counter.softnet/cpu0.dropped",
                                 "counter.softnet/cpu1.dropped", "counter.interrupts.eth0-0",
                                 "counter.veth0@left.rx_bytes"));
}

TEST(Deltas, of_32_bits_wrap_round_on_each_cpu) {
  const auto counters = deltas_of(kSoftirqs, {{"NET_RX", 0, 4'294'967'290U}, {"NET_RX", 1, 100}},
                                  {{"NET_RX", 0, 4}, {"NET_RX", 1, 101}});
  EXPECT_THAT(counters.deltas, ElementsAre(CounterDelta{"softirqs", "", "cpu0 NET_RX", 10, ""},
                                           CounterDelta{"softirqs", "", "cpu1 NET_RX", 1, ""},
                                           CounterDelta{"softirqs", "", "NET_RX", 11, ""}));
}

TEST(Deltas, of_64_bits_that_went_back_are_another_devices) {
  const auto counters = deltas_of(kNic, {{"eth0 rx_bytes", {}, 1'000}, {"eth0 tx_bytes", {}, 10}},
                                  {{"eth0 rx_bytes", {}, 999}, {"eth0 tx_bytes", {}, 12}}, "left");
  EXPECT_THAT(counters.deltas, ElementsAre(CounterDelta{"nic", "left", "eth0 tx_bytes", 2, "bytes"}));
  EXPECT_THAT(counters.unknown,
              ElementsAre(HasSubstr("nic of left: not there from the release to the end, or "
                                    "begun anew: eth0 rx_bytes")));
}

TEST(Deltas, of_a_cpu_that_was_idle_are_none_though_idle_is_told_in_ticks) {
  constexpr std::uint64_t kMs = 1'000'000;
  const auto counters =
      deltas_of(kCpu, {{"busy", 0, 900 * kMs}, {"busy", 1, 500 * kMs}, {"idle", 1, 70 * kMs}},
                {{"busy", 0, 940 * kMs}, {"busy", 1, 493 * kMs}, {"idle", 1, 70 * kMs}});
  EXPECT_THAT(counters.deltas,
              testing::UnorderedElementsAre(CounterDelta{"cpu", "", "cpu0 busy", 40 * kMs, "ns"},
                                            CounterDelta{"cpu", "", "busy", 33 * kMs, "ns"},
                                            CounterDelta{"cpu", "", "idle", 0, "ns"}));
  EXPECT_THAT(counters.unknown, IsEmpty());
  EXPECT_THAT(deltas_of(kCpu, {{"busy", 0, 900 * kMs}}, {{"busy", 0, 880 * kMs}}).deltas,
              ElementsAre(CounterDelta{"cpu", "", "busy", 0, "ns"}));
  EXPECT_THAT(deltas_of(kCpu, {{"busy", 0, 900 * kMs}}, {{"busy", 0, 879 * kMs}}).unknown,
              ElementsAre(HasSubstr("busy")));
}

TEST(Deltas, of_a_counter_that_vanished_are_not_there_and_named) {
  const auto counters = deltas_of(kNic,
                                  {{"a rx_packets", {}, 1},
                                   {"b rx_packets", {}, 1},
                                   {"c rx_packets", {}, 1},
                                   {"d rx_packets", {}, 1},
                                   {"e rx_packets", {}, 1}},
                                  {{"e rx_packets", {}, 2}});
  EXPECT_EQ(counters.deltas.size(), 1U);
  EXPECT_THAT(
      counters.unknown,
      ElementsAre("nic: not there from the release to the end, or begun anew: a rx_packets, b rx_packets, "
                  "c rx_packets and 1 more"));
}

TEST(Deltas, of_a_cpu_that_went_offline_leave_no_sum_that_would_be_too_small) {
  const auto counters =
      deltas_of(kSoftnet, {{"processed", 0, 1}, {"processed", 1, 1}}, {{"processed", 0, 8}});
  EXPECT_THAT(counters.deltas, ElementsAre(CounterDelta{"softnet", "", "cpu0 processed", 7, ""}));
  EXPECT_THAT(counters.unknown, ElementsAre(HasSubstr("processed")));
}

TEST(Deltas, of_a_counter_that_came_with_its_first_count_are_that_count) {
  const auto snmp =
      deltas_of(kSnmp, {{"IpInReceives", {}, 1}}, {{"IpInReceives", {}, 1}, {"IcmpMsgOutType3", {}, 4}});
  EXPECT_THAT(snmp.deltas, ElementsAre(CounterDelta{"snmp", "", "IcmpMsgOutType3", 4, ""}));
  EXPECT_THAT(snmp.unknown, IsEmpty());
  // A device from another namespace may arrive with earlier counts.
  const auto nic = deltas_of(kNic, {}, {{"veth9 rx_packets", {}, 4}});
  EXPECT_THAT(nic.deltas, IsEmpty());
  EXPECT_THAT(nic.unknown, ElementsAre(HasSubstr("veth9 rx_packets")));
}

TEST(Deltas, of_a_drivers_gauge_that_fell_are_left_out_in_silence) {
  const auto counters = deltas_of(kEthtool, {{"eth0 temperature", {}, 50}, {"eth0 rx0_xdp", {}, 1}},
                                  {{"eth0 temperature", {}, 48}, {"eth0 rx0_xdp", {}, 3}});
  EXPECT_THAT(counters.deltas, ElementsAre(CounterDelta{"ethtool", "", "eth0 rx0_xdp", 2, ""}));
  EXPECT_THAT(counters.unknown, IsEmpty());
}

TEST(Deltas, tell_how_busy_each_cpu_was) {
  const auto counters = deltas_of(kCpu, {{"busy", 0, 0}, {"busy", 1, 0}, {"idle", 0, 0}, {"idle", 1, 0}},
                                  {{"busy", 0, 90}, {"busy", 1, 10}, {"idle", 0, 10}, {"idle", 1, 90}});
  EXPECT_THAT(counters.deltas, ElementsAre(CounterDelta{"cpu", "", "cpu0 busy", 90, "ns"},
                                           CounterDelta{"cpu", "", "cpu1 busy", 10, "ns"},
                                           CounterDelta{"cpu", "", "cpu0 idle", 10, "ns"},
                                           CounterDelta{"cpu", "", "cpu1 idle", 90, "ns"},
                                           CounterDelta{"cpu", "", "busy", 100, "ns"},
                                           CounterDelta{"cpu", "", "idle", 100, "ns"}));
}

}  // namespace
}  // namespace netperfd::counters
