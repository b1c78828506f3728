// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/schedule.hpp"

#include <gtest/gtest.h>

namespace netperfd::echo {
namespace {

TEST(EchoSchedule, requests_are_due_at_multiples_of_the_period_without_drift) {
  const Schedule schedule(3);
  EXPECT_EQ(schedule.due(0), 0);
  EXPECT_EQ(schedule.due(1), 333'333'333);
  EXPECT_EQ(schedule.due(3'000'000), 1'000'000 * kSecond);
  EXPECT_EQ(Schedule(0.1).due(2), 20 * kSecond);
}

TEST(EchoSchedule, counts_what_is_due_before_a_time) {
  for (const double rate : {0.1, 0.7, 3.0, 100.0, 9999.9, 10'000.0}) {
    const Schedule schedule(rate);
    EXPECT_EQ(schedule.due_before(0), 0U);
    EXPECT_EQ(schedule.due_before(-5), 0U);
    for (const std::uint64_t index : {0U, 1U, 2U, 10U, 99'999U, 400'000'000U}) {
      EXPECT_EQ(schedule.due_before(schedule.due(index)), index) << rate;
      EXPECT_EQ(schedule.due_before(schedule.due(index) + 1), index + 1) << rate;
    }
  }
}

TEST(EchoSchedule, sends_each_request_once_if_the_prober_is_on_time) {
  Schedule schedule(100);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(schedule.next_due(), static_cast<Ns>(i) * 10 * kMillisecond);
    EXPECT_FALSE(schedule.take(schedule.next_due() - 1).send);
    const auto step = schedule.take(schedule.next_due());
    EXPECT_EQ(step.send, i);
    EXPECT_EQ(step.missed_from, step.missed_to);
  }
}

TEST(EchoSchedule, a_prober_that_was_stopped_sends_only_the_newest_request) {
  Schedule schedule(100);
  ASSERT_EQ(schedule.take(0).send, 0U);
  const auto step = schedule.take(505 * kMillisecond);
  EXPECT_EQ(step.send, 50U);
  EXPECT_EQ(step.missed_from, 1U);
  EXPECT_EQ(step.missed_to, 50U);
  EXPECT_FALSE(schedule.take(509 * kMillisecond).send) << "no burst";
  EXPECT_EQ(schedule.take(510 * kMillisecond).send, 51U);
}

TEST(EchoSchedule, at_the_end_unsent_requests_are_missed_and_none_is_due_at_the_end_itself) {
  Schedule schedule(100);
  ASSERT_EQ(schedule.take(0).send, 0U);
  const auto step = schedule.finish(50 * kMillisecond);
  EXPECT_FALSE(step.send);
  EXPECT_EQ(step.missed_from, 1U);
  EXPECT_EQ(step.missed_to, 5U);
}

}  // namespace
}  // namespace netperfd::echo
