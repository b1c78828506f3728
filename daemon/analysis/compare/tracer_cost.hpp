// What tracing a call costs, the same for both sides of a comparison. Each run has its own calibration, which
// has an error of its own. With one of its own per side, that error would be a difference between the sides:
// with 851 ns and 901 ns a call, nearly every function of two equal builds seems to differ.
#pragma once

#include <optional>

#include "daemon/analysis/compare/sampling.hpp"

namespace netperfd::analysis {

// The medians over all runs. Absent if a run is not calibrated. All runs must be traced.
[[nodiscard]] std::optional<TracerCost> common_cost(const RunList& a, const RunList& b);

// Self time without the tracer's own cost: less the entry's for each call, and the callee's for each traced
// call within (calls/call_tracker.hpp). Not below 0. Raw without a cost.
[[nodiscard]] double self_ns(const ComparedFunction& function, const std::optional<TracerCost>& cost);

}  // namespace netperfd::analysis
