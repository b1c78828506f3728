// SPDX-License-Identifier: GPL-2.0-or-later
// Figures and flags of the noise of a host, from a record with the kernel's readings.
#include "daemon/core/run/run_noise.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/noise.hpp"
#include "daemon/workload/job/traits.hpp"

namespace netperfd::core {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::uint64_t kSecond = 1'000'000'000;

class NoiseFixture : public testing::Test {
 protected:
  // Ten seconds of TCP at 800 Mbit/s between two namespaces, on two of four CPUs that nobody else used.
  void SetUp() override {
    spec = {};
    record = {};
    spec.test.path.local = LocalServer{.netns = "right", .bind = "10.0.0.2"};
    record.state = RunState::finished;
    record.workload.client_usage = ResourceUsage{.user = 1s, .system = 2s};
    record.workload.server_usage = ResourceUsage{.user = 1s, .system = 3s};
    record.counters.emplace();
    set(noise::kWindow, 10 * kSecond, "ns");
    set(noise::kCpus, 2);
    set(noise::kOnlineCpus, 4);
    set(noise::kTasks, 7 * kSecond + kSecond / 5, "ns");
    set(noise::kNetperfd, kSecond / 10, "ns");
    set(noise::kOthersThere, 0, "ns");
    set(noise::kSteal, 0, "ns");
    set(noise::kStealThere, 0, "ns");
    spec.workload = workload::traits_of("iperf3");
    record.workload.report.mss_bytes = 1448;
    Totals sum;
    sum.seconds = 10;
    sum.sent_bytes = 1'000'000'000;
    sum.sent_bits_per_second = 800e6;
    record.workload.report.sums = {sum};
    record.traffic.packets = PacketCount{.device = "wire", .netns = "left"};
    add_counter("nic", "left", "wire tx_bytes", 1'040'000'000);
    add_counter("nic", "left", "wire rx_bytes", 10'000'000);
  }

  // The CPUs' time, of which /proc has 7.2 s as tasks.
  void set_busy(std::uint64_t busy, std::uint64_t interrupts) {
    set(noise::kBusy, busy, "ns");
    set(noise::kInterrupts, interrupts, "ns");
    set(noise::kUnknownError, kSecond / 20, "ns");
    set(noise::kOthersThere, busy, "ns");
  }
  [[nodiscard]] std::optional<std::uint64_t> terms() const {
    std::uint64_t sum = 0;
    for (const auto name :
         {noise::kWorkload, noise::kNetperfd, noise::kOthers, noise::kKernel, noise::kUnknown}) {
      if (!figure(name)) return std::nullopt;
      sum += *figure(name);
    }
    return sum;
  }
  void add_counter(const char* source, const char* netns, const char* name, std::uint64_t delta) {
    record.counters->deltas.push_back({source, netns, name, delta, ""});
  }
  void set_device(double sent, double received) {
    for (CounterDelta& each : record.counters->deltas) {
      if (each.name == "wire tx_bytes") each.delta = static_cast<std::uint64_t>(sent);
      if (each.name == "wire rx_bytes") each.delta = static_cast<std::uint64_t>(received);
    }
  }
  void set(std::string_view name, std::uint64_t value, std::string_view unit = "") {
    std::erase_if(record.counters->deltas, [&](const CounterDelta& each) {
      return each.source == noise::kSource && each.name == name;
    });
    record.counters->deltas.push_back(noise::counter_of(name, value, unit));
  }
  [[nodiscard]] std::optional<std::uint64_t> figure(std::string_view name) const {
    return noise::figure(record.counters->deltas, name);
  }
  std::vector<std::string> codes() {
    add_noise(spec, record);
    std::vector<std::string> found;
    for (const QualityFlag& flag : record.flags) found.push_back(flag.code);
    return found;
  }
  void add_interval(double bits_per_second) {
    Interval interval;
    interval.sender = true;
    interval.seconds = 1;
    interval.bits_per_second = bits_per_second;
    interval.bytes = static_cast<std::uint64_t>(bits_per_second / 8);
    record.workload.report.intervals.push_back(interval);
  }
  [[nodiscard]] std::string message() const { return record.flags.at(0).message; }

  JobSpec spec;
  RunRecord record;
};

using NoiseOfARun = NoiseFixture;

TEST_F(NoiseOfARun, is_no_flag_on_a_quiet_host) {
  EXPECT_THAT(codes(), IsEmpty());
  EXPECT_EQ(figure(noise::kWorkload), 7 * kSecond);
  EXPECT_EQ(figure(noise::kOthers), kSecond / 10) << "all tasks without iperf3 and netperfd";
  EXPECT_EQ(figure(noise::kForeignBytes), 0U);
  EXPECT_TRUE(std::ranges::is_sorted(record.counters->deltas, {}, [](const CounterDelta& delta) {
    return std::tie(delta.source, delta.netns, delta.name);
  }));
}

TEST_F(NoiseOfARun, is_load_of_others_on_its_cpus) {
  set(noise::kTasks, 13 * kSecond, "ns");
  set(noise::kOthersThere, 3 * kSecond, "ns");
  EXPECT_THAT(codes(), ElementsAre(noise::kForeignLoad));
  EXPECT_EQ(
      message(),
      "other processes took 15 % of the time of the workload's CPUs (3.00 s of CPU time there, 5.90 s on "
      "all CPUs)");
}

TEST_F(NoiseOfARun, leaves_load_on_other_cpus_alone) {
  set(noise::kTasks, 27 * kSecond, "ns");
  set(noise::kOthersThere, kSecond / 10, "ns");
  EXPECT_THAT(codes(), IsEmpty());
  EXPECT_EQ(figure(noise::kOthers), 19 * kSecond + 9 * kSecond / 10);
}

TEST_F(NoiseOfARun, on_all_cpus_is_all_load_of_others) {
  set(noise::kTasks, 13 * kSecond, "ns");
  set(noise::kCpus, 4);
  set(noise::kOthersThere, kSecond, "ns");
  EXPECT_THAT(codes(), ElementsAre(noise::kForeignLoad));
  EXPECT_EQ(figure(noise::kOthersThere), figure(noise::kOthers));
}

// 20 s of two CPUs, of which the workload and what /proc shows took 7.2 s.
TEST_F(NoiseOfARun, is_cpu_time_that_no_visible_task_took) {
  set_busy(9 * kSecond, kSecond / 2);
  EXPECT_THAT(codes(), ElementsAre(noise::kUnknownLoad));
  EXPECT_EQ(figure(noise::kUnknown), 9 * kSecond - 7 * kSecond - kSecond / 5 - kSecond / 2);
  EXPECT_EQ(terms(), figure(noise::kBusy));
  EXPECT_EQ(message(),
            "tasks that netperfd does not see took 6.5 % of the time of the workload's CPUs (1.30 s of CPU "
            "time there, 1.30 s on all CPUs, known to 0.05 s): in another PID namespace, as in a container, "
            "hidden by hidepid, or short-lived");
}

TEST_F(NoiseOfARun, is_seen_and_unseen_load_that_is_too_much_together_only) {
  set(noise::kTasks, 7 * kSecond + 7 * kSecond / 10, "ns");  // 0.6 s of others
  set_busy(7 * kSecond + 13 * kSecond / 10, 0);              // and 0.6 s that nobody sees: 3 % each
  EXPECT_THAT(codes(), ElementsAre(noise::kUnknownLoad));
  record.flags.clear();
  SetUp();
  set(noise::kTasks, 9 * kSecond, "ns");
  set_busy(9 * kSecond + 6 * kSecond / 10, 0);
  EXPECT_THAT(codes(), ElementsAre(noise::kForeignLoad)) << "which has a flag already";
}

TEST_F(NoiseOfARun, is_no_unknown_load_within_its_error_or_on_other_cpus) {
  set_busy(9 * kSecond, 0);
  set(noise::kUnknownError, 2 * kSecond, "ns");
  EXPECT_THAT(codes(), IsEmpty());
  EXPECT_EQ(terms(), figure(noise::kBusy));
  SetUp();
  set_busy(9 * kSecond, 0);
  set(noise::kOthersThere, kSecond / 2, "ns");
  EXPECT_THAT(codes(), IsEmpty()) << "at most 0.5 s of it was on the workload's CPUs";
  EXPECT_EQ(figure(noise::kUnknownThere), 4 * kSecond / 10) << "without the 0.1 s of others";
}

TEST_F(NoiseOfARun, of_a_pure_latency_run_is_that_of_any_run) {
  spec.workload = workload::traits_of("latency");
  record.workload.report.sums.clear();
  set_device(1e5, 1e5);
  set(noise::kTasks, 13 * kSecond, "ns");
  set(noise::kOthersThere, 3 * kSecond, "ns");
  set(noise::kStealThere, kSecond, "ns");
  set(noise::kMovedIrqs, 1);
  set(noise::kMemoryStall, kSecond, "ns");
  set(noise::kHeat, 1);
  EXPECT_THAT(codes(), ElementsAre(noise::kForeignLoad, noise::kStolen, noise::kSlowed, noise::kIrqsMoved,
                                   noise::kMemoryPressure));
  record.flags.clear();
  SetUp();
  spec.workload = workload::traits_of("latency");
  record.workload.report.sums.clear();
  set_device(1e8, 1e5);
  EXPECT_THAT(codes(), Contains(noise::kForeignTraffic)) << "its probes are a few packets";
}

TEST_F(NoiseOfARun, of_commands_calls_no_traffic_foreign) {
  spec.workload = workload::traits_of("command");
  spec.command.emplace();
  record.workload.report.sums.clear();
  set_device(1e8, 1e8);
  EXPECT_THAT(codes(), testing::Not(Contains(noise::kForeignTraffic))) << "nobody tells what they send";
}

// Somebody else makes the traffic, and may do so from a container.
TEST_F(NoiseOfARun, without_a_workload_of_its_own_is_that_of_the_machine_alone) {
  spec.workload = workload::traits_of("none");
  record.workload = {};
  set_busy(19 * kSecond, 0);
  set_device(1e9, 1e9);
  set(noise::kStealThere, kSecond, "ns");
  set(noise::kMovedIrqs, 1);
  EXPECT_THAT(codes(), ElementsAre(noise::kStolen, noise::kIrqsMoved));
  EXPECT_TRUE(figure(noise::kUnknown));
  EXPECT_FALSE(figure(noise::kOthers));
}

TEST_F(NoiseOfARun, is_unknown_where_a_process_of_the_workload_did_not_tell) {
  record.workload.server_usage.reset();
  set(noise::kTasks, 13 * kSecond, "ns");
  EXPECT_THAT(codes(), IsEmpty());
  EXPECT_EQ(figure(noise::kOthers), std::nullopt);
  EXPECT_THAT(record.counters->unknown, Contains(StartsWith("noise: others: not available here")));
}

TEST_F(NoiseOfARun, is_steal_from_a_hundredth_on) {
  set(noise::kStealThere, kSecond / 10, "ns");
  EXPECT_THAT(codes(), IsEmpty());
  set(noise::kStealThere, 3 * kSecond, "ns");
  EXPECT_THAT(codes(), ElementsAre(noise::kStolen));
  EXPECT_THAT(message(), HasSubstr("15 %"));
}

TEST_F(NoiseOfARun, is_a_limit_or_heat_that_held_the_cpus) {
  set(noise::kThrottled, kSecond, "ns");
  EXPECT_THAT(codes(), ElementsAre(noise::kSlowed));
  EXPECT_THAT(message(), HasSubstr("held it for 1.00 s"));
  record.flags.clear();
  set(noise::kThrottled, 0, "ns");
  set(noise::kHeat, 3);
  EXPECT_THAT(codes(), ElementsAre(noise::kSlowed));
}

TEST_F(NoiseOfARun, is_traffic_that_is_not_its_own) {
  set_device(2e9, 1e7);
  EXPECT_THAT(codes(), Contains(noise::kForeignTraffic));
  EXPECT_GT(figure(noise::kForeignBytes).value_or(0), 900'000'000U);
}

TEST_F(NoiseOfARun, does_not_take_its_own_headers_acknowledgements_and_retransmissions_for_others) {
  // Segments of 1448 bytes with 66 of headers, an acknowledgement each, and a tenth sent again.
  const double segments = 1e9 / 1448;
  set_device(1.1 * segments * 1514, segments * 66);
  add_counter("snmp", "left", "TcpRetransSegs", static_cast<std::uint64_t>(segments / 10));
  EXPECT_THAT(codes(), IsEmpty());
}

TEST_F(NoiseOfARun, does_not_take_its_own_probes_for_others) {
  // 10,000 requests per second of 1,400 bytes and 42 of headers, as much as a seventh of what iperf3 sends.
  const double segments = 1e9 / 1448, requests = 10 * 10'000;
  set_device(segments * 1514 + requests * 1442, segments * 66 + requests * 1442);
  EXPECT_THAT(codes(), Contains(noise::kForeignTraffic)) << "else the test proves nothing";
  record.flags.clear();
  LatencyReport& latency = record.workload.latency.emplace();
  latency.probes = {
      {.name = "udp", .protocol = "udp", .rate = 10'000, .length = 1'400, .dscp = {}, .timestamps = ""}};
  rows::LatencyPhase phase;
  phase.probe = "udp";
  phase.sent = 50'000;
  latency.phases = {phase, phase};
  std::erase_if(record.counters->deltas, [](const auto& each) { return each.name == noise::kForeignBytes; });
  EXPECT_THAT(codes(), IsEmpty());
}

TEST_F(NoiseOfARun, does_not_take_the_cpu_time_of_its_own_probes_for_others) {
  set(noise::kTasks, 13 * kSecond, "ns");
  set(noise::kCpus, 4);
  record.workload.probes_usage =
      ResourceUsage{.user = std::chrono::seconds{1}, .system = std::chrono::seconds{2}};
  (void)codes();
  EXPECT_EQ(figure(noise::kOthers), 2 * kSecond + 9 * kSecond / 10) << "5.9 s without the probes' 3";
}

TEST_F(NoiseOfARun, does_not_count_the_loopback_twice) {
  record.traffic.packets->device = "lo";
  add_counter("nic", "left", "lo tx_bytes", 1'050'000'000);
  add_counter("nic", "left", "lo rx_bytes", 1'050'000'000);
  EXPECT_THAT(codes(), IsEmpty());
}

TEST_F(NoiseOfARun, is_pressure_of_memory_by_psi_or_without_it_by_reclaims) {
  set(noise::kMemoryStall, kSecond, "ns");
  EXPECT_THAT(codes(), ElementsAre(noise::kMemoryPressure));
  EXPECT_THAT(message(), HasSubstr("10 %"));
  record.flags.clear();
  set(noise::kMemoryStall, 0, "ns");
  set(noise::kReclaims, 5);
  EXPECT_THAT(codes(), IsEmpty()) << "PSI knows better";
  std::erase_if(record.counters->deltas, [](const auto& each) { return each.name == noise::kMemoryStall; });
  EXPECT_THAT(codes(), ElementsAre(noise::kMemoryPressure));
}

TEST_F(NoiseOfARun, is_an_interrupt_that_moved) {
  set(noise::kMovedIrqs, 2);
  EXPECT_THAT(codes(), ElementsAre(noise::kIrqsMoved));
}

TEST_F(NoiseOfARun, is_a_rate_that_was_asked_and_not_reached) {
  spec.test.traffic.protocol = Protocol::udp;
  spec.test.traffic.bitrate = 500'000'000;
  spec.test.traffic.streams = 2;
  EXPECT_THAT(codes(), ElementsAre(noise::kRateMissed));
  EXPECT_EQ(message(), "1000 Mbit/s were asked and 800 Mbit/s sent");
  EXPECT_EQ(figure(noise::kAskedRate), 1'000'000'000U);
  EXPECT_EQ(figure(noise::kSentRate), 800'000'000U);
}

TEST_F(NoiseOfARun, is_a_rate_that_was_reached_only_on_average) {
  spec.test.traffic.protocol = Protocol::udp;
  spec.test.traffic.bitrate = 800'000'000;
  add_interval(800e6);
  EXPECT_THAT(codes(), IsEmpty());
  add_interval(600e6);
  add_interval(1000e6);
  EXPECT_THAT(codes(), ElementsAre(noise::kRateMissed));
  EXPECT_THAT(message(), HasSubstr("in the intervals from 600 Mbit/s to 1000 Mbit/s"));
}

TEST_F(NoiseOfARun, allows_a_rate_its_grain_of_whole_blocks) {
  spec.test.traffic.bitrate = 1'000'000;
  record.workload.report.sums[0].sent_bits_per_second = 0.94e6;
  record.workload.report.sums[0].sent_bytes = 1'175'000;
  add_interval(0);
  add_interval(2.1e6);
  set_device(1.2e6, 5e4);
  EXPECT_THAT(codes(), IsEmpty()) << "blocks of 128 KiB are 1.05 Mbit each";
}

TEST_F(NoiseOfARun, has_iperf3s_own_rate_where_none_is_given_for_udp) {
  spec.test.traffic.protocol = Protocol::udp;
  record.workload.report.sums[0].sent_bits_per_second = 0.5e6;
  const auto kept = rate_kept(spec, record.workload.report);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->asked, 1'048'576);
  EXPECT_TRUE(kept->missed);
  spec.test.traffic.bitrate = 0;
  EXPECT_FALSE(rate_kept(spec, record.workload.report)) << "as fast as it can";
}

TEST_F(NoiseOfARun, is_mean_frequency_where_cycles_are_counted) {
  add_counter("perf", "", "cycles", 6'000'000'000);
  add_counter("cpu", "", "busy", 2'000'000'000);
  EXPECT_THAT(codes(), IsEmpty());
  EXPECT_EQ(figure(noise::kFrequency), 3'000'000'000U);
}

TEST_F(NoiseOfARun, of_a_failed_run_has_figures_and_no_flags) {
  record.state = RunState::failed;
  set(noise::kStealThere, 5 * kSecond, "ns");
  EXPECT_THAT(codes(), IsEmpty());
  EXPECT_TRUE(figure(noise::kOthers));
}

TEST_F(NoiseOfARun, is_nothing_without_counters_or_for_imported_files) {
  record.counters.reset();
  EXPECT_THAT(codes(), IsEmpty());
  record.counters.emplace();
  spec.workload = imported_files();
  EXPECT_THAT(codes(), IsEmpty());
  EXPECT_THAT(record.counters->deltas, IsEmpty());
}

}  // namespace
}  // namespace netperfd::core
