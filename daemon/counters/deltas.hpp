// Readings before and after a run to what was counted in between.
#pragma once

#include <string>
#include <string_view>

#include "daemon/counters/readings.hpp"
#include "daemon/model/counters.hpp"

namespace netperfd::counters {

// Where readings come from, and what may be expected of them.
struct CounterKind {
  std::string_view source = {};  // as in CounterDelta
  std::string_view unit = {};    // of all; empty: as the name says ("rx_bytes")
  unsigned bits = 64;            // of the kernel's own number, which begins again at 0 after its highest
  bool begins_at_zero = false;   // a name that was not there before came with its first count
  bool holds_gauges = false;     // some may fall, and are no counters then
};

inline constexpr CounterKind kSnmp{.source = "snmp", .begins_at_zero = true};
inline constexpr CounterKind kNetstat{.source = "netstat", .begins_at_zero = true};
inline constexpr CounterKind kSnmp6{.source = "snmp6", .begins_at_zero = true};
inline constexpr CounterKind kSoftnet{.source = "softnet", .bits = 32};
inline constexpr CounterKind kSoftirqs{.source = "softirqs", .bits = 32};
inline constexpr CounterKind kInterrupts{.source = "interrupts", .bits = 32, .begins_at_zero = true};
inline constexpr CounterKind kCpu{.source = "cpu", .unit = "ns"};
inline constexpr CounterKind kNic{.source = "nic"};
inline constexpr CounterKind kEthtool{.source = "ethtool", .holds_gauges = true};
inline constexpr CounterKind kPerf{.source = "perf"};

// Adds a row a name, the sum over its CPUs, and a row "cpuN name" a CPU for the few names whose spread over
// the CPUs matters: what softnet counts, NET_RX and NET_TX, busy and idle. Of those that did not move only
// the ones are kept whose 0 says something (drops, retransmits, errors, timeouts). A counter of 32 bits that
// is lower than before has wrapped round. One of 64 bits is then another device's: it gets no row but a
// clause in Counters::unknown, like a counter that was not there all the time.
void add_deltas(const CounterKind& kind, std::string_view netns, const Readings& before,
                const Readings& after, Counters& counters);

}  // namespace netperfd::counters
