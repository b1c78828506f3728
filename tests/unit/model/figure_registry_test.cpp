// SPDX-License-Identifier: GPL-2.0-or-later
// What each figure is read from. The names and the numbers are written by hand.
#include "daemon/model/figure_registry.hpp"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

namespace netperfd {
namespace {

using testing::ElementsAre;
using testing::Optional;

// Two directions. 30 of 1,000 datagrams were lost, and two late ones of the other direction taken for lost.
FigureReadings a_run() {
  FigureReadings run;
  rows::Sum there;
  there.sent_bytes = 2'000'000'000;
  there.received_bytes = 400'000;
  there.sent_bits_per_second = 3e9;
  there.retransmits = 50;
  there.mean_rtt = 400;
  there.jitter_ms = 0.25;
  there.packets = 1000;
  there.lost_packets = 32;
  rows::Sum back = there;
  back.direction = Direction::receive;
  back.received_bytes = 200'000;
  back.sent_bits_per_second = 1e9;
  back.retransmits = 10;
  back.mean_rtt = 600;
  back.jitter_ms = 0.75;
  back.packets = 1000;
  back.lost_packets = -2;
  run.sums = {there, back};
  run.received_bits_per_second = 3.5e9;
  run.goodput_bytes = 1'000'000;
  run.cpu_ns = 5'000'000;
  run.counted_cpu_ns = 1'800'000;
  run.packets = 2000;
  run.window_ns = 2'000'000'000;
  run.own = {{.name = "calls", .unit = "requests/s", .value = 400}};
  run.probes = {"main", "voice"};
  const auto add_phase = [&run](const char* probe, const char* phase, std::uint64_t first) {
    run.phases.push_back({.probe = probe, .phase = phase, .sent = 1000, .received = 990, .jitter_ns = 7});
    run.round_trips.push_back({.probe = probe,
                               .phase = phase,
                               .span = "round-trip",
                               .min_ns = first,
                               .mean_ns = first + 1,
                               .max_ns = first + 2,
                               .p50_ns = first + 3,
                               .p90_ns = first + 4,
                               .p99_ns = first + 5,
                               .p999_ns = first + 6});
  };
  add_phase("main", "idle", 100);
  add_phase("main", "load", 5000);
  add_phase("voice", "idle", 900);
  return run;
}

std::optional<double> read(const std::string& name, const FigureReadings& run) {
  const Figure figure = parse_figure(name).value();
  return find_figure(figure.name)->read(run, figure);
}

TEST(FigureRegistry, has_the_figures_that_the_guide_lists) {
  std::vector<std::string> names;
  for (const FigureEntry& entry : figure_registry()) names.emplace_back(entry.name);
  EXPECT_THAT(names, ElementsAre("received", "sent", "delivered", "retransmits", "rtt", "jitter", "cpu",
                                 "cpu.packet", "cpu.transaction", "latency.min", "latency.p50", "latency.p90",
                                 "latency.p99", "latency.p999", "latency.max", "latency.mean",
                                 "latency.jitter", "latency.delivered", "latency.bloat", "counter"));
}

TEST(FigureRegistry, reads_each_figure_of_a_run) {
  const FigureReadings run = a_run();
  const std::map<std::string, double> expected = {{"received", 3.5e9},
                                                  {"sent", 4e9},
                                                  {"delivered", 0.985},
                                                  {"retransmits", 15},
                                                  {"rtt", 500e3},
                                                  {"jitter", 500e3},
                                                  {"cpu", 3},
                                                  {"cpu.packet", 2500},
                                                  {"cpu.transaction", 6250},
                                                  {"latency.min", 5000},
                                                  {"latency.mean", 5001},
                                                  {"latency.max", 5002},
                                                  {"latency.p50", 5003},
                                                  {"latency.p90", 5004},
                                                  {"latency.p99", 5005},
                                                  {"latency.p999", 5006},
                                                  {"latency.jitter", 7},
                                                  {"latency.delivered", 0.99},
                                                  {"latency.bloat", 5005 - 103},
                                                  {"latency.idle.min", 100},
                                                  {"latency.voice.p99", 905},
                                                  {"latency.voice.idle.max", 902}};
  for (const auto& [name, value] : expected) EXPECT_THAT(read(name, run), Optional(value)) << name;
  for (const char* name :
       {"latency.after.p50", "latency.voice.load.p50", "latency.voice.bloat", "latency.x.max"})
    EXPECT_EQ(read(name, run), std::nullopt) << name;
}

TEST(FigureRegistry, reads_nothing_of_a_run_of_which_nothing_is_known) {
  for (const FigureEntry& entry : figure_registry()) {
    const Figure figure{.name = std::string{entry.name}};
    EXPECT_EQ(entry.read({}, figure), std::nullopt) << entry.name;
    if (entry.read_whole != nullptr) EXPECT_EQ(entry.read_whole({}, figure), std::nullopt) << entry.name;
  }
}

TEST(FigureRegistry, reads_nothing_of_directions_of_which_one_is_not_known) {
  for (const char* name : {"sent", "delivered", "retransmits", "rtt", "jitter", "cpu"}) {
    FigureReadings run = a_run();
    run.sums.emplace_back();
    EXPECT_EQ(read(name, run), std::nullopt) << name;
  }
}

TEST(FigureRegistry, reads_cpu_time_of_the_whole_run_only_where_it_was_all_counted) {
  const FigureEntry& cpu = *find_figure("cpu");
  FigureReadings run = a_run();
  EXPECT_THAT(cpu.read_whole(run, {}), Optional(5.0));
  run.counted_cpu_ns.reset();
  EXPECT_EQ(cpu.read(run, {}), std::nullopt) << "400,000 bytes were omitted";
  run.goodput_bytes = 600'000;
  EXPECT_THAT(cpu.read(run, {}), Optional(5e6 / 6e5));
  run.has_uncounted_part = true;
  EXPECT_EQ(cpu.read(run, {}), std::nullopt) << "probes ran beside it";
  EXPECT_THAT(cpu.read_whole(run, {}), Optional(5e6 / 6e5));
  run.cpu_ns = 0;
  EXPECT_EQ(cpu.read_whole(run, {}), std::nullopt) << "no workload takes no time";
}

// Half a second, 2.5 s of CPU time.
TEST(FigureRegistry, reads_cpu_time_for_the_work_that_a_workload_reports) {
  FigureReadings run;
  run.cpu_ns = 2'500'000'000;
  run.window_ns = 500'000'000;
  run.packets = 1000;
  const auto of = [&](const char* name, const char* unit, double value) {
    run.own = {{.name = "work", .unit = unit, .value = value}};
    return read(name, run);
  };
  EXPECT_THAT(of("cpu.transaction", "transactions/s", 2000), Optional(2.5e6));
  EXPECT_THAT(of("cpu.packet", "packets/s", 1e6), Optional(5e3)) << "not those of the device";
  EXPECT_THAT(of("cpu.packet", "ns", 1e6), Optional(2.5e6)) << "those of the device";
  EXPECT_THAT(of("cpu", "bits/s", 8e6), Optional(5e3)) << "500,000 bytes";
  EXPECT_EQ(of("cpu", "packets/s", 8e6), std::nullopt);
  EXPECT_EQ(of("cpu.transaction", "bits/s", 8e6), std::nullopt);
  run.goodput_bytes = 100;
  EXPECT_EQ(of("cpu", "bits/s", 8e6), std::nullopt) << "what iperf3 omitted of these 100 is not known";
  run.cpu_ns.reset();
  EXPECT_EQ(of("cpu.packet", "packets/s", 1e6), std::nullopt);
}

TEST(FigureRegistry, says_what_packets_and_transactions_are_counted_by) {
  const auto source = [](const char* name, const FigureReadings& run) {
    return find_figure(name)->source(run, parse_figure(name).value());
  };
  FigureReadings run = a_run();
  EXPECT_EQ(source("cpu.packet", run), "nic");
  EXPECT_EQ(source("cpu.transaction", run), "figure calls");
  run.own.push_back({.name = "pps", .unit = "packets/s", .value = 3});
  EXPECT_EQ(source("cpu.packet", run), "figure pps");
  EXPECT_EQ(source("counter.eth0/tbf.drops", run), "qdisc");
}

TEST(FigureRegistry, takes_late_datagrams_for_no_more_than_were_sent) {
  FigureReadings run = a_run();
  for (rows::Sum& sum : run.sums) sum.lost_packets = -5;
  EXPECT_THAT(read("delivered", run), Optional(1.0));
  for (rows::Sum& sum : run.sums) sum.packets = 0;
  EXPECT_EQ(read("delivered", run), std::nullopt);
}

// What else is particular to one figure alone.
TEST(FigureRegistry, has_few_exceptions) {
  for (const FigureEntry& entry : figure_registry()) {
    EXPECT_EQ(entry.words != nullptr, entry.name == "received") << entry.name;
    EXPECT_EQ(entry.read_whole != nullptr, entry.name == "cpu") << entry.name;
    EXPECT_EQ(entry.source != nullptr,
              entry.name == "cpu.packet" || entry.name == "cpu.transaction" || entry.name == "counter")
        << entry.name;
    EXPECT_EQ(entry.terms_in_name, entry.name == "counter") << entry.name;
    EXPECT_EQ(entry.of_two_phases, entry.name == "latency.bloat") << entry.name;
  }
}

}  // namespace
}  // namespace netperfd
