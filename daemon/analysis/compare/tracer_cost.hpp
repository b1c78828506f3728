// SPDX-License-Identifier: GPL-2.0-or-later
// What tracing a call costs, the same for both sides of a comparison. Each run has its own calibration, which
// has an error of its own. With one of its own per side, that error would be a difference between the sides:
// with 851 ns and 901 ns a call, nearly every function of two equal builds seems to differ. Only if the sides
// have different kernels, whose tracers differ, each side has the cost of its own calibrations.
//
// The common cost has an error too. It is the same for all runs, so their scatter does not show it. Let the
// cost c be off by e, and let h be the traced calls per byte. A corrected figure is x - h * c, so its shift
// is off by (h_B - h_A) * e: nothing if both sides call equally often. The rank interval [low, high] of the
// shift s is that of the scatter of the runs at a fixed cost. Let v be the standard error of the cost times
// |h_B - h_A|, and z the normal quantile of the level. Both errors are independent, so their distances from s
// add up as squares (the method of variance estimates recovery: Zou and Donner, Statist. Med. 27, 2008):
//
//   low' = s - sqrt((s - low)^2 + (z v)^2)     high' = s + sqrt((high - s)^2 + (z v)^2)
//
// p is that of the samples moved towards no difference by as much as this end of the interval moved, but not
// beyond it. Because the rank interval inverts the rank test, p <= 1 - level exactly if 0 is outside
// [low', high'].
#pragma once

#include <optional>
#include <vector>

#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

// Absent: raw; both or neither is.
struct TracerCosts {
  std::optional<TracerCost> a, b;
  bool common = true;  // the error of both is one
};

// The medians over all runs, or over those of each side if their kernels differ, in nanoseconds. Absent if a
// run is not calibrated. All runs must be traced.
//
// Both costs have one error, unless the kernels differ, or a side has one boot that the other does not have:
// the tracer takes some ns more or less in each boot, which would be a change of every function.
//
// The standard errors are the robust spread between the calibrations, or the median of their own errors if
// that is greater. They are not divided by the root of the number of runs: runs of one boot or one moment may
// share what their calibrations are off by.
[[nodiscard]] TracerCosts tracer_costs(const RunList& a, const RunList& b);

// Notes calibrations that differ between the sides, by more than chance at this level and by 2 % or more: one
// cost for both leaves some of the difference in the corrected times. Notes both costs if each side has its
// own.
void note_unequal_costs(const RunList& a, const RunList& b, double level, Caveats& caveats);

// Self time without the tracer's own cost: less the entry's for each call, and the callee's for each traced
// call within (calls/call_tracker.hpp). Not below 0. Raw without a cost.
[[nodiscard]] double self_ns(const ComparedFunction& function, const std::optional<TracerCost>& cost);

// The costs to compute a figure with: the costs themselves, then each of their parts more and less by its
// standard error. A common cost moves on both sides. Only the costs themselves if they have no error.
[[nodiscard]] std::vector<TracerCosts> costs_within_error(const TracerCosts& costs);

// A figure of all runs, computed with one cost.
struct SideValues {
  RunValues a, b;
};

struct CorrectedShift {
  ShiftEstimate estimate;        // its interval and p include the error of the cost
  Samples samples;               // as p is computed from
  double moved = 0;              // by how much B's are lower there than they were
  double lower = 0, higher = 0;  // what the error adds to both halves of the interval
};

// `figures` has the figure with each of costs_within_error(). v is the change of its shift for the entry's
// error plus that for the callee's, of both sides if each has its own: the two of one calibration are not
// independent.
[[nodiscard]] CorrectedShift corrected_shift(const Grouping& grouping, const std::vector<SideValues>& figures,
                                             double level);

}  // namespace netperfd::analysis
