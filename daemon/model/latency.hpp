// SPDX-License-Identifier: GPL-2.0-or-later
// What the probes of a run measured, and what a job asks of them.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "daemon/model/function_profile.hpp"
#include "dbus/rows/iperf3.hpp"
#include "dbus/rows/latency.hpp"

namespace netperfd {

inline constexpr std::array<std::string_view, 5> kLatencyPhases{"idle", "omitted", "load", "ending", "after"};
inline constexpr std::array<std::string_view, 4> kLatencySpans{"round-trip", "there", "back", "queued"};
inline constexpr std::array<std::string_view, 3> kProbeProtocols{"udp", "tcp", "icmp"};
inline constexpr std::string_view kRoundTrip = "round-trip";

// One stream of requests at a fixed rate, whether the earlier ones were answered or not.
struct ProbeSpec {
  std::string name = {};
  std::string protocol = "udp";     // udp, tcp or icmp
  std::uint32_t rate = 200;         // requests per second: five seconds have the 1,000 answers of a p99
  std::uint64_t length_bytes = 64;  // of a request, without headers
  std::string dscp = {};            // as in TestSpec

  bool operator==(const ProbeSpec&) const = default;
};

// The latency workload. Where it measures is in the job's TestSpec: server, local, netns, bind, ip_version.
struct LatencySpec {
  std::uint16_t port = 5202;                                         // of the server
  std::optional<std::chrono::milliseconds> duration = std::nullopt;  // of a job with latency alone
  std::chrono::milliseconds idle{2000};                              // before and after the load of iperf3
  std::chrono::milliseconds timeout{2000};                           // an answer that takes longer is lost
  std::chrono::milliseconds interval{1000};
  std::vector<ProbeSpec> probes = {};  // never none

  bool operator==(const LatencySpec&) const = default;
};

struct LatencySpan {
  rows::LatencySpan figures;
  Histogram histogram;

  bool operator==(const LatencySpan&) const = default;
};
template <>
inline constexpr auto rows::kFields<LatencySpan> =
    std::tuple{rows::field("figures", &netperfd::LatencySpan::figures),
               rows::field("histogram", &netperfd::LatencySpan::histogram)};
static_assert(rows::kDescribed<LatencySpan>);

struct LatencyReport {
  std::vector<rows::LatencyProbe> probes;
  std::vector<rows::LatencyPhase> phases;        // by probe, then by time
  std::vector<LatencySpan> spans;                // in the order of phases
  std::vector<rows::LatencyInterval> intervals;  // by probe, then by time

  bool operator==(const LatencyReport&) const = default;
};
template <>
inline constexpr auto rows::kFields<LatencyReport> =
    std::tuple{rows::field("probes", &netperfd::LatencyReport::probes),
               rows::field("phases", &netperfd::LatencyReport::phases),
               rows::field("spans", &netperfd::LatencyReport::spans),
               rows::field("latency_intervals", &netperfd::LatencyReport::intervals)};
static_assert(rows::kDescribed<LatencyReport>);

// What was read of the prober's output.
struct ParsedLatency {
  LatencyReport report;  // if there is an error, as much as could be read
  std::string error;     // empty exactly if it ended as it should
  std::vector<rows::Flag> flags;

  bool operator==(const ParsedLatency&) const = default;
};
template <>
inline constexpr auto rows::kFields<ParsedLatency> =
    std::tuple{rows::field("report", &netperfd::ParsedLatency::report),
               rows::field("error", &netperfd::ParsedLatency::error),
               rows::field("flags", &netperfd::ParsedLatency::flags)};
static_assert(rows::kDescribed<ParsedLatency>);

// What reading the prober's output needs to know.
struct LatencyOrder {
  std::vector<std::string> probes;  // their names, in the prober's order
  std::vector<std::string> phases;  // the names of those that were begun, in their order
  bool operator==(const LatencyOrder&) const = default;
};
template <>
inline constexpr auto rows::kFields<LatencyOrder> =
    std::tuple{rows::field("probes", &netperfd::LatencyOrder::probes),
               rows::field("phases", &netperfd::LatencyOrder::phases)};
static_assert(rows::kDescribed<LatencyOrder>);

}  // namespace netperfd
