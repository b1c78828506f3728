// SPDX-License-Identifier: GPL-2.0-or-later
// Computes what was counted during a run from readings before and after it.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/counters/readings.hpp"
#include "daemon/model/counters.hpp"

namespace netperfd::counters {

// A source of readings and its properties.
struct CounterKind {
  std::string_view source = {};  // as in CounterDelta
  std::string_view unit = {};    // of all its counters; empty: given by the name ("rx_bytes")
  unsigned bits = 64;            // width of the kernel's own number, which wraps round to 0
  bool begins_at_zero = false;   // a name that was absent before started from 0
  bool holds_gauges = false;     // some may fall and are then not counters
  std::uint64_t rounding = 0;    // one that falls by no more has moved by less than it is read to
};

inline constexpr CounterKind kSnmp{.source = "snmp", .begins_at_zero = true};
inline constexpr CounterKind kNetstat{.source = "netstat", .begins_at_zero = true};
inline constexpr CounterKind kSnmp6{.source = "snmp6", .begins_at_zero = true};
inline constexpr CounterKind kSoftnet{.source = "softnet", .bits = 32};
inline constexpr CounterKind kSoftirqs{.source = "softirqs", .bits = 32};
inline constexpr CounterKind kInterrupts{.source = "interrupts", .bits = 32, .begins_at_zero = true};
// Busy is the time less idle and iowait, which the kernel tells in ticks of 10 ms (USER_HZ), each rounded
// down.
inline constexpr CounterKind kCpu{.source = "cpu", .unit = "ns", .rounding = 20'000'000};
inline constexpr CounterKind kNic{.source = "nic"};
inline constexpr CounterKind kEthtool{.source = "ethtool", .holds_gauges = true};
inline constexpr CounterKind kPerf{.source = "perf"};

// Counters that are kept though they did not move.
struct KeptZeros {
  bool expected = true;  // those whose 0 is informative: drops, retransmits, errors, timeouts
  std::set<std::string, std::less<>> figures = {};  // of a job (counter_figure.hpp)
};

// Adds a row for each name, the sum over its CPUs. For the few names whose spread over the CPUs matters
// (softnet's counters, NET_RX and NET_TX, busy and idle) it also adds a row "cpuN name" for each CPU.
// Of the counters that did not move, only `zeros` are kept.
// A 32-bit counter that is lower than before has wrapped round. A lower 64-bit counter belongs to another
// device: it gets no row but a clause in Counters::unknown, like a counter that was not there all the time.
void add_deltas(const CounterKind& kind, std::string_view netns, const Readings& before,
                const Readings& after, Counters& counters, const KeptZeros& zeros = {});
// The names of the figures that such readings give.
void add_figures(const CounterKind& kind, std::string_view netns, const Readings& readings,
                 std::vector<std::string>& names);

}  // namespace netperfd::counters
