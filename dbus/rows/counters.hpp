// SPDX-License-Identifier: GPL-2.0-or-later
// Counters of the kernel during a run, and the facts of its environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd::rows {

struct Counter {
  std::string source;
  std::optional<std::string> netns;  // absent: the host's own, or a counter of the whole machine
  std::string name;
  std::uint64_t delta = 0;
  std::optional<std::string> unit;  // absent: a number
};
template <>
inline constexpr auto kFields<Counter> =
    std::tuple{field("source", &Counter::source), field("netns", &Counter::netns),
               field("name", &Counter::name), field("delta", &Counter::delta), field("unit", &Counter::unit)};
static_assert(kDescribed<Counter>);

// TCP_INFO of one of the client's connections at one moment.
struct TcpSample {
  double time_s = 0;  // since the release
  std::optional<std::uint32_t> local_port, remote_port;
  std::optional<std::uint32_t> snd_cwnd;     // segments
  std::optional<std::uint32_t> rtt, rttvar;  // microseconds
  std::optional<std::uint64_t> retransmits;  // of the connection, so far
  std::optional<std::uint64_t> delivery_bits_per_second, pacing_bits_per_second;
};
template <>
inline constexpr auto kFields<TcpSample> =
    std::tuple{field("time_s", &TcpSample::time_s),
               field("local_port", &TcpSample::local_port),
               field("remote_port", &TcpSample::remote_port),
               field("snd_cwnd", &TcpSample::snd_cwnd, "segments"),
               field("rtt", &TcpSample::rtt, "us"),
               field("rttvar", &TcpSample::rttvar, "us"),
               field("retransmits", &TcpSample::retransmits),
               field("delivery_bits_per_second", &TcpSample::delivery_bits_per_second),
               field("pacing_bits_per_second", &TcpSample::pacing_bits_per_second)};
static_assert(kDescribed<TcpSample>);

// A queueing discipline of a device that the run's packets leave by, at one moment.
struct QueueSample {
  double time_s = 0;  // since the release
  std::string device;
  std::optional<std::string> netns;  // absent: the host's own
  std::string kind, handle, parent;
  std::uint64_t backlog_bytes = 0, backlog_packets = 0;
  std::uint64_t sent_bytes = 0, sent_packets = 0, drops = 0, overlimits = 0,
                requeues = 0;  // since the release
};
template <>
inline constexpr auto kFields<QueueSample> =
    std::tuple{field("time_s", &QueueSample::time_s),
               field("device", &QueueSample::device),
               field("netns", &QueueSample::netns),
               field("kind", &QueueSample::kind),
               field("handle", &QueueSample::handle),
               field("parent", &QueueSample::parent),
               field("backlog_bytes", &QueueSample::backlog_bytes),
               field("backlog_packets", &QueueSample::backlog_packets),
               field("sent_bytes", &QueueSample::sent_bytes),
               field("sent_packets", &QueueSample::sent_packets),
               field("drops", &QueueSample::drops),
               field("overlimits", &QueueSample::overlimits),
               field("requeues", &QueueSample::requeues)};
static_assert(kDescribed<QueueSample>);

struct Fact {
  std::string group, key, value;
};
template <>
inline constexpr auto kFields<Fact> =
    std::tuple{field("group", &Fact::group), field("key", &Fact::key), field("value", &Fact::value)};
static_assert(kDescribed<Fact>);

}  // namespace netperfd::rows
