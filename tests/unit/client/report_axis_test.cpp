// SPDX-License-Identifier: GPL-2.0-or-later
// The scales of drawings.
#include "client/report/axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace netperfctl::report {
namespace {

using Ticks = std::vector<double>;

std::vector<std::string> texts(const Axis& axis) {
  std::vector<std::string> all;
  for (const double tick : axis.ticks) all.push_back(tick_text(axis, tick));
  return all;
}

TEST(NiceTicks, are_round_numbers_within_both_ends) {
  EXPECT_EQ(nice_ticks(0, 10, 6), (Ticks{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(nice_ticks(3, 97, 6), (Ticks{20, 40, 60, 80}));
  EXPECT_EQ(nice_ticks(-3, 3, 4), (Ticks{-2, 0, 2}));
  EXPECT_EQ(nice_ticks(1'000'000, 1'000'010, 3), (Ticks{1'000'000, 1'000'005, 1'000'010}));
}

TEST(NiceTicks, are_never_more_than_asked) {
  for (const double high : {1e-9, 0.37, 1.0, 9.99, 86'400.0, 3e12}) {
    for (std::size_t most = 2; most < 12; ++most) {
      const Ticks ticks = nice_ticks(0, high, most);
      EXPECT_LE(ticks.size(), most) << high;
      EXPECT_GE(ticks.size(), 1U) << high;
      EXPECT_LE(ticks.back(), high * (1 + 1e-9));
    }
  }
}

TEST(NiceTicks, do_not_exist_without_a_range) {
  EXPECT_TRUE(nice_ticks(1, 1, 5).empty());
  EXPECT_TRUE(nice_ticks(2, 1, 5).empty());
  EXPECT_TRUE(nice_ticks(0, std::numeric_limits<double>::infinity(), 5).empty());
  EXPECT_TRUE(nice_ticks(std::nan(""), 1, 5).empty());
}

TEST(LinearAxis, contains_its_values_and_ends_at_ticks) {
  const Axis axis = linear_axis(-1.3, 7.2, 6);
  EXPECT_LE(axis.low, -1.3);
  EXPECT_GE(axis.high, 7.2);
  EXPECT_EQ(axis.ticks.front(), axis.low);
  EXPECT_EQ(axis.ticks.back(), axis.high);
  EXPECT_EQ(axis.at(axis.low), "0%");
  EXPECT_EQ(axis.at(axis.high), "100%");
  EXPECT_EQ(axis.at(1e9), "100%");
}

TEST(LinearAxis, has_room_around_a_single_value) {
  for (const double value : {0.0, -2.5, 80.0}) {
    const Axis axis = linear_axis(value, value, 5);
    EXPECT_LT(axis.low, value);
    EXPECT_GT(axis.high, value);
  }
  EXPECT_EQ(linear_axis(std::nan(""), std::nan(""), 5).at(0), "50%");
}

TEST(AxisForDots, begins_at_zero_unless_the_values_are_close_together) {
  EXPECT_EQ(axis_for_dots(30, 130, 6).low, 0);
  EXPECT_EQ(axis_for_dots(0, 0.5, 6).low, 0);
  EXPECT_EQ(axis_for_dots(80, 80, 6).low, 0);
  EXPECT_GT(axis_for_dots(120, 130, 6).low, 100);
}

TEST(LogarithmicAxis, has_powers_of_ten) {
  const Axis axis = logarithmic_axis(30, 70'000);
  EXPECT_EQ(texts(axis), (std::vector<std::string>{"10", "100", "1,000", "10,000", "100,000"}));
  EXPECT_EQ(axis.at(100), "25%");
  EXPECT_EQ(axis.at(0), "0%");
  EXPECT_EQ(texts(logarithmic_axis(20, 40)), (std::vector<std::string>{"10", "20", "50", "100"}));
  EXPECT_EQ(logarithmic_axis(0, 0).ticks.front(), 1);
}

TEST(TickText, has_as_many_decimals_as_the_steps_need) {
  EXPECT_EQ(texts(linear_axis(0, 1, 5)), (std::vector<std::string>{"0.0", "0.5", "1.0"}));
  EXPECT_EQ(texts(linear_axis(0, 2'000, 3)), (std::vector<std::string>{"0", "1,000", "2,000"}));
  EXPECT_EQ(texts(linear_axis(-2'000, 0, 3)), (std::vector<std::string>{"-2,000", "-1,000", "0"}));
}

}  // namespace
}  // namespace netperfctl::report
