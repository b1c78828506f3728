// SPDX-License-Identifier: GPL-2.0-or-later
// Cost per byte of each traced function on both sides, with a test of all that have enough calls.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/analysis/compare/tracer_cost.hpp"

namespace netperfd::analysis {

struct FunctionDeltas {
  std::vector<FunctionDelta> functions;  // by dbus/rows/found.hpp
  // The costs of each in all runs: if tested with each of costs_within_error(), otherwise with the first.
  std::vector<std::vector<SideValues>> costs;
  std::uint32_t tested = 0, few_calls = 0;  // as in Attribution
};

// All runs must have a trace with timed functions and know their goodput.
[[nodiscard]] FunctionDeltas function_deltas(const RunList& a, const RunList& b,
                                             const ComparisonSettings& settings, Caveats& caveats);

// For runs with timed functions whose goodput is unknown, such as imported traces: the time per call of each
// function. Costs and call rates are absent. The largest change in time per call comes first.
[[nodiscard]] std::vector<FunctionDelta> function_times(const RunList& a, const RunList& b, Caveats& caveats);

}  // namespace netperfd::analysis
