// How many runs a difference needs, by how much stored runs spread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/core/ports.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::core {

struct PlanRequest {
  std::string runs;                     // as run_selection.hpp has them
  double effect = 0.01;                 // to be found, as a share: above 0, at most 1
  double power = 0.8;                   // how often: above 0, at most 0.999
  std::optional<std::uint32_t> repeat;  // planned so far: blocks, or runs a side; 1 to 100000
};

// The figure is the throughput of plain runs, or under tracing where none is plain. Absent: not known.
struct RunPlan {
  Pairing pairing = Pairing::runs;      // blocks where the runs are of both sides of designs
  std::uint32_t samples = 0;            // whole blocks, or runs
  double sd = 0;                        // of the logarithms, to plan with
  double effect = 0, power = 0;         // as asked
  std::optional<std::uint32_t> needed;  // blocks, or runs a side; absent beyond a million
  std::optional<double> seconds;        // that so many take: both sides, with what is done between their runs
  std::optional<double> detectable;     // what `repeat` finds: a ratio above 1
  std::optional<double> repeat_seconds;
};

// invalid_argument where the words or figures are wrong, the runs are of several scenarios, or there are
// fewer than the three samples that can tell of a spread; not_found where no run fits.
[[nodiscard]] Result<RunPlan> plan_runs(RunQueries& queries, const PlanRequest& request);

}  // namespace netperfd::core
