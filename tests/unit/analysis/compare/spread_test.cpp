// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/spread.hpp"

#include <gmock/gmock.h>

namespace netperfd::analysis {
namespace {

std::vector<Totals> run_with(std::optional<double> sent_direction,
                             std::optional<double> received_direction = {}) {
  std::vector<Totals> sums;
  Totals send;
  send.direction = Direction::send;
  send.received_bits_per_second = sent_direction;
  sums.push_back(send);
  if (received_direction) {
    Totals receive;
    receive.direction = Direction::receive;
    receive.received_bits_per_second = received_direction;
    sums.push_back(receive);
  }
  return sums;
}

TEST(Spread, is_empty_without_runs) {
  EXPECT_TRUE(received_spreads({}).empty());
}

TEST(Spread, of_one_run_has_no_variation) {
  const auto spreads = received_spreads({run_with(100)});
  ASSERT_EQ(spreads.size(), 1U);
  EXPECT_EQ(spreads[0].runs, 1U);
  EXPECT_DOUBLE_EQ(spreads[0].median, 100);
  EXPECT_FALSE(spreads[0].cv_percent);
}

TEST(Spread, takes_the_middle_value_of_an_odd_number_of_runs) {
  const auto spreads = received_spreads({run_with(90), run_with(110), run_with(103)});
  ASSERT_EQ(spreads.size(), 1U);
  EXPECT_DOUBLE_EQ(spreads[0].median, 103);
  EXPECT_DOUBLE_EQ(spreads[0].lowest, 90);
  EXPECT_DOUBLE_EQ(spreads[0].highest, 110);
  // Mean 101, deviations -11, 9, 2: sqrt((121 + 81 + 4) / 2) / 101.
  ASSERT_TRUE(spreads[0].cv_percent);
  EXPECT_NEAR(*spreads[0].cv_percent, 10.0485, 1e-3);
}

TEST(Spread, takes_the_mean_of_the_middle_two_of_an_even_number) {
  const auto spreads = received_spreads({run_with(4), run_with(1), run_with(3), run_with(2)});
  ASSERT_EQ(spreads.size(), 1U);
  EXPECT_DOUBLE_EQ(spreads[0].median, 2.5);
}

TEST(Spread, does_not_count_a_run_that_never_learnt_its_rate) {
  const auto spreads = received_spreads({run_with(100), run_with(std::nullopt), run_with(200)});
  ASSERT_EQ(spreads.size(), 1U);
  EXPECT_EQ(spreads[0].runs, 2U);
  EXPECT_DOUBLE_EQ(spreads[0].median, 150);
}

TEST(Spread, keeps_the_directions_apart_with_send_first) {
  const auto spreads = received_spreads({run_with(100, 7), run_with(200, 9)});
  ASSERT_EQ(spreads.size(), 2U);
  EXPECT_EQ(spreads[0].direction, Direction::send);
  EXPECT_DOUBLE_EQ(spreads[0].median, 150);
  EXPECT_EQ(spreads[1].direction, Direction::receive);
  EXPECT_DOUBLE_EQ(spreads[1].median, 8);
}

TEST(Spread, of_runs_that_moved_nothing_has_no_variation) {
  const auto spreads = received_spreads({run_with(0), run_with(0), run_with(0)});
  ASSERT_EQ(spreads.size(), 1U);
  EXPECT_FALSE(spreads[0].cv_percent);
}

}  // namespace
}  // namespace netperfd::analysis
