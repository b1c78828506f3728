// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/request_tracker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "daemon/analysis/calls/histogram.hpp"
#include "tests/unit/echo/world.hpp"

namespace netperfd::echo {
namespace {

using testing::ElementsAre;

constexpr Ns kMicrosecond = 1000;
constexpr Ns kYear = kSecond * 365 * 24 * 3600;
constexpr TrackerLimits kUsual{.interval = kSecond, .timeout = 2 * kSecond};

const SpanCounts& round_trips(const Interval& interval) {
  return interval.spans[static_cast<std::size_t>(Span::round_trip)];
}

World::Path constant(Ns delay) {
  return [delay](std::uint32_t) { return std::vector{delay}; };
}

void expect_consistent(const std::vector<Interval>& intervals) {
  Ns end = 0;
  for (const Interval& one : intervals) {
    EXPECT_EQ(one.start, end) << "intervals follow one another";
    EXPECT_EQ(one.sent, one.received + one.lost);
    EXPECT_EQ(round_trips(one).count, one.received);
    end = one.end;
  }
}

TEST(EchoRequests, a_perfect_network_has_the_delay_of_every_request) {
  World world(100, kUsual, constant(700 * kMicrosecond));
  world.run(3 * kSecond);
  ASSERT_EQ(world.intervals.size(), 3U);
  expect_consistent(world.intervals);
  for (const Interval& one : world.intervals) {
    EXPECT_EQ(one.sent, 100U);
    EXPECT_EQ(one.lost + one.missed + one.late + one.duplicates + one.reordered + one.late_sends, 0U);
    EXPECT_EQ(one.jitter_sum, 0U);
    EXPECT_EQ(one.jitter_count, one.start == 0 ? 99U : 100U);
    SpanCounts expected{.count = 100,
                        .sum_ns = std::uint64_t{100} * 700'000,
                        .min_ns = 700'000,
                        .max_ns = 700'000,
                        .buckets = {{analysis::bucket_of(700'000), 100}}};
    EXPECT_EQ(round_trips(one), expected);
  }
  EXPECT_EQ(world.tracker.source(), Source::kernel);
  EXPECT_EQ(world.tracker.foreign_packets(), 0U);
}

TEST(EchoRequests, every_tenth_request_that_is_lost_counts_in_the_interval_in_which_it_was_sent) {
  World world(100, kUsual, [](std::uint32_t sequence) {
    return sequence % 10 == 3 ? std::vector<Ns>{} : std::vector<Ns>{kMillisecond};
  });
  world.run(2 * kSecond);
  ASSERT_EQ(world.intervals.size(), 2U);
  expect_consistent(world.intervals);
  for (const Interval& one : world.intervals) EXPECT_EQ(one.lost, 10U);
}

TEST(EchoRequests, jitter_is_the_mean_difference_of_consecutive_answers) {
  World world(100, kUsual, [](std::uint32_t sequence) {
    return std::vector<Ns>{sequence % 2 == 0 ? kMillisecond : 3 * kMillisecond};
  });
  world.run(kSecond);
  ASSERT_EQ(world.intervals.size(), 1U);
  EXPECT_EQ(world.intervals[0].jitter_count, 99U);
  EXPECT_EQ(world.intervals[0].jitter_sum, 99U * 2'000'000);
}

TEST(EchoRequests, an_answer_after_the_timeout_is_lost_and_late_and_twice_is_a_duplicate) {
  World world(10, kUsual, [](std::uint32_t sequence) -> std::vector<Ns> {
    if (sequence == 4) return {2 * kSecond, kMillisecond};                 // twice
    if (sequence == 5) return {2 * kSecond + 100 * kMillisecond};          // late
    if (sequence == 6) return {2100 * kMillisecond, 2200 * kMillisecond};  // late, then twice
    if (sequence == 7) return {2 * kSecond};                               // just in time
    return {kMillisecond};
  });
  world.run(5 * kSecond);
  ASSERT_EQ(world.intervals.size(), 5U);
  expect_consistent(world.intervals);
  EXPECT_EQ(world.intervals[0].received, 8U);
  EXPECT_EQ(world.intervals[0].lost, 2U);
  EXPECT_EQ(world.intervals[0].late, 0U);
  EXPECT_EQ(world.intervals[2].late, 2U) << "counted when they arrived";
  EXPECT_EQ(world.intervals[2].duplicates, 2U);
  EXPECT_EQ(round_trips(world.intervals[0]).max_ns, 2'000'000'000U);
  EXPECT_EQ(world.tracker.foreign_packets(), 0U);
}

TEST(EchoRequests, answers_that_overtake_others_are_counted_where_the_overtaken_ones_were_sent) {
  World world(10, kUsual, [](std::uint32_t sequence) -> std::vector<Ns> {
    return {sequence == 3 ? 250 * kMillisecond : kMillisecond};  // after 4 and 5
  });
  world.run(kSecond);
  ASSERT_EQ(world.intervals.size(), 1U);
  EXPECT_EQ(world.intervals[0].reordered, 1U);
  EXPECT_EQ(world.intervals[0].received, 10U);
}

TEST(EchoRequests, sequences_that_were_never_sent_or_are_long_forgotten_are_foreign) {
  World world(10, kUsual, constant(kMillisecond));
  world.has_room = [](std::uint32_t sequence) { return sequence != 5; };
  world.run(20 * kSecond);
  EXPECT_EQ(world.tracker.foreign_packets(), 0U);
  RequestTracker tracker(kUsual, Schedule(10));
  ASSERT_EQ(tracker.advance(0), 0U);
  tracker.sent(0, 0, {});
  const auto arrives = [&](std::uint32_t sequence) {
    tracker.answered({.sequence = sequence, .read = {}, .arrived = {}, .far = {}});
  };
  arrives(1);
  arrives(4'000'000'000U);
  EXPECT_EQ(tracker.foreign_packets(), 2U);
  (void)tracker.advance(4 * kSecond + 1);
  tracker.not_sent();
  arrives(0);
  EXPECT_EQ(tracker.foreign_packets(), 3U);
}

TEST(EchoRequests, a_prober_that_stalls_misses_requests_of_each_interval_and_sends_no_burst) {
  World world(100, kUsual, constant(kMillisecond));
  world.stall = {1'500 * kMillisecond + 1, 4'203 * kMillisecond};
  world.run(6 * kSecond);
  ASSERT_EQ(world.intervals.size(), 6U);
  expect_consistent(world.intervals);
  std::vector<std::uint64_t> missed, sent, late;
  for (const Interval& one : world.intervals) {
    missed.push_back(one.missed);
    sent.push_back(one.sent);
    late.push_back(one.late_sends);
  }
  EXPECT_THAT(missed, ElementsAre(0, 49, 100, 100, 20, 0));
  EXPECT_THAT(sent, ElementsAre(100, 51, 0, 0, 80, 100));
  EXPECT_THAT(late, ElementsAre(0, 0, 0, 0, 1, 0)) << "the newest one, 3 ms after it was due";
  EXPECT_EQ(world.intervals[4].max_send_delay, 3 * kMillisecond);
  for (std::size_t i = 1; i < world.sent_at.size(); ++i)
    EXPECT_GE(world.sent_at[i] - world.sent_at[i - 1], 7 * kMillisecond);
}

TEST(EchoRequests, answers_that_arrived_while_the_prober_stalled_are_not_lost) {
  World world(100, kUsual, constant(300 * kMillisecond));
  world.stall = {1'500 * kMillisecond + 1, 9 * kSecond};
  world.run(10 * kSecond);
  expect_consistent(world.intervals);
  const Interval sum = sum_of(world.intervals);
  EXPECT_EQ(sum.lost, 0U);
  EXPECT_EQ(round_trips(sum).max_ns, 300'000'000U);
}

TEST(EchoRequests, a_prober_that_always_wakes_late_says_so) {
  World world(100, kUsual, constant(kMillisecond));
  world.delay_of_waking = 2 * kMillisecond;
  world.run(kSecond);
  const Interval sum = sum_of(world.intervals);
  EXPECT_EQ(sum.late_sends, sum.sent);
  EXPECT_EQ(sum.max_send_delay, 2 * kMillisecond);
}

TEST(EchoRequests, requests_without_room_in_the_socket_are_missed) {
  World world(100, kUsual, constant(kMillisecond));
  world.has_room = [](std::uint32_t sequence) { return sequence % 4 != 0; };
  world.run(kSecond);
  ASSERT_EQ(world.intervals.size(), 1U);
  EXPECT_EQ(world.intervals[0].sent, 75U);
  EXPECT_EQ(world.intervals[0].missed, 25U);
  EXPECT_EQ(world.intervals[0].lost, 0U);
}

TEST(EchoRequests, a_phase_ends_an_interval_early_and_requests_belong_to_the_phase_of_their_sending) {
  World world(100, kUsual, constant(300 * kMillisecond));
  world.phases = {1'234 * kMillisecond, 1'235 * kMillisecond, 2'900 * kMillisecond};
  world.run(4 * kSecond);
  expect_consistent(world.intervals);
  std::vector<std::uint32_t> phases;
  std::vector<Ns> ends;
  std::vector<std::uint64_t> sent;
  for (const Interval& one : world.intervals) {
    phases.push_back(one.phase);
    ends.push_back(one.end / kMillisecond);
    sent.push_back(one.sent);
  }
  EXPECT_THAT(phases, ElementsAre(0, 0, 1, 2, 2, 3, 3));
  EXPECT_THAT(ends, ElementsAre(1000, 1234, 1235, 2235, 2900, 3900, 4000));
  EXPECT_THAT(sent, ElementsAre(100, 24, 0, 100, 67, 99, 10));
}

TEST(EchoRequests, a_phase_at_the_begin_relabels_the_empty_interval) {
  World world(10, kUsual, constant(kMillisecond));
  RequestTracker tracker(kUsual, Schedule(10));
  tracker.phase(0);
  tracker.stop(kSecond);
  const auto intervals = tracker.take_complete();
  ASSERT_EQ(intervals.size(), 1U);
  EXPECT_EQ(intervals[0].phase, 1U);
}

TEST(EchoRequests, the_sum_of_all_intervals_is_what_one_long_interval_counts) {
  const auto run = [](Ns interval) {
    std::mt19937_64 random(7);
    World world(997, {.interval = interval, .timeout = 50 * kMillisecond},
                [&](std::uint32_t) -> std::vector<Ns> {
                  if (random() % 50 == 0) return {};
                  std::vector<Ns> delays{static_cast<Ns>(random() % 60'000'000)};
                  if (random() % 50 == 0) delays.push_back(static_cast<Ns>(random() % 60'000'000));
                  return delays;
                });
    world.run(10 * kSecond);
    expect_consistent(world.intervals);
    return std::pair(sum_of(world.intervals), world.intervals.size());
  };
  const auto [many, count] = run(100 * kMillisecond);
  const auto [one, single] = run(3600 * kSecond);
  EXPECT_EQ(count, 100U);
  EXPECT_EQ(single, 1U);
  EXPECT_GT(many.lost, 100U);
  EXPECT_GT(many.late, 100U);
  EXPECT_GT(many.duplicates, 10U);
  EXPECT_GT(many.reordered, 1000U);
  EXPECT_EQ(many, one);
}

TEST(EchoRequests, a_clock_that_jumps_by_a_year_disturbs_only_the_requests_under_way) {
  for (const Ns jump : {kYear, -kYear}) {
    World world(100, kUsual, constant(25 * kMillisecond));
    world.wall = [jump](Ns time) {
      return 1'800'000'000 * kSecond + time + (time >= 1'503 * kMillisecond ? jump : 0);
    };
    world.run(3 * kSecond);
    expect_consistent(world.intervals);
    const Interval sum = sum_of(world.intervals);
    EXPECT_EQ(sum.received, 300U);
    EXPECT_EQ(sum.missed, 0U) << "the schedule does not follow the wall clock";
    EXPECT_EQ(world.tracker.clock_steps(), 3U);
    EXPECT_EQ(round_trips(sum).min_ns, 25'000'000U);
    EXPECT_EQ(round_trips(sum).max_ns, 25'000'000U);
  }
}

TEST(EchoRequests, remembers_no_more_than_two_timeouts_of_requests) {
  World world(1000, {.interval = kSecond, .timeout = 3 * kSecond},
              [](std::uint32_t) { return std::vector<Ns>{}; });
  std::size_t most = 0;
  world.has_room = [&](std::uint32_t) {
    most = std::max(most, world.tracker.remembered());
    return true;
  };
  world.run(60 * kSecond);
  EXPECT_LE(most, 6002U);
  EXPECT_EQ(sum_of(world.intervals).lost, 60'000U);
}

TEST(EchoRequests, intervals_are_complete_as_soon_as_nothing_is_outstanding) {
  RequestTracker tracker(kUsual, Schedule(1));
  ASSERT_EQ(tracker.advance(0), 0U);
  tracker.sent(0, 0, {.monotonic = 0, .wall = kSecond});
  EXPECT_FALSE(tracker.advance(500 * kMillisecond));
  EXPECT_TRUE(tracker.take_complete().empty()) << "the interval goes on";
  ASSERT_EQ(tracker.advance(kSecond), 1U);
  tracker.not_sent();
  EXPECT_TRUE(tracker.take_complete().empty()) << "an answer may come";
  EXPECT_EQ(tracker.next_end(), 2 * kSecond);
  tracker.answered(
      {.sequence = 0, .read = {.monotonic = kSecond, .wall = 2 * kSecond}, .arrived = {}, .far = {}});
  EXPECT_EQ(tracker.take_complete().size(), 1U);
  EXPECT_EQ(tracker.source(), Source::program);
}

TEST(EchoRequests, the_time_in_the_queue_counts_once_where_the_request_was_sent) {
  RequestTracker tracker(kUsual, Schedule(1));
  ASSERT_EQ(tracker.advance(0), 0U);
  const Clocks sent{.monotonic = 0, .wall = 5 * kSecond};
  const Clocks now{.monotonic = kMillisecond, .wall = 5 * kSecond + kMillisecond};
  tracker.sent(0, 0, sent);
  const PacketStamps left{.kernel = 5 * kSecond + 40'000, .device = {}};
  tracker.left(0, left, now);
  tracker.left(0, left, now);
  tracker.left(1, left, now);
  tracker.answered({.sequence = 0, .read = now, .arrived = {}, .far = {}});
  tracker.stop(kSecond);
  const auto intervals = tracker.take_complete();
  ASSERT_EQ(intervals.size(), 1U);
  const SpanCounts& queued = intervals[0].spans[static_cast<std::size_t>(Span::queued)];
  EXPECT_EQ(queued.count, 1U);
  EXPECT_EQ(queued.sum_ns, 40'000U);
  tracker.left(0, left, now);  // after the interval was printed
  tracker.answered({.sequence = 0, .read = now, .arrived = {}, .far = {}});
}

}  // namespace
}  // namespace netperfd::echo
