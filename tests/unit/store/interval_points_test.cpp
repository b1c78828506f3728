// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::HasSubstr;

class StoredPoints : public StoreTest {
 protected:
  StoredPoints() { open(); }

  RunId store_intervals(std::vector<Interval> intervals) {
    const RunId run = run_under_way(a_job());
    RunRecord record = a_record(run, 1, 0);
    record.workload.report.intervals = std::move(intervals);
    EXPECT_TRUE(store->finish(record));
    return run;
  }
};

// In both directions by both sides, with an omitted part, streams, gaps in what is known and a leftover.
std::vector<Interval> some_of_all() {
  std::vector<Interval> intervals;
  for (int i = 0; i < 600; ++i) {
    Interval interval;
    interval.direction = i % 3 == 0 ? Direction::receive : Direction::send;
    interval.sender = i % 2 == 0;
    interval.omitted = i < 40;
    if (i % 5 == 0) interval.stream = 5;
    interval.start_s = i;
    interval.end_s = i + (i % 7 == 0 ? 0.25 : 1);
    interval.seconds = interval.end_s - i;
    if (i % 11 != 0) interval.bits_per_second = 1000 + i;
    if (i % 13 != 0) interval.bytes = 10U + static_cast<unsigned>(i);
    if (i % 50 > 20) interval.retransmits = i;
    intervals.push_back(interval);
  }
  return intervals;
}

TEST_F(StoredPoints, are_those_of_the_intervals_that_were_stored) {
  const std::vector<Interval> intervals = some_of_all();
  (void)store_intervals({});
  const RunId run = store_intervals(intervals);
  (void)store_intervals({intervals.begin(), intervals.begin() + 50});
  for (const std::uint32_t most : {8U, 100U, 1000U}) {
    const auto read = store->interval_points(run, most);
    ASSERT_TRUE(read) << read.error().message;
    const core::IntervalPoints expected = core::interval_points(intervals, most);
    EXPECT_EQ(read->points, expected.points);
    EXPECT_EQ(read->intervals, 600U);
  }
}

TEST_F(StoredPoints, of_a_run_without_intervals_are_none) {
  const auto read = store->interval_points(store_intervals({}), 8);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->points.empty());
  EXPECT_EQ(read->intervals, 0U);
}

TEST_F(StoredPoints, of_no_run_are_not_found) {
  const auto read = store->interval_points(99, 8);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::not_found);
  const auto more = store->has_more_intervals(99, 8);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().kind, ErrorKind::not_found);
}

TEST_F(StoredPoints, are_not_given_of_damaged_intervals) {
  const RunId run = store_intervals(some_of_all());
  close();
  damage(path(), "UPDATE intervals SET bytes = bytes + 1 WHERE position = 599");
  open();
  const auto read = store->interval_points(run, 8);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::io);
  EXPECT_THAT(read.error().message, HasSubstr("table intervals is damaged"));
}

TEST_F(StoredPoints, need_a_process_by_the_number_of_all_intervals) {
  const RunId run = store_intervals(some_of_all());
  for (const auto& [than, more] : {std::pair{599U, true}, {600U, false}, {0U, true}}) {
    const auto has = store->has_more_intervals(run, than);
    ASSERT_TRUE(has) << has.error().message;
    EXPECT_EQ(*has, more) << than;
  }
}

}  // namespace
}  // namespace netperfd::store
