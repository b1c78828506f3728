// SPDX-License-Identifier: GPL-2.0-or-later
// Selects the kernel counters that moved with the change, per GB (10^9 bytes) of goodput, per packet or per
// transaction (ComparedRun::work).
//
// A counter is tested if at least half of the runs of both sides together have it and its values are not all
// equal. The choice is blind to the sides.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/grouping.hpp"

namespace netperfd::analysis {

struct CounterChanges {
  // Those with q < 0.05, the smallest p first. Retransmits are always there if they were counted. If there
  // are too few runs for a test: the ten with the largest relative change.
  std::vector<CounterChange> shown;
  std::uint32_t tested = 0;
};

// `grouping` is that of the throughput. q is multiplied by `looks`.
[[nodiscard]] CounterChanges counter_changes(const Grouping& grouping, double level, double looks = 1);

}  // namespace netperfd::analysis
