// SPDX-License-Identifier: GPL-2.0-or-later
// The spread between the repeats of one job.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/model/run_record.hpp"

namespace netperfd::analysis {

// Spread of the received bits per second of one direction, one value per run. Intervals within a run are
// correlated, so they are not independent observations.
struct Spread {
  Direction direction = Direction::send;
  std::uint32_t runs = 0;  // whose received rate is known, at least 1
  double median = 0;       // bits per second; the mean of the middle two if `runs` is even
  double lowest = 0;
  double highest = 0;
  std::optional<double> cv_percent;  // sample standard deviation over the mean, with three runs or more
};

// `sums` has the direction sums of each finished run. A direction that no run has is left out. Send comes
// first.
[[nodiscard]] std::vector<Spread> received_spreads(const std::vector<std::vector<Totals>>& sums);

}  // namespace netperfd::analysis
