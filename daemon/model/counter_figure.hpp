// SPDX-License-Identifier: GPL-2.0-or-later
// Figures that are read from the kernel's counters of a run, by their names:
//
//   counter.to-far@bottleneck.rx_packets          a device
//   counter.to-far/ethtool@bottleneck.rx0_drops   what its driver counts, such as its queues
//   counter.to-far/tbf@bottleneck.drops           its queueing disciplines of a kind
//   counter.netstat@left.TcpExtListenDrops        snmp, snmp6, netstat: a network namespace
//   counter.softnet.dropped                       the whole machine
//   counter.softnet/cpu0.dropped                  one of its CPUs
//
// The host's own namespace has no name: counter.eth0.rx_packets. A name is never taken apart, because devices
// and namespaces may have any of these signs in their names: it is compared with the names of what a run has.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/counters.hpp"
#include "daemon/model/figure_readings.hpp"
#include "daemon/model/named_figure.hpp"

namespace netperfd {

// What their names begin with, before the first '.'.
inline constexpr std::string_view kCounterFigures = "counter";
inline constexpr std::size_t kCounterFigureName = 200;  // bytes

[[nodiscard]] bool is_counter_figure(std::string_view name);
// Empty, or what is wrong with the name, as far as it tells.
[[nodiscard]] std::string wrong_counter_figure(std::string_view name);

// The name of the figure that is read from a counter; empty: there is none (figures of noise).
[[nodiscard]] std::string counter_figure_of(const CounterDelta& counter);
// The names of the figures of a device's queueing disciplines of a kind.
[[nodiscard]] std::vector<std::string> queue_figures_of(std::string_view device, std::string_view netns,
                                                        std::string_view kind);
// All that a run has, in no order.
[[nodiscard]] std::vector<std::string> counter_figures_of(const FigureReadings& run);

// Some of `names` that are like `name`: spelled nearly so, or of the same counter elsewhere.
[[nodiscard]] std::vector<std::string> nearest_counters(std::string_view name,
                                                        const std::vector<std::string>& names);

// The change of the counter over the time in which it changed, per second. Absent: the run does not have it.
// A counter that did not move is only stored of a job that has the figure.
[[nodiscard]] std::optional<double> counter_rate(const FigureReadings& run, std::string_view name);

// By the name alone. "nic", or another CounterDelta::source, or "qdisc".
[[nodiscard]] std::string_view source_of_counter(std::string_view name);
// bytes_per_second, ns_per_second (of CPU time) or per_second.
[[nodiscard]] std::string_view unit_of_counter(std::string_view name);
// Lower is better of what was lost, damaged or tried again, of CPU time and of interrupts; of other counters
// higher is.
[[nodiscard]] Better better_of_counter(std::string_view name);

}  // namespace netperfd
