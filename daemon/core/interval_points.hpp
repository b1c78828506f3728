// SPDX-License-Identifier: GPL-2.0-or-later
// A run's intervals put together to a bounded number of points, for who draws them: a run of a day has 86,400
// intervals, and a screen has room for some tens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// Each direction, each side that counted, the omitted part and the rest have points of their own.
inline constexpr std::uint32_t kFewestPoints = 8;
inline constexpr std::uint32_t kMostPoints = 1000;  // fit into a message

struct IntervalPoints {
  std::vector<rows::IntervalPoint> points;  // by their first intervals
  std::uint64_t intervals = 0;              // of the run, those of its streams among them
};

// Intervals of sums that belong together: what is known of them before they are put together.
struct IntervalSeries {
  std::uint64_t count = 0;
  double longest_s = 0;  // `seconds` of those whose rate is known
};

// Takes the intervals of the sums one by one, so that no more than the points are kept.
class IntervalPointMaker {
 public:
  // A number for each series, below kFewestPoints.
  [[nodiscard]] static std::size_t series_of(const Interval& interval);

  // At most `most` points, of as many consecutive intervals each. `most` is at least kFewestPoints.
  IntervalPointMaker(const std::array<IntervalSeries, kFewestPoints>& series, std::uint32_t most);
  void add(const Interval& interval);
  [[nodiscard]] std::vector<rows::IntervalPoint> take();

 private:
  struct Growing {
    rows::IntervalPoint point;
    std::uint64_t rated = 0;  // intervals with a rate
    double amount = 0, weight = 0;
  };
  void add(Growing& to, const Interval& interval, bool leftover);

  std::array<IntervalSeries, kFewestPoints> series_;
  std::uint64_t each_ = 1;  // intervals of a point
  std::vector<Growing> points_;
  std::array<std::optional<std::size_t>, kFewestPoints> open_;  // the last point of each series
};

// The same of all intervals at once.
[[nodiscard]] IntervalPoints interval_points(const std::vector<Interval>& intervals, std::uint32_t most);

}  // namespace netperfd::core
