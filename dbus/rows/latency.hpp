// SPDX-License-Identifier: GPL-2.0-or-later
// Latency of a run, as its probes saw it. Times ending in _s count from the release of the run's client. A
// percentile is absent if fewer than ten values lie beyond it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd::rows {

struct LatencyProbe {
  std::string name;                   // unique in its run
  std::string protocol;               // udp, tcp or icmp
  double rate = 0;                    // requests per second, as asked
  std::uint32_t length = 0;           // of a request, without headers
  std::optional<std::uint32_t> dscp;  // 0 to 63
  std::string timestamps;  // who took the time of an answer: device, kernel or program; empty: none came
  std::uint64_t clock_steps = 0;      // how often the wall clock was set while a request was on its way
  std::uint64_t foreign_packets = 0;  // that answered no request

  bool operator==(const LatencyProbe&) const = default;
};
template <>
inline constexpr auto kFields<LatencyProbe> =
    std::tuple{field("name", &LatencyProbe::name),
               field("protocol", &LatencyProbe::protocol),
               field("rate", &LatencyProbe::rate, "per_second"),
               field("length", &LatencyProbe::length, "bytes"),
               field("dscp", &LatencyProbe::dscp),
               field("timestamps", &LatencyProbe::timestamps),
               field("clock_steps", &LatencyProbe::clock_steps),
               field("foreign_packets", &LatencyProbe::foreign_packets)};
static_assert(kDescribed<LatencyProbe>);

// What became of the requests that a probe sent in one phase.
struct LatencyPhase {
  std::string probe;
  std::string phase;  // idle, omitted, load, ending or after
  double start_s = 0, end_s = 0;
  std::uint64_t sent = 0;
  std::uint64_t missed = 0;      // not sent: the prober had no CPU in time, or its socket no room
  std::uint64_t late_sends = 0;  // of `sent`: more than 1 ms after their time
  std::uint64_t max_send_delay_ns = 0;
  std::uint64_t received = 0;  // answered in time, each counted once
  std::uint64_t lost = 0;      // not answered in time
  std::uint64_t late = 0;      // answers after the timeout; their requests are lost
  std::uint64_t duplicates = 0;
  std::uint64_t reordered = 0;  // answered after a request that was sent later (RFC 4737)
  std::optional<std::uint64_t>
      jitter_ns;  // mean difference of the round trips of consecutive answers (RFC 3393)

  bool operator==(const LatencyPhase&) const = default;
};
template <>
inline constexpr auto kFields<LatencyPhase> =
    std::tuple{field("probe", &LatencyPhase::probe),
               field("phase", &LatencyPhase::phase),
               field("start_s", &LatencyPhase::start_s),
               field("end_s", &LatencyPhase::end_s),
               field("sent", &LatencyPhase::sent),
               field("missed", &LatencyPhase::missed),
               field("late_sends", &LatencyPhase::late_sends),
               field("max_send_delay_ns", &LatencyPhase::max_send_delay_ns),
               field("received", &LatencyPhase::received),
               field("lost", &LatencyPhase::lost),
               field("late", &LatencyPhase::late),
               field("duplicates", &LatencyPhase::duplicates),
               field("reordered", &LatencyPhase::reordered),
               field("jitter_ns", &LatencyPhase::jitter_ns)};
static_assert(kDescribed<LatencyPhase>);

// The distribution of one span of the way of a probe's requests, in one phase.
struct LatencySpan {
  std::string probe;
  std::string phase;
  // round-trip: from before the request was given to the kernel until the answer arrived. there, back: of
  // that, until it arrived at the server, and from there on; only if both ends have one clock. queued: until
  // the device's driver took the request.
  std::string span;
  std::uint64_t count = 0;
  std::uint64_t min_ns = 0, mean_ns = 0, max_ns = 0;
  std::optional<std::uint64_t> p50_ns, p90_ns, p99_ns, p999_ns;

  bool operator==(const LatencySpan&) const = default;
};
template <>
inline constexpr auto kFields<LatencySpan> =
    std::tuple{field("probe", &LatencySpan::probe),    field("phase", &LatencySpan::phase),
               field("span", &LatencySpan::span),      field("count", &LatencySpan::count),
               field("min_ns", &LatencySpan::min_ns),  field("mean_ns", &LatencySpan::mean_ns),
               field("max_ns", &LatencySpan::max_ns),  field("p50_ns", &LatencySpan::p50_ns),
               field("p90_ns", &LatencySpan::p90_ns),  field("p99_ns", &LatencySpan::p99_ns),
               field("p999_ns", &LatencySpan::p999_ns)};
static_assert(kDescribed<LatencySpan>);

// The round trips of one probe over a stretch of time, which ends early at the end of a phase.
struct LatencyInterval {
  std::string probe;
  std::string phase;
  double start_s = 0, end_s = 0;
  std::uint64_t sent = 0, missed = 0, received = 0, lost = 0;
  // Absent: no answer came, or too few for a percentile.
  std::optional<std::uint64_t> min_ns, p50_ns, p99_ns, max_ns;

  bool operator==(const LatencyInterval&) const = default;
};
template <>
inline constexpr auto kFields<LatencyInterval> =
    std::tuple{field("probe", &LatencyInterval::probe),       field("phase", &LatencyInterval::phase),
               field("start_s", &LatencyInterval::start_s),   field("end_s", &LatencyInterval::end_s),
               field("sent", &LatencyInterval::sent),         field("missed", &LatencyInterval::missed),
               field("received", &LatencyInterval::received), field("lost", &LatencyInterval::lost),
               field("min_ns", &LatencyInterval::min_ns),     field("p50_ns", &LatencyInterval::p50_ns),
               field("p99_ns", &LatencyInterval::p99_ns),     field("max_ns", &LatencyInterval::max_ns)};
static_assert(kDescribed<LatencyInterval>);

// How many values of a span of a phase were so long.
struct LatencyBucket {
  std::uint64_t from_ns = 0, to_ns = 0;  // from inclusive, to exclusive
  std::uint64_t count = 0;

  bool operator==(const LatencyBucket&) const = default;
};
template <>
inline constexpr auto kFields<LatencyBucket> =
    std::tuple{field("from_ns", &LatencyBucket::from_ns), field("to_ns", &LatencyBucket::to_ns),
               field("count", &LatencyBucket::count)};
static_assert(kDescribed<LatencyBucket>);

}  // namespace netperfd::rows
