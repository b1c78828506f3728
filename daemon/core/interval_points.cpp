// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/interval_points.hpp"

#include <algorithm>
#include <numeric>

namespace netperfd::core {
namespace {

using Series = std::array<IntervalSeries, kFewestPoints>;

// The least number of intervals of a point with which there are at most `most` points.
std::uint64_t intervals_of_a_point(const Series& series, std::uint32_t most) {
  const auto points = [&series](std::uint64_t each) {
    return std::accumulate(series.begin(), series.end(), std::uint64_t{0},
                           [each](std::uint64_t sum, const IntervalSeries& one) {
                             return sum + (one.count / each) + (one.count % each == 0 ? 0 : 1);
                           });
  };
  std::uint64_t each = 1;
  std::uint64_t enough = 1;  // one point for each series
  for (const IntervalSeries& one : series) enough = std::max(enough, one.count);
  while (each < enough) {
    const std::uint64_t middle = each + ((enough - each) / 2);
    if (points(middle) <= most) {
      enough = middle;
    } else {
      each = middle + 1;
    }
  }
  return each;
}

// A sum without one of its parts is not known.
void add_known(std::optional<std::uint64_t>& sum, const std::optional<std::uint64_t>& part) {
  std::uint64_t together = 0;
  if (sum && part && !__builtin_add_overflow(*sum, *part, &together)) {
    sum = together;
  } else {
    sum.reset();
  }
}

}  // namespace

std::size_t IntervalPointMaker::series_of(const Interval& interval) {
  return (interval.direction == Direction::receive ? 4U : 0U) + (interval.sender ? 2U : 0U) +
         (interval.omitted ? 1U : 0U);
}

IntervalPointMaker::IntervalPointMaker(const Series& series, std::uint32_t most)
    : series_(series), each_(intervals_of_a_point(series, most)) {}

void IntervalPointMaker::add(const Interval& interval) {
  if (interval.stream) return;
  const std::size_t number = series_of(interval);
  std::optional<std::size_t>& open = open_[number];
  // The last interval may be a leftover of a millisecond, whose rate says nothing.
  const bool leftover = interval.seconds < series_[number].longest_s / 2;
  if (open && points_[*open].point.intervals < each_) {
    add(points_[*open], interval, leftover);
    return;
  }
  open = points_.size();
  rows::IntervalPoint& point = points_.emplace_back().point;
  point.direction = interval.direction;
  point.sender = interval.sender;
  point.omitted = interval.omitted;
  point.start_s = interval.start_s;
  point.end_s = interval.end_s;
  point.bytes = point.retransmits = 0;
  add(points_.back(), interval, leftover);
}

void IntervalPointMaker::add(Growing& to, const Interval& interval, bool leftover) {
  rows::IntervalPoint& point = to.point;
  ++point.intervals;
  point.start_s = std::min(point.start_s, interval.start_s);
  point.end_s = std::max(point.end_s, interval.end_s);
  point.seconds += interval.seconds;
  point.longest_s = std::max(point.longest_s, interval.end_s - interval.start_s);
  add_known(point.bytes, interval.bytes);
  add_known(point.retransmits, interval.retransmits);
  if (!interval.bits_per_second) return;
  const double rate = *interval.bits_per_second;
  const double weight = std::max(0.0, interval.seconds);
  to.amount += rate * weight;
  to.weight += weight;
  // That of one interval is as it was reported.
  if (++to.rated == 1) {
    point.bits_per_second = rate;
  } else if (to.weight > 0) {
    point.bits_per_second = to.amount / to.weight;
  } else {
    point.bits_per_second.reset();
  }
  if (leftover) return;
  point.lowest_bits_per_second = std::min(point.lowest_bits_per_second.value_or(rate), rate);
  point.highest_bits_per_second = std::max(point.highest_bits_per_second.value_or(rate), rate);
}

std::vector<rows::IntervalPoint> IntervalPointMaker::take() {
  std::vector<rows::IntervalPoint> points;
  points.reserve(points_.size());
  for (const Growing& growing : points_) points.push_back(growing.point);
  return points;
}

IntervalPoints interval_points(const std::vector<Interval>& intervals, std::uint32_t most) {
  Series series;
  for (const Interval& interval : intervals) {
    if (interval.stream) continue;
    IntervalSeries& one = series[IntervalPointMaker::series_of(interval)];
    ++one.count;
    if (interval.bits_per_second) one.longest_s = std::max(one.longest_s, interval.seconds);
  }
  IntervalPointMaker maker{series, most};
  for (const Interval& interval : intervals) maker.add(interval);
  return {.points = maker.take(), .intervals = intervals.size()};
}

}  // namespace netperfd::core
