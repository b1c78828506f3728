// How far the repeats of one job lie apart.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/model/run_record.hpp"

namespace netperfd::analysis {

// Of the received bits per second of one direction, a value a run: intervals within a run share its luck and
// are no independent observations.
struct Spread {
  Direction direction = Direction::send;
  std::uint32_t runs = 0;  // that know their received rate, at least 1
  double median = 0;       // bits per second; the mean of the middle two where `runs` is even
  double lowest = 0;
  double highest = 0;
  std::optional<double> cv_percent;  // sample standard deviation over the mean, with three runs or more
};

// `sums` has the direction sums of each finished run; a direction that no run knows is left out. Send comes
// first.
[[nodiscard]] std::vector<Spread> received_spreads(const std::vector<std::vector<Totals>>& sums);

}  // namespace netperfd::analysis
