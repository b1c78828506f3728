// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/goodput.hpp"

#include <gtest/gtest.h>

namespace netperfd::analysis {
namespace {

Totals sum(Direction direction, std::optional<std::uint64_t> sent, std::optional<std::uint64_t> received) {
  Totals totals;
  totals.direction = direction;
  totals.sent_bytes = sent;
  totals.received_bytes = received;
  return totals;
}

netperfd::Interval interval(Direction direction, bool omitted, std::optional<std::uint64_t> bytes) {
  netperfd::Interval row;
  row.direction = direction;
  row.sender = direction == Direction::send;
  row.omitted = omitted;
  row.bytes = bytes;
  return row;
}

TEST(Goodput, is_what_arrived) {
  WorkloadReport report;
  report.sums = {sum(Direction::send, 1'100, 1'000)};
  report.intervals = {interval(Direction::send, false, 1'100)};
  EXPECT_EQ(goodput_of(report), 1'000U);
}

TEST(Goodput, adds_both_directions_up) {
  WorkloadReport report;
  report.sums = {sum(Direction::send, 1'100, 1'000), sum(Direction::receive, 300, 200)};
  EXPECT_EQ(goodput_of(report), 1'200U);
}

TEST(Goodput, holds_the_omitted_part_of_each_direction_once) {
  WorkloadReport report;
  report.sums = {sum(Direction::send, 1'000, 1'000), sum(Direction::receive, 200, 200)};
  report.intervals = {interval(Direction::send, true, 70), interval(Direction::send, true, 30),
                      interval(Direction::receive, true, 5), interval(Direction::send, false, 1'000)};
  netperfd::Interval stream = interval(Direction::send, true, 100);
  stream.stream = 5;
  report.intervals.push_back(stream);
  EXPECT_EQ(goodput_of(report), 1'305U);
}

TEST(Goodput, takes_datagrams_of_the_omitted_part_to_be_lost_as_later_ones) {
  WorkloadReport report;
  report.sums = {sum(Direction::send, 1'000, 250)};
  report.intervals = {interval(Direction::send, true, 400)};
  report.intervals[0].packets = 4;
  EXPECT_EQ(goodput_of(report), 350U);
  report.intervals[0].sender = false;
  EXPECT_EQ(goodput_of(report), 650U);
}

TEST(Goodput, is_absent_where_a_direction_does_not_know_what_arrived) {
  EXPECT_FALSE(goodput_of({}));
  WorkloadReport report;
  report.sums = {sum(Direction::send, 1'000, {}), sum(Direction::receive, 200, 200)};
  EXPECT_FALSE(goodput_of(report));
  report.sums[0].received_bytes = 900;
  EXPECT_EQ(goodput_of(report), 1'100U);
  report.intervals = {interval(Direction::send, true, {})};
  EXPECT_FALSE(goodput_of(report));
}

}  // namespace
}  // namespace netperfd::analysis
