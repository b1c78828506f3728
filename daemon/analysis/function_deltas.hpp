// What each traced function costs a byte on both sides, and the test of those that weigh.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/analysis/caveats.hpp"
#include "daemon/analysis/comparison.hpp"
#include "daemon/analysis/sampling.hpp"

namespace netperfd::analysis {

struct FunctionDeltas {
  std::vector<FunctionDelta> functions;  // the largest |shift| first
  std::uint32_t tested = 0;
  ShiftEstimate together;  // of the tested functions' costs, added up run by run
};

// All runs must have a trace with timed functions and know their goodput.
[[nodiscard]] FunctionDeltas function_deltas(const RunList& a, const RunList& b,
                                             const ComparisonSettings& settings, Caveats& caveats);

// Of runs with timed functions whose goodput is not known, such as imported traces: what a call of each
// function took. There is no cost, nor how often it was called for what; the largest change of the time of
// its calls first.
[[nodiscard]] std::vector<FunctionDelta> function_times(const RunList& a, const RunList& b, Caveats& caveats);

}  // namespace netperfd::analysis
