// SPDX-License-Identifier: GPL-2.0-or-later
// What the CPUs did in the sampled runs of two sides, as one tree of call paths: where is the difference in
// CPU time?
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/model/comparison.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/sample_profile.hpp"
#include "daemon/model/work_unit.hpp"

namespace netperfd {

// A path of frames: that of the frame before it with a smaller depth, and its own frame. CPU times are in ns
// per unit of work.
struct FrameDelta {
  std::uint32_t depth = 0;          // 0: the first one, of all paths
  SampleFrame frame = {};           // A's, or B's if only B has it; of depth 0 without a name
  double self_a = 0, self_b = 0;    // in this very frame, mean over the runs
  double total_a = 0, total_b = 0;  // in it and in what it called, likewise
  std::uint64_t samples_a = 0, samples_b = 0;
  // Of the total, among the frames that were tested; absent: too few samples for a test.
  std::optional<SampledShift> shift = std::nullopt;
};

struct StackComparison {
  std::vector<RunId> a, b;                          // sampled, in the order of the selection
  std::vector<RunId> not_sampled_a, not_sampled_b;  // left out
  WorkUnit unit = WorkUnit::byte;
  std::uint32_t tested = 0;        // frames
  std::uint64_t left_out = 0;      // thin frames without a row, which are in their callers' totals
  std::vector<FrameDelta> frames;  // callers before what they call, depth first
};

}  // namespace netperfd
