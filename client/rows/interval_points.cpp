// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/rows/interval_points.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace netperfctl {

IntervalPointsView points_of(const std::vector<IntervalView>& intervals) {
  const auto series_of = [](const IntervalView& interval) {
    return std::tuple{interval.direction, interval.sender, interval.omitted};
  };
  std::map<std::tuple<Direction, bool, bool>, double> longest;
  for (const IntervalView& interval : intervals) {
    if (interval.stream || !interval.bits_per_second) continue;
    double& most = longest[series_of(interval)];
    most = std::max(most, interval.seconds);
  }
  IntervalPointsView made{.points = {}, .intervals = intervals.size()};
  for (const IntervalView& interval : intervals) {
    if (interval.stream) continue;
    IntervalPointView& point = made.points.emplace_back();
    point.direction = interval.direction;
    point.sender = interval.sender;
    point.omitted = interval.omitted;
    point.start_s = interval.start_s;
    point.end_s = interval.end_s;
    point.seconds = interval.seconds;
    point.longest_s = interval.end_s - interval.start_s;
    point.intervals = 1;
    point.bytes = interval.bytes;
    point.retransmits = interval.retransmits;
    point.bits_per_second = interval.bits_per_second;
    if (interval.seconds < longest[series_of(interval)] / 2) continue;
    point.lowest_bits_per_second = point.highest_bits_per_second = interval.bits_per_second;
  }
  return made;
}

}  // namespace netperfctl
