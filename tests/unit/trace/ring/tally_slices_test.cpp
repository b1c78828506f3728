// SPDX-License-Identifier: GPL-2.0-or-later
// Events by time, in whatever order the CPUs are read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "daemon/trace/ring/tally.hpp"
#include "tests/unit/trace/ring/tally_maker.hpp"

namespace netperfd::trace {
namespace {

using test::count_of;
using test::feed;
using test::finish;
using test::kMillisecond;
using test::kSecond;
using test::kStart;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<test::TimedRecord> sends(const std::vector<std::uint64_t>& times) {
  std::vector<test::TimedRecord> result;
  for (const auto time : times) result.push_back({time, test::send_record(1)});
  return result;
}

std::vector<std::uint64_t> slices_of(const TraceRecord& record) {
  const auto* count = count_of(record, "net:send");
  return count == nullptr ? std::vector<std::uint64_t>{} : count->slices;
}

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

TEST(TallySlices, begin_exactly_at_the_release) {
  Tally tally(test::settings());
  feed(tally, 0, {test::release_at(kStart)});
  const std::uint64_t width = 7'812'500;
  feed(tally, 0,
       sends({kStart, kStart + width - 1, kStart + width, kStart + 3 * width - 1, kStart + 3 * width}));
  const auto record = finish(tally);
  EXPECT_EQ(record.slice_width, std::chrono::nanoseconds(width));
  EXPECT_THAT(slices_of(record), ElementsAre(2, 1, 1, 1));
}

TEST(TallySlices, have_nothing_from_before_the_release_but_the_count_has) {
  Tally tally(test::settings());
  auto events = sends({kStart, kStart + kSecond});
  events.push_back(test::release_at(kStart + 2 * kSecond));
  feed(tally, 0, events);
  feed(tally, 0, sends({kStart + 2 * kSecond}));
  feed(tally, 1, sends({kStart + kSecond}));  // read after the mark although it is earlier
  const auto record = finish(tally);
  EXPECT_EQ(count_of(record, "net:send")->count, 4U);
  EXPECT_THAT(slices_of(record), ElementsAre(1));
}

TEST(TallySlices, hold_later_events_of_cpus_that_were_read_before_the_mark) {
  // One event per millisecond for two seconds on CPU 0; the mark comes from CPU 1, half a second after the
  // first event.
  std::vector<std::uint64_t> times;
  for (std::uint64_t i = 0; i < 2'000; ++i) times.push_back(kStart + i * kMillisecond);
  const auto release = kStart + kSecond / 2;

  Tally before(test::settings());
  feed(before, 1, {test::release_at(release)});
  feed(before, 0, sends(times));
  Tally after(test::settings());
  feed(after, 0, sends(times));
  feed(after, 1, {test::release_at(release)});

  const auto exact = finish(before);
  const auto moved = finish(after);
  EXPECT_EQ(exact.slice_width, moved.slice_width);
  EXPECT_EQ(sum(slices_of(exact)), 1'500U);
  // Half a bucket of 1/512 s is one event on either side of a slice.
  EXPECT_NEAR(static_cast<double>(sum(slices_of(moved))), 1'500.0, 1.0);
  ASSERT_EQ(slices_of(exact).size(), slices_of(moved).size());
  for (std::size_t i = 0; i < slices_of(exact).size(); ++i) {
    EXPECT_NEAR(static_cast<double>(slices_of(exact)[i]), static_cast<double>(slices_of(moved)[i]), 2.0) << i;
  }
}

TEST(TallySlices, double_in_width_when_they_become_too_many) {
  auto settings = test::settings();
  settings.slices = 10;
  Tally tally(std::move(settings));
  feed(tally, 0, {test::release_at(kStart)});
  for (std::uint64_t i = 0; i < 100; ++i) feed(tally, 0, sends({kStart + i * 100 * kMillisecond}));
  const auto record = finish(tally);
  EXPECT_EQ(record.slice_width, std::chrono::seconds(1));
  EXPECT_THAT(slices_of(record), ElementsAre(10, 10, 10, 10, 10, 10, 10, 10, 10, 10));
}

TEST(TallySlices, without_a_release_begin_at_the_earliest_event_of_all_cpus) {
  Tally tally(test::settings());
  feed(tally, 0, sends({kStart + 40 * kMillisecond, kStart + 100 * kMillisecond}));
  feed(tally, 1, sends({kStart}));
  const auto record = finish(tally);
  const auto slices = slices_of(record);
  EXPECT_EQ(sum(slices), 3U);
  EXPECT_EQ(slices.front(), 1U);
  EXPECT_EQ(slices.back(), 1U);
  EXPECT_EQ(slices.size(), 13U);  // 100 ms in slices of 7.8 ms
  EXPECT_EQ(test::samples_of(record, "net:send").front().time_ns, 0);
}

TEST(TallySlices, are_the_same_in_any_order_of_cpus_once_the_mark_is_read) {
  std::mt19937_64 random(4);
  std::vector<std::vector<std::uint64_t>> times(8);
  for (auto& cpu : times) {
    for (int i = 0; i < 500; ++i) cpu.push_back(kStart + random() % (20 * kSecond));
    std::sort(cpu.begin(), cpu.end());
  }
  std::vector<std::uint32_t> order(8);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<std::vector<std::uint64_t>> results;
  for (int round = 0; round < 5; ++round) {
    Tally tally(test::settings());
    feed(tally, 9, {test::release_at(kStart + kSecond)});
    for (const auto cpu : order) feed(tally, cpu, sends(times[cpu]));
    results.push_back(slices_of(finish(tally)));
    std::shuffle(order.begin(), order.end(), random);
  }
  EXPECT_GT(sum(results.front()), 3'500U);
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

TEST(TallySlices, of_an_event_that_only_came_early_are_empty) {
  Tally tally(test::settings());
  feed(tally, 0, sends({kStart}));
  feed(tally, 0, {test::release_at(kStart + kSecond)});
  const auto record = finish(tally);
  EXPECT_EQ(count_of(record, "net:send")->count, 1U);
  EXPECT_THAT(slices_of(record), IsEmpty());
}

TEST(TallySlices, do_not_widen_for_times_that_cannot_be_true) {
  for (const bool mark_first : {true, false}) {
    Tally tally(test::settings());
    if (mark_first) feed(tally, 0, {test::release_at(kStart)});
    if (!mark_first) feed(tally, 0, sends({kStart}));
    feed(tally, 1, sends({~std::uint64_t{0}}));
    feed(tally, 2, sends({0}));
    feed(tally, 3, sends({std::uint64_t{1} << 63}));
    if (!mark_first) feed(tally, 0, {test::release_at(kStart + kSecond)});
    feed(tally, 0, sends({kStart + kSecond + kMillisecond}));
    const auto record = finish(tally);
    EXPECT_EQ(record.slice_width, std::chrono::nanoseconds(7'812'500)) << mark_first;
    EXPECT_EQ(sum(slices_of(record)), 1U);
    EXPECT_EQ(count_of(record, "net:send")->count, mark_first ? 4U : 5U);
  }
}

TEST(TallySlices, stay_bounded_over_days) {
  auto settings = test::settings();
  settings.slices = 100;
  Tally tally(std::move(settings));
  feed(tally, 0, {test::release_at(kStart)});
  for (std::uint64_t hour = 0; hour < 24 * 10; ++hour)
    feed(tally, 0, sends({kStart + hour * 3'600 * kSecond}));
  const auto slices = slices_of(finish(tally));
  EXPECT_LE(slices.size(), 100U);
  EXPECT_GT(slices.size(), 50U);
  EXPECT_EQ(sum(slices), 240U);
}

}  // namespace
}  // namespace netperfd::trace
