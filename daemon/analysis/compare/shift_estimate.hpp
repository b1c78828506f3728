// SPDX-License-Identifier: GPL-2.0-or-later
// Converts samples to the model's type for an additive difference.
#pragma once

#include <string>

#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

// Levels of both sides of which the second is `shift` above the first. Halfway between them is the
// Hodges-Lehmann estimate of the samples' own middles, or for unpaired ones the median of all values, each
// moved there by half of the shift.
struct Centres {
  double a = 0, b = 0;
};
[[nodiscard]] Centres centres_of(const Samples& samples, double shift);

// If a side has no sample, there is no shift.
[[nodiscard]] ShiftEstimate estimate_shift(const Grouping& grouping, const RunValues& a, const RunValues& b,
                                           double level);

// From the medians alone, for figures that are reported but not tested.
[[nodiscard]] ShiftEstimate difference_of_medians(const RunValues& a, const RunValues& b);

// Whether its interval leaves out 0.
[[nodiscard]] bool is_change(const ShiftEstimate& estimate);

// "+1.2 (+0.9 to +1.5)". It must have an interval.
[[nodiscard]] std::string in_words(const ShiftEstimate& estimate);

// Median of the known values; absent if there are none.
[[nodiscard]] std::optional<double> median_of(const RunValues& values);

}  // namespace netperfd::analysis
