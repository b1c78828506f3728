// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/interval_points.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace netperfd::core {
namespace {

using testing::DoubleEq;
using testing::Optional;

Interval an_interval(double start, double seconds, double rate) {
  Interval interval;
  interval.start_s = start;
  interval.end_s = start + seconds;
  interval.seconds = seconds;
  interval.bytes = static_cast<std::uint64_t>(seconds * rate / 8);
  interval.bits_per_second = rate;
  interval.retransmits = 1;
  return interval;
}

TEST(IntervalPoints, are_the_intervals_of_the_sums_where_there_is_room_for_each) {
  std::vector<Interval> intervals{an_interval(0, 1, 100), an_interval(0, 1, 800), an_interval(1, 1, 160)};
  intervals[0].stream = 5;
  intervals[2].retransmits.reset();
  const IntervalPoints made = interval_points(intervals, 8);
  EXPECT_EQ(made.intervals, 3U) << "streams too";
  rows::IntervalPoint first;
  first.end_s = first.seconds = first.longest_s = 1;
  first.intervals = first.retransmits.emplace(1);
  first.bytes = 100;
  first.bits_per_second = first.lowest_bits_per_second = first.highest_bits_per_second = 800;
  rows::IntervalPoint second = first;
  second.start_s = 1;
  second.end_s = 2;
  second.bytes = 20;
  second.retransmits.reset();
  second.bits_per_second = second.lowest_bits_per_second = second.highest_bits_per_second = 160;
  EXPECT_EQ(made.points, (std::vector{first, second}));
}

TEST(IntervalPoints, weigh_each_rate_by_its_seconds) {
  // 9 for at most 8 points: two of each.
  std::vector<Interval> intervals{an_interval(0, 1, 1000), an_interval(1, 3, 2000)};
  for (int i = 0; i < 7; ++i) intervals.push_back(an_interval(4 + i, 1, 80));
  const auto points = interval_points(intervals, 8).points;
  ASSERT_EQ(points.size(), 5U);
  EXPECT_THAT(points[0].bits_per_second, Optional(DoubleEq((1000 + 3 * 2000) / 4.0)));
  EXPECT_EQ(points[0].seconds, 4);
  EXPECT_EQ(points[0].longest_s, 3);
  EXPECT_EQ(points[0].end_s, 4);
  EXPECT_EQ(points[0].intervals, 2U);
  EXPECT_EQ(points[0].bytes, 125U + 750U);
  EXPECT_EQ(points[0].retransmits, 2U);
  EXPECT_EQ(points[0].highest_bits_per_second, 2000);
  EXPECT_EQ(points[0].lowest_bits_per_second, 2000) << "the other is less than half as long";
  EXPECT_EQ(points[4].intervals, 1U);
}

TEST(IntervalPoints, of_a_day_have_its_sums_and_extremes) {
  std::vector<Interval> intervals;
  std::uint64_t bytes = 0;
  for (int second = 0; second < 86'400; ++second) {
    for (const bool sender : {true, false}) {
      Interval interval = an_interval(second, 1, 8000 + 8 * (second % 977));
      interval.sender = sender;
      if (!sender) interval.retransmits.reset();
      intervals.push_back(interval);
    }
    bytes += 1000 + static_cast<std::uint64_t>(second % 977);
  }
  intervals[2 * 54'321].bits_per_second = 3;
  intervals[2 * 76'543].bits_per_second = 1e9;
  // Of a millisecond; its rate is no extreme.
  intervals.push_back(an_interval(86'400, 0.001, 1e12));
  for (const std::uint32_t most : {8U, 1000U}) {
    const IntervalPoints made = interval_points(intervals, most);
    EXPECT_EQ(made.intervals, 2 * 86'400U + 1);
    EXPECT_LE(made.points.size(), most);
    EXPECT_GE(made.points.size(), most / 2);
    std::uint64_t sent = 0, counted = 0, resent = 0;
    double lowest = std::numeric_limits<double>::infinity(), highest = 0, seconds = 0, at = 0;
    for (const rows::IntervalPoint& point : made.points) {
      counted += point.intervals;
      if (!point.sender) {
        EXPECT_FALSE(point.retransmits) << "a receiver has none, and they are not 0";
        continue;
      }
      EXPECT_EQ(point.start_s, at);
      at = point.end_s;
      sent += point.bytes.value_or(0);
      resent += point.retransmits.value_or(0);
      seconds += point.seconds;
      lowest = std::min(lowest, point.lowest_bits_per_second.value_or(lowest));
      highest = std::max(highest, point.highest_bits_per_second.value_or(highest));
    }
    EXPECT_EQ(counted, made.intervals);
    EXPECT_EQ(sent, bytes + 125'000'000);
    EXPECT_EQ(resent, 86'401U);
    EXPECT_NEAR(seconds, 86'400.001, 1e-6);
    EXPECT_EQ(lowest, 3);
    EXPECT_EQ(highest, 1e9);
  }
}

TEST(IntervalPoints, never_mix_directions_sides_or_the_omitted_part) {
  std::vector<Interval> intervals;
  for (int i = 0; i < 8 * 100; ++i) {
    const auto series = static_cast<unsigned>(i % 8);
    Interval interval = an_interval(i / 8, 1, 1000 + series);
    interval.direction = (series & 1U) != 0 ? Direction::receive : Direction::send;
    interval.sender = (series & 2U) != 0;
    interval.omitted = (series & 4U) != 0;
    intervals.push_back(interval);
  }
  const auto points = interval_points(intervals, kFewestPoints).points;
  ASSERT_EQ(points.size(), 8U);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(points[i].intervals, 100U);
    EXPECT_EQ(points[i].bits_per_second, 1000 + static_cast<double>(i));
    EXPECT_EQ(points[i].lowest_bits_per_second, points[i].highest_bits_per_second);
    EXPECT_EQ(points[i].direction == Direction::receive, (i & 1U) != 0);
    EXPECT_EQ(points[i].sender, (i & 2U) != 0);
    EXPECT_EQ(points[i].omitted, (i & 4U) != 0);
  }
}

TEST(IntervalPoints, do_not_know_what_an_interval_lacks) {
  std::vector<Interval> intervals;
  for (int i = 0; i < 20; ++i) intervals.push_back(an_interval(i, 1, 1000));
  for (const std::size_t i : {0U, 1U, 2U}) intervals[i].bits_per_second.reset();
  intervals[1].bytes.reset();
  intervals[7].retransmits.reset();
  // Together they are more than a sum holds.
  intervals[18].bytes = intervals[19].bytes = std::numeric_limits<std::uint64_t>::max();
  const auto points = interval_points(intervals, 8).points;
  ASSERT_EQ(points.size(), 7U) << "three intervals each";
  EXPECT_EQ(points[0].bits_per_second, std::nullopt);
  EXPECT_EQ(points[0].lowest_bits_per_second, std::nullopt);
  EXPECT_EQ(points[0].bytes, std::nullopt);
  EXPECT_EQ(points[0].retransmits, 3U);
  EXPECT_EQ(points[2].retransmits, std::nullopt);
  EXPECT_EQ(points[2].bytes, 375U);
  EXPECT_EQ(points[6].bytes, std::nullopt);
}

TEST(IntervalPoints, of_intervals_without_length_have_no_mean) {
  std::vector<Interval> intervals(16, an_interval(0, 0, 1000));
  for (const rows::IntervalPoint& point : interval_points(intervals, 8).points) {
    EXPECT_EQ(point.bits_per_second, std::nullopt);
    EXPECT_EQ(point.highest_bits_per_second, 1000);
  }
  EXPECT_TRUE(interval_points({}, 8).points.empty());
}

}  // namespace
}  // namespace netperfd::core
