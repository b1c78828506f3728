// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/latency/job/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include "daemon/model/figure.hpp"
#include "daemon/model/figure_registry.hpp"
#include "daemon/model/place_check.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/workload_problems.hpp"

namespace netperfd::workload {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::size_t kMaxProbes = 8;
constexpr std::size_t kMaxProbeName = 32;
constexpr std::uint32_t kMaxRate = 10'000;
constexpr std::uint64_t kMinProbeLength = 64;    // netperfd-echo's own header takes most of it
constexpr std::uint64_t kMaxProbeLength = 1400;  // one packet on every usual path
// What the prober writes of a run stays well below the 64 MiB that are kept of it.
constexpr double kMostOutputBytes = 48e6;
constexpr double kLineBytes = 500;
constexpr double kBucketBytes = 12;
constexpr double kMostBuckets = 400;  // of a span that lasts from 1 us to 10 ms

void check_name(const LatencySpec& latency, std::size_t at, WorkloadProblems& problems) {
  const std::string key = fmt::format("probes[{}].name", at);
  const std::string& name = latency.probes[at].name;
  if (!is_word(name, "_-", kMaxProbeName)) {
    problems.add_here(key, fmt::format("{} is no name of a probe: letters, digits, '_' and '-', at most {}",
                                       fmt::format("\"{}\"", name), kMaxProbeName));
  } else if (parse_latency_phase(name) || is_latency_statistic(name)) {
    problems.add_here(key, fmt::format("\"{}\" names a phase or a figure of every probe", name));
  }
  for (std::size_t other = 0; other < at; ++other) {
    if (latency.probes[other].name != name) continue;
    problems.add_here(key, fmt::format("\"{}\" is another probe's name already; give each its own", name));
    break;
  }
}

void check_probe(const ProbeSpec& probe, std::size_t at, WorkloadProblems& problems) {
  const auto key = [at](const char* part) { return fmt::format("probes[{}].{}", at, part); };
  if (std::ranges::find(kProbeProtocols, probe.protocol) == kProbeProtocols.end()) {
    problems.add_here(key("protocol"), fmt::format("\"{}\" is not one of udp, tcp or icmp", probe.protocol));
  }
  problems.require_range<std::uint32_t>(key("rate"), probe.rate, 1, kMaxRate);
  problems.require_range<std::uint64_t>(key("length"), probe.length_bytes, kMinProbeLength, kMaxProbeLength);
  if (!probe.dscp.empty() && !dscp_of(probe.dscp)) {
    problems.add_here(
        key("dscp"),
        fmt::format("\"{}\" is not a DSCP (0 to 63, or a name such as ef, af11, cs1)", probe.dscp));
  }
}

void check_output(const JobSpec& spec, WorkloadProblems& problems) {
  const LatencySpec& latency = *spec.latency;
  if (latency.interval < 100ms) return;  // reported already
  const std::chrono::duration<double> longest = planned_duration(spec).value_or(spec.limits.timeout);
  const std::chrono::duration<double> interval = latency.interval;
  double bytes = 0;
  for (const ProbeSpec& probe : latency.probes) {
    const double buckets = std::min(probe.rate * interval.count(), kMostBuckets);
    bytes += longest / interval *
             (kLineBytes + static_cast<double>(kLatencySpans.size()) * kBucketBytes * buckets);
  }
  if (bytes <= kMostOutputBytes) return;
  problems.add_here(
      "interval",
      fmt::format("{} makes about {:.0f} MB of output a run; at most {:.0f} MB are read, so choose "
                  "a longer one",
                  format_duration(latency.interval), bytes / 1e6, kMostOutputBytes / 1e6),
      {"duration", "probes"});
}

// Whether the probes are the whole workload.
bool are_alone(const JobSpec& spec) {
  return !spec.workload.makes_traffic;
}

const char* prefix_of(const JobSpec& spec) {
  return are_alone(spec) ? "workload.latency" : "with.latency";
}

}  // namespace

void add_port_of_probes(const JobSpec& spec, std::vector<PortOfJob>& ports) {
  if (!spec.latency) return;
  // A server of the run listens, whatever the probes are.
  const bool none = !spec.test.path.local &&
                    std::ranges::all_of(spec.latency->probes,
                                        [](const ProbeSpec& probe) { return probe.protocol == "icmp"; });
  if (!none) ports.push_back({fmt::format("{}.port", prefix_of(spec)), spec.latency->port});
}

std::vector<JobProblem> check_latency(const JobSpec& spec) {
  WorkloadProblems problems{prefix_of(spec)};
  if (!spec.latency) return problems.take();
  const LatencySpec& latency = *spec.latency;
  if (are_alone(spec)) {
    check_place(spec.test, problems);
    if (!latency.duration) {
      problems.add_here("duration", "is missing: how long to measure, like 10s");
    } else {
      problems.require_range("duration", *latency.duration, 1s, 24h);
    }
  } else {
    problems.require_range("idle", latency.idle, 500ms, 10min);
    if (spec.test.path.local && latency.port == spec.test.iperf3.port) {
      problems.add_here("port", fmt::format("{} is iperf3's own; each server needs its own", latency.port));
    }
  }
  if (latency.port == 0) problems.add_here("port", "0 is out of range (1 to 65535)");
  problems.require_range("timeout", latency.timeout, 10ms, 1min);
  problems.require_range("interval", latency.interval, 100ms, 1min);
  if (latency.probes.empty() || latency.probes.size() > kMaxProbes) {
    problems.add_here("probes",
                      fmt::format("has {} probes; 1 to {} are possible", latency.probes.size(), kMaxProbes));
    return problems.take();
  }
  for (std::size_t i = 0; i < latency.probes.size(); ++i) {
    check_name(latency, i, problems);
    check_probe(latency.probes[i], i, problems);
  }
  check_output(spec, problems);
  return problems.take();
}

}  // namespace netperfd::workload
