// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/run_noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/core/run/cpu_split.hpp"
#include "daemon/model/noise.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::core {
namespace {

constexpr double kNs = 1e9;
constexpr double kBits = 8;

double seconds_of(std::uint64_t ns) {
  return static_cast<double>(ns) / kNs;
}

std::string percent(double share) {
  return rows::plain_percent(100 * share, 3) + " %";
}

std::string megabits(double bits_per_second) {
  return rows::plain_number(bits_per_second / 1e6, 4) + " Mbit/s";
}

bool goes(const JobSpec& spec, Direction direction) {
  return spec.test.traffic.direction == Direction::both || spec.test.traffic.direction == direction;
}

std::optional<std::uint64_t> counted(const Counters& counters, std::string_view source,
                                     std::string_view netns, std::string_view name) {
  const auto found = std::ranges::find_if(counters.deltas, [&](const CounterDelta& each) {
    return each.source == source && each.netns == netns && each.name == name;
  });
  return found == counters.deltas.end() ? std::nullopt : std::optional{found->delta};
}

std::uint64_t ns_of(const ResourceUsage& usage) {
  return static_cast<std::uint64_t>((usage.user + usage.system).count()) * 1000;
}

// The payload of a direction with its omitted part.
std::optional<double> payload(const WorkloadReport& report, Direction direction) {
  double all = 0, omitted = 0;
  bool known = false;
  for (const Interval& interval : report.intervals) {
    if (interval.direction != direction || interval.stream || !interval.bytes) continue;
    known = true;
    all += static_cast<double>(*interval.bytes);
    if (interval.omitted) omitted += static_cast<double>(*interval.bytes);
  }
  for (const Totals& sum : report.sums) {
    if (sum.direction != direction || !sum.sent_bytes) continue;
    known = true;
    all = std::max(all, omitted + static_cast<double>(*sum.sent_bytes));
  }
  return known ? std::optional{all} : std::nullopt;
}

// Collects the figures of one record, then its flags.
class NoiseOfRun {
 public:
  NoiseOfRun(const JobSpec& spec, RunRecord& record)
      : spec_(spec), record_(record), counters_(*record.counters) {}

  void add_figures() {
    add_cpu_split();
    add_frequency();
    add_traffic();
    rate_ = rate_kept(spec_, record_.workload.report);
    if (rate_) {
      add(noise::kAskedRate, rate_->asked, "bits_per_second");
      add(noise::kSentRate, rate_->sent, "bits_per_second");
    }
    std::ranges::sort(counters_.deltas, {}, [](const CounterDelta& delta) {
      return std::tie(delta.source, delta.netns, delta.name);
    });
  }

  void add_flags() {
    flag_load();
    flag_unknown_load();
    flag_steal();
    flag_throttling();
    flag_traffic();
    flag_machine();
    flag_rate();
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> figure(std::string_view name) const {
    return noise::figure(counters_.deltas, name);
  }
  void add(std::string_view name, double value, std::string_view unit) {
    counters_.deltas.push_back(
        noise::counter_of(name, static_cast<std::uint64_t>(std::max(value, 0.0)), unit));
  }
  // If there is such a figure.
  void change(std::string_view name, std::uint64_t value) {
    for (CounterDelta& each : counters_.deltas) {
      if (each.source == noise::kSource && each.name == name) each.delta = value;
    }
  }
  void flag(std::string_view code, std::string message) {
    record_.flags.push_back({std::string{code}, std::move(message)});
  }
  // Seconds of the window, and of all of the workload's CPUs in it; 0: unknown.
  [[nodiscard]] double window() const { return seconds_of(figure(noise::kWindow).value_or(0)); }
  [[nodiscard]] double cpu_seconds() const {
    return window() * static_cast<double>(figure(noise::kCpus).value_or(0));
  }

  // ns of the workload. Absent: one of its processes did not tell.
  [[nodiscard]] std::optional<std::uint64_t> workload() const {
    const auto& [client, server] = std::tie(record_.workload.client_usage, record_.workload.server_usage);
    if (!client || (spec_.test.path.local && !server)) return std::nullopt;
    const auto& probes = record_.workload.probes_usage;
    return ns_of(*client) + (server ? ns_of(*server) : 0) + (probes ? ns_of(*probes) : 0);
  }

  void add_cpu_split() {
    const auto tasks = figure(noise::kTasks);
    if (!tasks) return;
    const auto own = workload();
    if (own) {
      add(noise::kWorkload, static_cast<double>(*own), "ns");
    } else {
      counters_.unknown.push_back(
          fmt::format("noise: others: not available here: {}", spec_.workload.runs_processes
                                                                   ? "the workload's own time is unknown"
                                                                   : "the workload is not netperfd's"));
    }
    const auto busy = figure(noise::kBusy);
    const CpuSplit split = split_cpu_time({.busy = busy.value_or(0),
                                           .interrupts = figure(noise::kInterrupts).value_or(0),
                                           .tasks = *tasks,
                                           .packet_threads = figure(noise::kPacketThreads).value_or(0),
                                           .own = own ? *own + figure(noise::kNetperfd).value_or(0) : 0});
    if (own) add(noise::kOthers, static_cast<double>(split.others), "ns");
    if (busy) {
      change(noise::kBusy, split.busy);
      add(noise::kKernel, static_cast<double>(split.kernel), "ns");
      add(noise::kUnknown, static_cast<double>(split.unknown), "ns");
    }
    add_on_its_cpus(own ? split.others : 0, split.unknown);
  }

  // On these CPUs is at most what was read there, or all if there are no other CPUs.
  void add_on_its_cpus(std::uint64_t others, std::uint64_t unknown) {
    const auto read = figure(noise::kOthersThere);
    const bool all = !read || figure(noise::kCpus) == figure(noise::kOnlineCpus);
    const auto there = [&](std::uint64_t time) { return all ? time : std::min(time, *read); };
    foreign_there_ = there(others + unknown);
    if (figure(noise::kUnknown))
      add(noise::kUnknownThere, static_cast<double>(foreign_there_ - there(others)), "ns");
    if (figure(noise::kOthers)) change(noise::kOthersThere, there(others));
  }

  void add_frequency() {
    const auto cycles = counted(counters_, "perf", "", "cycles");
    const auto busy = noise::busy_ns(counters_.deltas);
    if (cycles && busy && *busy > 0)
      add(noise::kFrequency, static_cast<double>(*cycles) / seconds_of(*busy), "Hz");
  }

  void add_traffic() {
    const auto own = own_bytes(spec_, record_);
    if (!own || !record_.traffic.packets) return;
    const PacketCount& device = *record_.traffic.packets;
    const auto bytes = [&](const char* name) {
      return static_cast<double>(
          counted(counters_, "nic", device.netns, fmt::format("{} {}", device.device, name)).value_or(0));
    };
    const double sent = bytes("tx_bytes"), received = bytes("rx_bytes");
    if (sent + received <= 0) return;
    add(noise::kDeviceBytes, sent + received, "bytes");
    add(noise::kForeignBytes, std::max(sent - own->sent, 0.0) + std::max(received - own->received, 0.0),
        "bytes");
  }

  void flag_load() {
    const auto others = figure(noise::kOthers);
    const double there = seconds_of(figure(noise::kOthersThere).value_or(others.value_or(0)));
    if (!others || cpu_seconds() <= 0) return;
    const double share = there / cpu_seconds();
    if (share < kLeastForeignLoad || there < kLeastForeignLoadS) return;
    load_flagged_ = true;
    flag(
        noise::kForeignLoad,
        fmt::format("other processes took {} of the time of the workload's CPUs ({:.2f} s of CPU time there, "
                    "{:.2f} s on all CPUs)",
                    percent(share), there, seconds_of(*others)));
  }

  // What would have been a flag if the tasks had been seen. Those that were seen count too, unless they have
  // a flag of their own.
  void flag_unknown_load() {
    const auto unknown = figure(noise::kUnknown), error = figure(noise::kUnknownError);
    if (!spec_.workload.runs_processes || !unknown || !error || *unknown < *error) return;
    const std::uint64_t there = figure(noise::kUnknownThere).value_or(0);
    const double foreign = seconds_of(load_flagged_ ? there : foreign_there_);
    if (cpu_seconds() <= 0 || seconds_of(there) < kLeastForeignLoadS ||
        foreign / cpu_seconds() < kLeastForeignLoad) {
      return;
    }
    flag(noise::kUnknownLoad,
         fmt::format(
             "tasks that netperfd does not see took {} of the time of the workload's CPUs ({:.2f} s of "
             "CPU time there, {:.2f} s on all CPUs, known to {:.2f} s): in another PID namespace, as "
             "in a container, hidden by hidepid, or short-lived",
             percent(seconds_of(there) / cpu_seconds()), seconds_of(there), seconds_of(*unknown),
             seconds_of(*error)));
  }

  void flag_steal() {
    const double steal = seconds_of(figure(noise::kStealThere).value_or(0));
    if (cpu_seconds() <= 0 || steal < kLeastStealS || steal / cpu_seconds() < kLeastSteal) return;
    flag(noise::kStolen, fmt::format("the hypervisor took {} of the time of the workload's CPUs ({:.2f} s)",
                                     percent(steal / cpu_seconds()), steal));
  }

  void flag_throttling() {
    const double throttled = seconds_of(figure(noise::kThrottled).value_or(0));
    if (window() > 0 && throttled / window() >= kLeastThrottled) {
      flag(noise::kSlowed,
           fmt::format("the CPU limit of the workload's cgroup held it for {:.2f} s, summed over the CPUs",
                       throttled));
    }
    const std::uint64_t heat = figure(noise::kHeat).value_or(0);
    if (heat > 0) flag(noise::kSlowed, fmt::format("heat slowed the CPUs {} times", heat));
  }

  void flag_traffic() {
    const double foreign = static_cast<double>(figure(noise::kForeignBytes).value_or(0));
    const double all = static_cast<double>(figure(noise::kDeviceBytes).value_or(0));
    if (all <= 0 || window() <= 0 || foreign < kLeastForeignBytes || foreign / all < kLeastForeignTraffic)
      return;
    flag(noise::kForeignTraffic,
         fmt::format("at least {} of the bytes at {} were not the workload's: {}", percent(foreign / all),
                     record_.traffic.packets->device, megabits(kBits * foreign / window())));
  }

  void flag_machine() {
    const std::uint64_t moved = figure(noise::kMovedIrqs).value_or(0);
    if (moved > 0)
      flag(noise::kIrqsMoved, fmt::format("{} interrupts were moved to other CPUs during the run", moved));
    const auto stall = figure(noise::kMemoryStall);
    const std::uint64_t reclaims = figure(noise::kReclaims).value_or(0);
    if (stall && window() > 0 && seconds_of(*stall) / window() >= kLeastMemoryStall) {
      flag(noise::kMemoryPressure,
           fmt::format("tasks waited for memory in {} of the time", percent(seconds_of(*stall) / window())));
    } else if (!stall && reclaims > 0) {
      flag(noise::kMemoryPressure,
           fmt::format("tasks had to free memory before they got some, {} times", reclaims));
    }
  }

  void flag_rate() {
    if (!rate_ || !rate_->missed) return;
    std::string range;
    if (rate_->range) {
      range = fmt::format(", in the intervals from {} to {}", megabits(rate_->range->lowest),
                          megabits(rate_->range->highest));
    }
    flag(noise::kRateMissed,
         fmt::format("{} were asked and {} sent{}", megabits(rate_->asked), megabits(rate_->sent), range));
  }

  const JobSpec& spec_;
  RunRecord& record_;
  Counters& counters_;
  std::uint64_t foreign_there_ = 0;  // ns of others and unknown tasks on the workload's CPUs
  bool load_flagged_ = false;
  std::optional<RateKept> rate_;
};

std::optional<RateRange> range_of(const WorkloadReport& report, Direction direction) {
  constexpr double kWhole = 0.9;  // seconds: shorter ones show the grain of the sender's timer
  std::optional<RateRange> range;
  for (const Interval& interval : report.intervals) {
    if (interval.direction != direction || interval.stream || !interval.sender || interval.omitted) continue;
    if (!interval.bits_per_second || interval.seconds < kWhole) continue;
    const double rate = *interval.bits_per_second;
    if (!range) range = RateRange{rate, rate};
    range->lowest = std::min(range->lowest, rate);
    range->highest = std::max(range->highest, rate);
  }
  return range;
}

}  // namespace

std::optional<RateKept> rate_kept(const JobSpec& spec, const WorkloadReport& report) {
  constexpr double kUdpRate = 1024.0 * 1024.0;  // iperf3's default
  constexpr double kTcpBlock = 128.0 * 1024.0, kDatagram = 1460;
  const bool udp = spec.test.traffic.protocol == Protocol::udp;
  const double each = spec.test.traffic.bitrate ? static_cast<double>(*spec.test.traffic.bitrate)
                      : udp                     ? kUdpRate
                                                : 0;
  if (each <= 0) return std::nullopt;
  const double streams = spec.test.traffic.streams;
  std::optional<RateKept> worst;
  for (const Totals& sum : report.sums) {
    if (!sum.sent_bits_per_second || sum.seconds.value_or(0) <= 0) continue;
    RateKept kept{.asked = each * streams, .sent = *sum.sent_bits_per_second, .range = std::nullopt};
    kept.range = range_of(report, sum.direction);
    const double length = spec.test.iperf3.length_bytes ? static_cast<double>(*spec.test.iperf3.length_bytes)
                          : udp                         ? kDatagram
                                                        : kTcpBlock;
    kept.block = kBits * length * streams;
    const double least = kLeastSentShare * kept.asked - 2 * kept.block / *sum.seconds;
    const double error = kMostIntervalError * kept.asked + 2 * kept.block;
    kept.missed =
        kept.sent < least ||
        (kept.range && (kept.range->lowest < kept.asked - error || kept.range->highest > kept.asked + error));
    if (!worst || kept.sent < worst->sent) worst = kept;
  }
  return worst;
}

namespace {

// Of the probes, one way; a server answers with as much. The second header is that of TCP's acknowledgement.
double probe_bytes(const WorkloadResult& workload, double headers) {
  double bytes = 0;
  if (!workload.latency) return bytes;
  for (const rows::LatencyPhase& phase : workload.latency->phases) {
    const auto probe = std::ranges::find(workload.latency->probes, phase.probe, &rows::LatencyProbe::name);
    if (probe == workload.latency->probes.end()) continue;
    bytes += static_cast<double>(phase.sent) * (probe->length + 2 * headers);
  }
  return bytes;
}

}  // namespace

std::optional<OwnBytes> own_bytes(const JobSpec& spec, const RunRecord& record) {
  // Ethernet with VLAN tag 18, IPv6 40, TCP with its options 60, or less.
  constexpr double kHeaders = 118;
  constexpr double kDatagram = 1400, kSmallestMss = 536;
  constexpr double kUnread = 8e6;  // bytes of a stream that the client had received and never read
  constexpr double kControl = 200'000;
  // How many bytes the commands of a scenario move, nobody tells.
  if (spec.command) return std::nullopt;
  const WorkloadReport& report = record.workload.report;
  const bool tcp = spec.test.traffic.protocol != Protocol::udp;
  const auto bytes_of = [&](Direction direction) {
    return spec.workload.makes_traffic && goes(spec, direction) ? payload(report, direction) : 0;
  };
  const auto out = bytes_of(Direction::send);
  auto in = bytes_of(Direction::receive);
  if (!out || !in || !record.counters || !record.traffic.packets || !spec.workload.runs_processes)
    return std::nullopt;
  const double segment =
      tcp ? report.mss_bytes ? std::max(1.0, static_cast<double>(*report.mss_bytes)) : kSmallestMss
      : spec.test.iperf3.length_bytes ? std::max(1.0, static_cast<double>(*spec.test.iperf3.length_bytes))
                                      : kDatagram;
  if (*in > 0) *in += kUnread * spec.test.traffic.streams;
  const std::string& netns = record.traffic.packets->netns;
  double again_out = 0, again_in = 0;
  if (tcp) {
    again_out = static_cast<double>(counted(*record.counters, "snmp", netns, "TcpRetransSegs").value_or(0));
    for (const Totals& sum : report.sums) {
      if (sum.direction == Direction::receive) again_in += static_cast<double>(sum.retransmits.value_or(0));
    }
  }
  const auto data = [&](double bytes, double again) {
    return bytes * (1 + kHeaders / segment) + again * (segment + kHeaders);
  };
  // At most one acknowledgement for each segment.
  const double answers = tcp ? kHeaders / segment : 0;
  OwnBytes own{.sent = data(*out, again_out) + *in * answers + kControl,
               .received = data(*in, again_in) + *out * answers + kControl};
  const double probes = probe_bytes(record.workload, kHeaders);
  own.sent += probes;
  own.received += probes;
  if (record.traffic.packets->device == "lo") own.sent = own.received = own.sent + own.received;
  return own;
}

void add_noise(const JobSpec& spec, RunRecord& record) {
  if (spec.workload.of_files || !record.counters) return;
  NoiseOfRun noise{spec, record};
  noise.add_figures();
  if (record.state == RunState::finished) noise.add_flags();
}

}  // namespace netperfd::core
