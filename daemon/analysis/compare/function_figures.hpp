// SPDX-License-Identifier: GPL-2.0-or-later
// What is tested of a function: its cost per unit of work, the time of a call and its calls per unit of work.
//
// They are tested together, as one family of all figures of all functions (family_test.hpp): the cost of a
// function that hardly matters has the noise of the traced runs' work, in which a change of its time a call
// drowns. The calibration's error is in the intervals and in p of the first two (tracer_cost.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/analysis/compare/function_match.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/analysis/compare/tracer_cost.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

// How self times are taken and what calls are divided by, the same for all runs.
struct FunctionBasis {
  TracerCosts cost;
  bool per_packet = true;  // every run knows its packets
};
[[nodiscard]] FunctionBasis basis_of(const RunList& a, const RunList& b);

// One function and its figures in each run: the first two with each of costs_within_error() if it is tested,
// otherwise with the first. The time of a call is absent for a run without calls.
struct FunctionRow {
  FunctionDelta delta;
  std::vector<SideValues> costs = {}, call_times = {};
  SideValues calls = {};
  double weight = 0;        // its cost over all runs of both sides
  bool tested = false;      // by its cost and its calls
  bool time_known = false;  // each sample has calls on both sides
};

// Of both sides together, so that the choice is blind to them: with fewer, or none in a whole sample, a
// function is not tested.
inline constexpr std::uint64_t kFewestCalls = 200;
// With this share of the self time of both sides, the cost of a function is among the first figures of the
// family, which hardly lose power to the rest.
inline constexpr double kCostly = 0.01;

// All runs must know their work.
[[nodiscard]] FunctionRow function_row(const Grouping& grouping, const MatchedFunction& function,
                                       const FunctionBasis& basis);

// Tests the rows at `level`, that of one of so many looks, and says which figure shows a change.
void test_functions(std::vector<FunctionRow>& rows, const Grouping& grouping, double level, double looks);

// The time of a call: the median over the runs that called it.
[[nodiscard]] double time_of_a_call(const RunList& runs,
                                    const std::vector<std::optional<std::size_t>>& places,
                                    const std::optional<TracerCost>& cost);

[[nodiscard]] FunctionDelta named_delta(const MatchedFunction& function);

}  // namespace netperfd::analysis
