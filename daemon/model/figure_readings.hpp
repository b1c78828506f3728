// SPDX-License-Identifier: GPL-2.0-or-later
// What the figures of a run are read from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/counters.hpp"
#include "daemon/model/named_figure.hpp"
#include "dbus/rows/iperf3.hpp"
#include "dbus/rows/latency.hpp"

namespace netperfd {

// Of one run. Absent: unknown.
struct FigureReadings {
  std::vector<rows::Sum> sums = {};                               // one for each direction
  std::optional<double> received_bits_per_second = std::nullopt;  // over all directions
  std::optional<std::uint64_t> goodput_bytes = std::nullopt;      // with what iperf3 omits
  // CPU time of the workload and of the kernel's path of its packets: of the whole run, and of the part that
  // iperf3 counted.
  std::optional<std::uint64_t> cpu_ns = std::nullopt, counted_cpu_ns = std::nullopt;
  bool has_uncounted_part = false;
  bool has_end_apart = false;            // counted_cpu_ns is without iperf3's end
  std::vector<std::string> probes = {};  // their names, in their order
  std::vector<rows::LatencyPhase> phases = {};
  std::vector<rows::LatencySpan> round_trips = {};  // of spans, those alone
  std::vector<CounterDelta> counters = {};
  // Between the two readings of the counters, just before the release and after the end.
  std::optional<std::uint64_t> window_ns = std::nullopt;
  std::vector<QueueSample> queues = {};  // the last one of each queueing discipline
  // Of the client's device, in the direction of the data, over the whole run.
  std::optional<std::uint64_t> packets = std::nullopt;
  std::vector<NamedFigure> own = {};  // that its workload or its scenario brings
};

}  // namespace netperfd
