// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/cpu_split.hpp"

#include <algorithm>
#include <cmath>

namespace netperfd::core {

CpuSplit split_cpu_time(const CpuReading& reading) {
  const std::uint64_t seen = std::max(reading.tasks, reading.own);
  CpuSplit split;
  split.busy = std::max(reading.busy, seen + reading.packet_threads);
  split.others = seen - reading.own;
  const std::uint64_t rest = split.busy - seen;
  split.kernel = std::min(rest, reading.packet_threads + reading.interrupts);
  split.unknown = rest - split.kernel;
  return split;
}

std::uint64_t unknown_error_ns(std::uint64_t tasks_ns, std::uint64_t all_ns, std::uint64_t moved) {
  constexpr double kTick = 1e7, kLeast = 5e7, kDeviations = 3;
  const auto tasks = static_cast<double>(std::min(tasks_ns, all_ns)), all = static_cast<double>(all_ns);
  // Samples of a CPU are binomial. A value that is cut to ticks has a twelfth of their square as variance,
  // and there are four of each task.
  const double sampled = all > 0 ? kTick * tasks * (all - tasks) / all : 0;
  const double cut = static_cast<double>(moved) * kTick * kTick / 3;
  return static_cast<std::uint64_t>(std::max(kLeast, kDeviations * std::sqrt(sampled + cut)));
}

}  // namespace netperfd::core
