// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's counters over a run: after minus before, in the run's network namespaces.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd {

// A kernel counter that only grows. Of those that did not move, only the ones that a reader expects are kept
// (daemon/counters selects them).
struct CounterDelta {
  // snmp, netstat, snmp6, softnet, softirqs, interrupts, cpu, nic (counters of every device), ethtool (added
  // by the driver), perf, noise (figures of daemon/model/noise.hpp)
  std::string source;
  std::string netns;  // empty: the host's own, or a counter for the whole machine
  // The kernel's own name: "TcpRetransSegs", "veth0 tx_packets". For counters of CPUs it is the sum
  // ("NET_RX"); for some there is also one row per CPU ("cpu0 NET_RX").
  std::string name;
  std::uint64_t delta = 0;
  std::string unit;  // empty: a number; "ns", "bytes", "Hz", "bits_per_second"

  bool operator==(const CounterDelta&) const = default;
};
template <>
inline constexpr auto rows::kFields<CounterDelta> = std::tuple{
    rows::field("source", &netperfd::CounterDelta::source),
    rows::field("netns", &netperfd::CounterDelta::netns), rows::field("name", &netperfd::CounterDelta::name),
    rows::field("delta", &netperfd::CounterDelta::delta), rows::field("unit", &netperfd::CounterDelta::unit)};
static_assert(rows::kDescribed<CounterDelta>);

// TCP_INFO of one of the client's sockets at one moment, read by inet_diag inside its namespace.
struct TcpSample {
  std::chrono::microseconds time{0};  // since the release
  std::uint16_t local_port = 0;
  std::uint16_t remote_port = 0;
  std::uint32_t snd_cwnd = 0;  // segments
  std::uint32_t rtt_us = 0, rttvar_us = 0;
  std::uint64_t retransmits = 0;                   // of the connection, up to now
  std::optional<std::uint64_t> delivery_rate_bps;  // bits per second; absent: not reported by this kernel
  std::optional<std::uint64_t> pacing_rate_bps;    // also absent if unlimited

  bool operator==(const TcpSample&) const = default;
};
template <>
inline constexpr auto rows::kFields<TcpSample> =
    std::tuple{rows::field("time_us", &netperfd::TcpSample::time),
               rows::field("local_port", &netperfd::TcpSample::local_port),
               rows::field("remote_port", &netperfd::TcpSample::remote_port),
               rows::field("snd_cwnd", &netperfd::TcpSample::snd_cwnd),
               rows::field("rtt_us", &netperfd::TcpSample::rtt_us),
               rows::field("rttvar_us", &netperfd::TcpSample::rttvar_us),
               rows::field("retransmits", &netperfd::TcpSample::retransmits),
               rows::field("delivery_rate_bps", &netperfd::TcpSample::delivery_rate_bps),
               rows::field("pacing_rate_bps", &netperfd::TcpSample::pacing_rate_bps)};
static_assert(rows::kDescribed<TcpSample>);

// A queueing discipline of a device that the run's packets leave by, at one moment.
struct QueueSample {
  std::chrono::microseconds time{0};  // since the release
  std::string device;
  std::string netns;   // empty: the host's own
  std::string kind;    // "tbf"
  std::string handle;  // "1:"
  std::string parent;  // "root", or the class of another one: "1:1"
  std::uint64_t backlog_bytes = 0, backlog_packets = 0;
  // Since the release.
  std::uint64_t sent_bytes = 0, sent_packets = 0, drops = 0, overlimits = 0, requeues = 0;

  bool operator==(const QueueSample&) const = default;
};
template <>
inline constexpr auto rows::kFields<QueueSample> =
    std::tuple{rows::field("time_us", &netperfd::QueueSample::time),
               rows::field("device", &netperfd::QueueSample::device),
               rows::field("netns", &netperfd::QueueSample::netns),
               rows::field("kind", &netperfd::QueueSample::kind),
               rows::field("handle", &netperfd::QueueSample::handle),
               rows::field("parent", &netperfd::QueueSample::parent),
               rows::field("backlog_bytes", &netperfd::QueueSample::backlog_bytes),
               rows::field("backlog_packets", &netperfd::QueueSample::backlog_packets),
               rows::field("sent_bytes", &netperfd::QueueSample::sent_bytes),
               rows::field("sent_packets", &netperfd::QueueSample::sent_packets),
               rows::field("drops", &netperfd::QueueSample::drops),
               rows::field("overlimits", &netperfd::QueueSample::overlimits),
               rows::field("requeues", &netperfd::QueueSample::requeues)};
static_assert(rows::kDescribed<QueueSample>);

struct Counters {
  std::vector<CounterDelta> deltas;  // by source, netns and name
  std::vector<TcpSample> tcp;        // by time
  std::vector<QueueSample> queues;   // by time
  std::vector<std::string> unknown;  // unreadable sources, a clause each: "perf: not available here: ..."

  bool operator==(const Counters&) const = default;
};

}  // namespace netperfd
