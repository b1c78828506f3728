// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/shift_estimate.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <numeric>
#include <vector>

#include "daemon/analysis/compare/rank_statistics.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::analysis {

std::optional<double> median_of(const RunValues& values) {
  std::vector<double> known;
  for (const auto& value : values) {
    if (value) known.push_back(*value);
  }
  if (known.empty()) return std::nullopt;
  return median(known);
}

Centres centres_of(const Samples& samples, double shift) {
  std::vector<double> middles;
  if (samples.paired) {
    for (std::size_t i = 0; i < samples.a.size(); ++i)
      middles.push_back(std::midpoint(samples.a[i], samples.b[i]));
  } else {
    for (const double value : samples.a) middles.push_back(value + shift / 2);
    for (const double value : samples.b) middles.push_back(value - shift / 2);
  }
  const double middle = samples.paired ? signed_rank(middles).estimate : median(middles);
  return {.a = middle - shift / 2, .b = middle + shift / 2};
}

ShiftEstimate estimate_shift(const Grouping& grouping, const RunValues& a, const RunValues& b, double level) {
  ShiftEstimate estimate;
  estimate.centre_a = median_of(a).value_or(0);
  estimate.centre_b = median_of(b).value_or(0);
  const Samples samples = grouping.samples(a, b);
  if (samples.a.empty() || samples.b.empty()) return estimate;
  const Location location = shift_of(grouping, a, b, level);
  estimate.shift = location.estimate;
  const Centres centres = centres_of(samples, location.estimate);
  estimate.centre_a = centres.a;
  estimate.centre_b = centres.b;
  estimate.p = location.p;
  if (location.interval) {
    estimate.low = location.interval->low;
    estimate.high = location.interval->high;
    estimate.level = location.interval->level;
  }
  return estimate;
}

bool is_change(const ShiftEstimate& estimate) {
  return estimate.low && (*estimate.low > 0 || *estimate.high < 0);
}

std::string in_words(const ShiftEstimate& estimate) {
  const auto words = [](double value) { return (value < 0 ? "" : "+") + rows::plain_number(value, 3); };
  return fmt::format("{} ({} to {})", words(*estimate.shift), words(*estimate.low), words(*estimate.high));
}

ShiftEstimate difference_of_medians(const RunValues& a, const RunValues& b) {
  ShiftEstimate estimate;
  const auto median_a = median_of(a), median_b = median_of(b);
  estimate.centre_a = median_a.value_or(0);
  estimate.centre_b = median_b.value_or(0);
  if (median_a && median_b) estimate.shift = *median_b - *median_a;
  return estimate;
}

}  // namespace netperfd::analysis
