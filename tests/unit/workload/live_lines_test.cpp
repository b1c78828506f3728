// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/live_lines.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace netperfd::workload::test {
namespace {

using namespace std::chrono_literals;

TestSpec asked_with(std::uint32_t streams, std::chrono::milliseconds interval) {
  TestSpec asked;
  asked.traffic.streams = streams;
  asked.traffic.interval = interval;
  return asked;
}

// How many of `lines` that come at once are parsed.
int count_parsed(LiveLines& lines, int count, LiveLines::Time now) {
  int parsed = 0;
  for (int i = 0; i < count; ++i) parsed += lines.may_parse("{}", now) ? 1 : 0;
  return parsed;
}

TEST(LiveLines, are_as_many_as_the_test_can_have_had) {
  LiveLines lines(asked_with(1, 100ms));
  const LiveLines::Time start{1h};
  EXPECT_EQ(count_parsed(lines, 1'000, start), 64) << "a few may come at once";
  EXPECT_EQ(count_parsed(lines, 1'000, start + 99ms), 0);
  EXPECT_EQ(count_parsed(lines, 1'000, start + 1s), 10);
  EXPECT_EQ(count_parsed(lines, 1'000, start + 61s), 600);
}

TEST(LiveLines, of_an_iperf3_that_is_in_time_are_all_parsed) {
  LiveLines lines(asked_with(1, 1s));
  LiveLines::Time now{1h};
  for (int i = 0; i < 10'000; ++i, now += 1s) EXPECT_TRUE(lines.may_parse("{}", now));
}

TEST(LiveLines, are_no_longer_than_an_interval_of_so_many_streams) {
  LiveLines few(asked_with(1, 1s));
  EXPECT_TRUE(few.may_parse(std::string(9'000, ' '), {}));
  EXPECT_FALSE(few.may_parse(std::string(10'000, ' '), {}));
  LiveLines many(asked_with(128, 1s));
  EXPECT_TRUE(many.may_parse(std::string(100'000, ' '), {}));
  EXPECT_FALSE(many.may_parse(std::string(1'000'000, ' '), {}));
}

}  // namespace
}  // namespace netperfd::workload::test
