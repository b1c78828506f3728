// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/sweep_trend.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <utility>

#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Blocks of one run a side; B is above A by exp(rise), and blocks differ by less than that.
PointRuns point_of(std::vector<std::string> values, double rise, std::uint32_t blocks = 8) {
  PointRuns point{.values = std::move(values), .a = {}, .b = {}};
  for (std::uint32_t block = 1; block <= blocks; ++block) {
    ComparedRun a = run_at(static_cast<int>(2 * block), 1e9 * std::exp(0.3 * block));
    a.job = 1;
    a.block = block;
    ComparedRun b = a;
    b.received_bits_per_second = *a.received_bits_per_second * std::exp(rise + 0.0001 * block);
    point.a.push_back(std::move(a));
    point.b.push_back(std::move(b));
  }
  return point;
}

const std::vector<ComparedFigure> kReceived{{}};

TEST(SweepTrend, is_the_rise_of_a_straight_line_from_the_first_value_to_the_last) {
  // Values of the least-squares line at even distances: 0, 2 and 10 % at 0, 1, 2 rise by 10 %, whatever the
  // middle is.
  const auto trends = sweep_trends(
      {"streams"}, {point_of({"1"}, 0), point_of({"4"}, 0.02), point_of({"16"}, 0.1)}, kReceived, 0.95);
  ASSERT_THAT(trends, SizeIs(1));
  EXPECT_EQ(trends[0].axis, "streams");
  EXPECT_EQ(trends[0].at, "");
  EXPECT_EQ(trends[0].blocks, 8U);
  EXPECT_EQ(trends[0].points, 3U);
  EXPECT_TRUE(trends[0].monotone);
  EXPECT_NEAR(*trends[0].ratio, std::exp(0.1), 1e-9);
  EXPECT_LE(*trends[0].p_adjusted, 0.01);
}

TEST(SweepTrend, is_in_the_order_of_numbers_not_of_the_text) {
  const auto trends = sweep_trends(
      {"length"}, {point_of({"1K"}, 0.1), point_of({"64"}, 0), point_of({"512"}, 0.05)}, kReceived, 0.95);
  ASSERT_THAT(trends, SizeIs(1));
  EXPECT_TRUE(trends[0].monotone);
  EXPECT_GT(*trends[0].ratio, 1);
}

TEST(SweepTrend, that_turns_is_not_monotone) {
  const auto trends = sweep_trends(
      {"streams"}, {point_of({"1"}, 0), point_of({"4"}, 0.1), point_of({"16"}, 0.05)}, kReceived, 0.95);
  ASSERT_THAT(trends, SizeIs(1));
  EXPECT_FALSE(trends[0].monotone);
}

TEST(SweepTrend, takes_three_values_that_are_numbers_and_blocks_that_have_all_points) {
  EXPECT_THAT(sweep_trends({"streams"}, {point_of({"1"}, 0), point_of({"4"}, 1)}, kReceived, 0.95),
              IsEmpty());
  EXPECT_THAT(
      sweep_trends({"congestion"}, {point_of({"cubic"}, 0), point_of({"bbr"}, 1), point_of({"reno"}, 2)},
                   kReceived, 0.95),
      IsEmpty());
  EXPECT_THAT(sweep_trends({"length"}, {point_of({"1024"}, 0), point_of({"1K"}, 1), point_of({"2K"}, 2)},
                           kReceived, 0.95),
              IsEmpty())
      << "two values are one number";
  const auto some = sweep_trends(
      {"streams"}, {point_of({"1"}, 0), point_of({"4"}, 1, 5), point_of({"16"}, 2)}, kReceived, 0.95);
  ASSERT_THAT(some, SizeIs(1));
  EXPECT_EQ(some[0].blocks, 5U);
  EXPECT_FALSE(some[0].low) << "too few for an interval";
  EXPECT_THAT(sweep_trends({"streams"}, {point_of({"1"}, 0), point_of({"4"}, 1, 0), point_of({"16"}, 2)},
                           kReceived, 0.95),
              IsEmpty());
}

TEST(SweepTrend, is_one_for_each_combination_of_the_other_values_and_shares_the_level_with_all) {
  std::vector<PointRuns> points;
  for (const char* length : {"64", "512"}) {
    for (const char* streams : {"1", "4", "16"}) points.push_back(point_of({streams, length}, 0.01, 12));
  }
  const auto trends = sweep_trends({"streams", "length"}, points, kReceived, 0.95);
  ASSERT_THAT(trends, SizeIs(2));
  EXPECT_EQ(trends[0].at, "length=64");
  EXPECT_EQ(trends[1].at, "length=512");
  EXPECT_GE(trends[0].level, 0.975);
}

TEST(SweepTrend, leaves_out_points_that_lack_a_value_of_an_axis) {
  std::vector<PointRuns> points{point_of({"1", "64"}, 0),    point_of({"4", "64"}, 0.05),
                                point_of({"16", "64"}, 0.1), point_of({}, 0),
                                point_of({"32"}, 0),         point_of({"1", "2", "3"}, 0)};
  const auto trends = sweep_trends({"streams", "length"}, points, kReceived, 0.95);
  ASSERT_THAT(trends, SizeIs(1));
  EXPECT_EQ(trends[0].points, 3U);
}

TEST(SweepTrend, reads_numbers_with_the_letters_that_lengths_have) {
  EXPECT_EQ(number_of("1448"), 1448);
  EXPECT_EQ(number_of("0.5"), 0.5);
  EXPECT_EQ(number_of("64K"), 65536);
  EXPECT_EQ(number_of("1M"), 1048576);
  for (const char* other : {"", "K", "1s", "1KK", "inf", "nan", "0x10", "1 "})
    EXPECT_FALSE(number_of(other)) << other;
}

}  // namespace
}  // namespace netperfd::analysis
