// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of counters. The names and the numbers are written by hand.
#include "daemon/model/counter_figure.hpp"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "daemon/model/figure.hpp"
#include "daemon/model/figure_registry.hpp"

namespace netperfd {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

CounterDelta counter(const char* source, const char* netns, const char* name, std::uint64_t delta = 1) {
  return {.source = source, .netns = netns, .name = name, .delta = delta, .unit = ""};
}

QueueSample queue(const char* device, const char* kind, const char* handle, std::chrono::microseconds time) {
  QueueSample sample;
  sample.time = time;
  sample.device = device;
  sample.netns = "router";
  sample.kind = kind;
  sample.handle = handle;
  return sample;
}

// The readings are 4 s apart; queues were sampled for 2 s.
FigureReadings a_run() {
  FigureReadings run;
  run.window_ns = 4'000'000'000;
  run.counters = {counter("nic", "router", "to-far rx_packets", 1000),
                  counter("nic", "", "to-far rx_packets", 24),
                  counter("ethtool", "router", "to-far rx_packets", 3000),
                  counter("ethtool", "router", "to-far port.rx_drops", 8),
                  counter("nic", "router", "eth0.100 tx_bytes", 6400),
                  counter("snmp", "left", "TcpRetransSegs", 2),
                  counter("snmp", "", "TcpRetransSegs", 12),
                  counter("softnet", "", "dropped", 40),
                  counter("softnet", "", "cpu1 dropped", 28),
                  counter("cpu", "", "busy", 2'000'000'000),
                  counter("noise", "", "window", 4'000'000'000)};
  using std::chrono::seconds;
  run.queues = {queue("to-far", "tbf", "1:", seconds{2}), queue("to-far", "fq_codel", "0:", seconds{2}),
                queue("to-far", "fq_codel", "0:", seconds{2})};
  run.queues[0].drops = 30;
  run.queues[0].sent_packets = 500;
  run.queues[0].sent_bytes = 70'000;
  run.queues[0].overlimits = 900;
  run.queues[0].requeues = 4;
  run.queues[1].drops = 5;
  run.queues[2].drops = 11;
  return run;
}

TEST(CounterFigures, are_changes_over_the_time_of_the_run) {
  const FigureReadings run = a_run();
  const std::vector<std::pair<const char*, double>> expected = {
      {"counter.to-far@router.rx_packets", 250},
      {"counter.to-far.rx_packets", 6},
      {"counter.to-far/ethtool@router.rx_packets", 750},
      {"counter.to-far/ethtool@router.port.rx_drops", 2},
      {"counter.eth0.100@router.tx_bytes", 1600},
      {"counter.snmp@left.TcpRetransSegs", 0.5},
      {"counter.snmp.TcpRetransSegs", 3},
      {"counter.softnet.dropped", 10},
      {"counter.softnet/cpu1.dropped", 7},
      {"counter.cpu.busy", 5e8},
      {"counter.to-far/tbf@router.drops", 15},
      {"counter.to-far/tbf@router.sent_packets", 250},
      {"counter.to-far/tbf@router.sent_bytes", 35'000},
      {"counter.to-far/tbf@router.overlimits", 450},
      {"counter.to-far/tbf@router.requeues", 2},
      {"counter.to-far/fq_codel@router.drops", 8}};
  for (const auto& [name, rate] : expected) {
    EXPECT_THAT(counter_rate(run, name), Optional(rate)) << name;
    const Figure figure = parse_figure(name).value();
    EXPECT_EQ(to_string(figure), name);
    EXPECT_THAT(find_figure(figure.name)->read(run, figure), Optional(rate)) << name;
  }
}

TEST(CounterFigures, that_a_run_does_not_have_are_unknown_and_not_0) {
  FigureReadings run = a_run();
  for (const char* name :
       {"counter.to-far@left.rx_packets", "counter.to-far@router.tx_packets", "counter.softnet/cpu2.dropped",
        "counter.to-far/pfifo@router.drops", "counter.to-far/tbf@router.backlog", "counter.noise.window"})
    EXPECT_EQ(counter_rate(run, name), std::nullopt) << name;
  run.window_ns.reset();
  EXPECT_EQ(counter_rate(run, "counter.softnet.dropped"), std::nullopt) << "for how long is not known";
  run.window_ns = 0;
  EXPECT_EQ(counter_rate(run, "counter.softnet.dropped"), std::nullopt);
  for (QueueSample& sample : run.queues) sample.time = std::chrono::microseconds{0};
  EXPECT_EQ(counter_rate(run, "counter.to-far/tbf@router.drops"), std::nullopt) << "it ended at once";
}

TEST(CounterFigures, that_did_not_move_are_0) {
  FigureReadings run = a_run();
  run.counters[0].delta = 0;
  EXPECT_THAT(counter_rate(run, "counter.to-far@router.rx_packets"), Optional(0.0));
}

TEST(CounterFigures, name_their_source) {
  EXPECT_EQ(source_of_counter("counter.to-far@router.rx_packets"), "nic");
  EXPECT_EQ(source_of_counter("counter.eth0.100.rx_packets"), "nic");
  EXPECT_EQ(source_of_counter("counter.snmpd.rx_packets"), "nic") << "a device";
  EXPECT_EQ(source_of_counter("counter.to-far/ethtool@router.rx_packets"), "ethtool");
  EXPECT_EQ(source_of_counter("counter.to-far/ethtool.rx_packets"), "ethtool");
  EXPECT_EQ(source_of_counter("counter.to-far/tbf@router.drops"), "qdisc");
  EXPECT_EQ(source_of_counter("counter.snmp@left.TcpOutSegs"), "snmp");
  EXPECT_EQ(source_of_counter("counter.snmp6.Ip6OutOctets"), "snmp6");
  EXPECT_EQ(source_of_counter("counter.netstat@left.TcpExtListenDrops"), "netstat");
  EXPECT_EQ(source_of_counter("counter.softnet/cpu0.dropped"), "softnet");
  EXPECT_EQ(source_of_counter("counter.perf.cycles"), "perf");
}

// A figure with the wrong direction turns every verdict round.
TEST(CounterFigures, have_a_unit_and_a_better_direction_by_their_names) {
  const auto words = [](std::string_view name) {
    const Figure figure = parse_figure(name).value();
    const FigureEntry& entry = *find_figure(figure.name);
    return std::string{unit_of(entry, figure)} + " " + std::string{to_string(better_of(entry, figure))};
  };
  for (const char* name :
       {"counter.drop0@err.rx_packets", "counter.to-far@router.tx_packets", "counter.softnet.processed",
        "counter.snmp@left.TcpOutSegs", "counter.to-far/tbf@router.sent_packets"})
    EXPECT_EQ(words(name), "per_second higher") << name;
  EXPECT_EQ(words("counter.eth0.tx_bytes"), "bytes_per_second higher");
  EXPECT_EQ(words("counter.netstat.IpExtInOctets"), "bytes_per_second higher");
  for (const char* name : {"counter.eth0.rx_dropped",
                           "counter.eth0.tx_errors",
                           "counter.eth0/tbf.drops",
                           "counter.eth0/tbf.overlimits",
                           "counter.eth0/tbf.requeues",
                           "counter.softnet.time_squeeze",
                           "counter.softnet.flow_limit_count",
                           "counter.snmp.TcpRetransSegs",
                           "counter.snmp.UdpRcvbufErrors",
                           "counter.snmp.UdpNoPorts",
                           "counter.netstat.TcpExtTCPTimeouts",
                           "counter.netstat.TcpExtTCPLostRetransmit",
                           "counter.netstat.TcpExtTCPOFOQueue",
                           "counter.snmp.IpInDiscards",
                           "counter.eth0.rx_missed_errors",
                           "counter.eth0.rx_fifo_errors",
                           "counter.eth0.collisions",
                           "counter.eth0/ethtool.rx0_DROPS",
                           "counter.softirqs.NET_RX",
                           "counter.interrupts.eth0-TxRx-1",
                           "counter.perf.cycles"})
    EXPECT_EQ(words(name), "per_second lower") << name;
  EXPECT_EQ(words("counter.cpu.busy"), "ns_per_second lower");
  EXPECT_EQ(words("counter.cpu/cpu3.softirq"), "ns_per_second lower");
}

TEST(CounterFigures, are_refused_if_their_names_cannot_be_any) {
  const auto complaint = [](std::string_view name) {
    const auto figure = parse_figure(name);
    return figure ? "" : figure.error().message;
  };
  for (const char* name : {"counter", "counter.", "counter..rx", "counter.eth0", "counter.eth0."})
    EXPECT_THAT(complaint(name), HasSubstr("is not counter.OBJECT.NAME, such as")) << name;
  EXPECT_THAT(complaint("counter.a\n.b"), HasSubstr("is not a printable line"));
  EXPECT_THAT(complaint("counter.a." + std::string(189, 'b')), IsEmpty()) << "200 bytes";
  EXPECT_THAT(complaint("counter.a." + std::string(191, 'b')), HasSubstr("longer than 200 bytes"));
  EXPECT_FALSE(is_own_figure("counter.eth0.rx_packets"));
}

// bnxt's names have a ':'.
TEST(CounterFigures, may_have_the_sign_of_a_threshold_in_their_names) {
  const auto choice = parse_figure_choice("counter.eth0/ethtool.[0]: rx_drops:5%").value();
  EXPECT_EQ(choice.figure.name, "counter.eth0/ethtool.[0]: rx_drops");
  EXPECT_THAT(choice.threshold, Optional(0.05));
  const auto plain = parse_figure_choice("counter.eth0/ethtool.[0]: rx_drops").value();
  EXPECT_EQ(plain.figure.name, "counter.eth0/ethtool.[0]: rx_drops");
  EXPECT_EQ(plain.threshold, std::nullopt);
}

TEST(CounterFigures, of_a_run_are_listed) {
  const std::vector<std::string> names = counter_figures_of(a_run());
  for (const char* name : {"counter.to-far@router.rx_packets", "counter.softnet/cpu1.dropped",
                           "counter.to-far/tbf@router.requeues"})
    EXPECT_THAT(names, Contains(name));
  EXPECT_THAT(names, testing::Not(Contains(HasSubstr("window"))));
  EXPECT_THAT(nearest_counters("counter.to-far@router.rx_packet", names),
              Contains("counter.to-far@router.rx_packets"));
  EXPECT_THAT(nearest_counters("counter.a-device-that-is-not-there@nowhere.requeues",
                               {"counter.eth0.drops", "counter.eth0/tbf.requeues"}),
              ElementsAre("counter.eth0/tbf.requeues"))
      << "the same counter elsewhere";
  EXPECT_THAT(nearest_counters("counter.nowhere.nothing", names), IsEmpty());
}

TEST(CounterFigures, need_runs_of_this_host) {
  const Figure figure = parse_figure("counter.eth0.rx_packets").value();
  EXPECT_THAT(why_not_measured(figure, {.counters = true}), IsEmpty());
  EXPECT_THAT(why_not_measured(figure, {}), HasSubstr("imported have no counters"));
}

}  // namespace
}  // namespace netperfd
