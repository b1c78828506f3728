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

}  // namespace netperfd::analysis
