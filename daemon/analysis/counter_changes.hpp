// Which of the kernel's counters moved with the change, per GB (10^9 bytes) of goodput.
//
// A counter is tested where at least half of the runs of both sides together have it and it is not the same
// in all: chosen blind to the sides.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/analysis/comparison.hpp"
#include "daemon/analysis/sampling.hpp"

namespace netperfd::analysis {

struct CounterChanges {
  // Those with q < 0.05, the least p first. Retransmits are there always, where anybody counted them. Of too
  // few runs for a test: the ten that moved farthest in proportion.
  std::vector<CounterChange> shown;
  std::uint32_t tested = 0;
};

// `sampling` is that of the throughput.
[[nodiscard]] CounterChanges counter_changes(const Sampling& sampling, double level);

}  // namespace netperfd::analysis
