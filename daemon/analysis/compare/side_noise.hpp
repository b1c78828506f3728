// SPDX-License-Identifier: GPL-2.0-or-later
// The noise of the host on the two sides of a comparison (daemon/model/noise.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/figure_effect.hpp"
#include "daemon/analysis/compare/gates.hpp"
#include "daemon/model/counters.hpp"

namespace netperfd::analysis {

// The sides differ in noise if the shares of their flagged runs differ by more than this, or the medians of
// the shares of CPU time that others left, as a ratio, by more than 5 %. In both cases only if chance would
// make as much in fewer comparisons than this: noise that meets both sides alike is within the interval
// already.
constexpr double kMostUnevenFlags = 0.1;
constexpr double kMostUnevenLoad = 0.05;
constexpr double kLeastChance = 0.2;

// CPU time of the workload and of the kernel's path of its packets: `busy_ns` without steal, and without what
// other processes, seen or not, and netperfd took. Time of others that was stolen is taken off once.
// Interrupts over another process count as that process's time. If `counters` do not tell the time of others,
// it is in the result.
[[nodiscard]] std::uint64_t own_cpu_ns(std::uint64_t busy_ns, const std::vector<CounterDelta>& counters);

// The same of the part of the run that iperf3 counted, as its throughput is. Absent if `counters` do not tell
// what was before and after it.
[[nodiscard]] std::optional<std::uint64_t> counted_cpu_ns(std::uint64_t busy_ns,
                                                          const std::vector<CounterDelta>& counters);

[[nodiscard]] bool is_noisy(const ComparedRun& run);

// The runs without the blocks in which any of these runs is noisy, or without the noisy runs if they are not
// in blocks.
[[nodiscard]] FigureRuns quiet_runs(const FigureRuns& runs);

// Gate 7a of gates.hpp: if the sides differ in noise, a verdict must hold without the noisy blocks. If these
// leave too few, or still differ in the load of others, the verdict on a rate must hold beyond what this load
// can have made. A workload that uses all that others leave it makes 1 - a of what it would make alone, where
// `a` is the share that others took of its CPUs in that run. So the verdict must be the same if the rate of
// each run is divided by 1 - a, and if it is multiplied by it: the sign is not trusted, since a change can
// itself make others run. This takes the load as alike on all CPUs of the workload, and says nothing of other
// noise, such as heat, or of other figures, such as latency. Of noise that leaves the verdict, it adds a
// caveat.
[[nodiscard]] Objection uneven_noise(const GatedFigure& judged);

}  // namespace netperfd::analysis
