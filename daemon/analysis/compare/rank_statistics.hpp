// SPDX-License-Identifier: GPL-2.0-or-later
// Distribution-free estimates of how two sets of figures differ, exact for the small numbers of runs that are
// usual. docs/statistics.md is the guide, with the sources.
//
// The functions work on any scale: for ratios the caller passes logarithms.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace netperfd::analysis {

struct Interval {
  double low = 0, high = 0;
  double level = 0;  // its own exact coverage, at least the level asked for; if asymptotic, the level asked
                     // for
};

struct Location {
  double estimate = 0;               // Hodges-Lehmann
  std::optional<Interval> interval;  // absent if there are too few values for the level asked for
  double p = 1;                      // two-sided, for the hypothesis that the true value is 0
};

// One sample, symmetric about its centre: the median of the Walsh averages, and the interval that inverts
// Wilcoxon's signed rank test. Exact up to 60 values, normal approximation beyond. `values` must be finite
// and not empty.
//
// Zeros and ties count against a difference, here and below: the interval and p are exact for a continuous
// distribution and conservative otherwise. So 0 is outside the interval exactly if p <= 1 - level.
[[nodiscard]] Location signed_rank(std::span<const double> values, double level = 0.95);

// Two samples: the median of all b - a, and the interval that inverts the Mann-Whitney test. Exact up to
// 3,600 pairs (60 values on each side). Both must be finite, neither may be empty.
[[nodiscard]] Location mann_whitney(std::span<const double> a, std::span<const double> b,
                                    double level = 0.95);

// The smallest number of values (per side for Mann-Whitney) that gives an interval of this level.
[[nodiscard]] std::uint32_t fewest_for_signed_rank(double level = 0.95);
[[nodiscard]] std::uint32_t fewest_for_mann_whitney(double level = 0.95);

// P(b > a) - P(b < a) over all pairs, -1 to 1 (Cliff 1993).
[[nodiscard]] double cliffs_delta(std::span<const double> a, std::span<const double> b);

[[nodiscard]] double median(std::span<const double> values);  // not empty; the mean of the middle two

[[nodiscard]] double sample_sd(std::span<const double> values);  // of 2 values or more

// Spread of values on the scale of a standard deviation, robust against a single outlier: the median absolute
// deviation times 1.4826, times a factor that removes its bias for small numbers (Croux and Rousseeuw 1992).
// The sample standard deviation if that is 0 or if there are fewer than 6 values. Absent below 2.
[[nodiscard]] std::optional<double> robust_sd(std::span<const double> values);

}  // namespace netperfd::analysis
