// What the kernel counted while a run went on: after minus before, in the run's network namespaces.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace netperfd {

// A monotonic kernel number. Of those that did not move only the ones a reader expects are kept
// (counters/: which).
struct CounterDelta {
  // snmp, netstat, snmp6, softnet, softirqs, interrupts, cpu, nic (what every device counts), ethtool (what
  // its driver adds), perf
  std::string source;
  std::string netns;  // empty: the host's own, or a counter that is of the whole machine
  // The kernel's own words: "TcpRetransSegs", "veth0 tx_packets"; the sum over the CPUs ("NET_RX") or, of
  // some, beside it that of one ("cpu0 NET_RX").
  std::string name;
  std::uint64_t delta = 0;
  std::string unit;  // empty: a number; "ns", "bytes"

  bool operator==(const CounterDelta&) const = default;
};

// TCP_INFO of one of the client's sockets at one moment, by inet_diag inside its namespace.
struct TcpSample {
  std::chrono::microseconds time{0};  // since the release
  std::uint16_t local_port = 0;
  std::uint16_t remote_port = 0;
  std::uint32_t snd_cwnd = 0;  // segments
  std::uint32_t rtt_us = 0, rttvar_us = 0;
  std::uint64_t retransmits = 0;                   // of the connection, so far
  std::optional<std::uint64_t> delivery_rate_bps;  // bits per second; absent: this kernel does not tell
  std::optional<std::uint64_t> pacing_rate_bps;    // absent too: not limited

  bool operator==(const TcpSample&) const = default;
};

struct Counters {
  std::vector<CounterDelta> deltas;  // by source, netns and name
  std::vector<TcpSample> tcp;        // by time
  std::vector<std::string> unknown;  // what could not be read, a clause each: "perf: not available here: ..."

  bool operator==(const Counters&) const = default;
};

}  // namespace netperfd
