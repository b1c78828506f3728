// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/rank_statistics.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "daemon/analysis/compare/rank_null.hpp"

namespace netperfd::analysis {
namespace {

std::vector<double> drawn(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> values;
  // Quarters add and shift without rounding, so that equalities below are exact.
  for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<double>(engine() % 100'003) / 4);
  return values;
}

std::vector<double> shifted(std::vector<double> values, double by) {
  for (double& value : values) value += by;
  return values;
}

std::vector<double> negated(std::vector<double> values) {
  for (double& value : values) value = -value;
  return values;
}

TEST(SignedRank, moves_with_its_values) {
  const auto values = drawn(9, 1);
  const Location here = signed_rank(values);
  const Location there = signed_rank(shifted(values, 1000));
  EXPECT_EQ(there.estimate, here.estimate + 1000);
  EXPECT_EQ(there.interval->low, here.interval->low + 1000);
  EXPECT_EQ(there.interval->high, here.interval->high + 1000);
}

TEST(SignedRank, turns_over_with_its_values) {
  const auto values = shifted(drawn(10, 2), -12'000);
  const Location here = signed_rank(values);
  const Location there = signed_rank(negated(values));
  EXPECT_EQ(there.estimate, -here.estimate);
  EXPECT_EQ(there.interval->low, -here.interval->high);
  EXPECT_EQ(there.p, here.p);
}

TEST(SignedRank, does_not_depend_on_the_order_of_its_values) {
  auto values = drawn(12, 3);
  const Location here = signed_rank(values);
  std::ranges::reverse(values);
  EXPECT_EQ(signed_rank(values).estimate, here.estimate);
  EXPECT_EQ(signed_rank(values).interval->low, here.interval->low);
}

// The interval holds exactly the shifts that the test does not reject, and p is at most 0.05 exactly if it
// does not hold 0: the printed values never contradict each other.
template <typename LocateShifted>
void expect_interval_inverts_test(LocateShifted locate_shifted) {
  const Interval interval = *locate_shifted(0).interval;
  for (const double inside : {interval.low, interval.high, (interval.low + interval.high) / 2}) {
    EXPECT_GT(locate_shifted(-inside).p, 0.05);
  }
  for (const double outside : {interval.low - 0.01, interval.high + 0.01}) {
    EXPECT_LE(locate_shifted(-outside).p, 0.05);
    EXPECT_NEAR(locate_shifted(-outside).p, 1 - interval.level, 1e-12);
  }
}

TEST(SignedRank, has_the_interval_that_inverts_its_test) {
  for (std::size_t n = 6; n <= 30; n += 3) {
    const auto values = drawn(n, 40 + n);
    expect_interval_inverts_test([&](double by) { return signed_rank(shifted(values, by)); });
  }
}

TEST(MannWhitney, has_the_interval_that_inverts_its_test) {
  for (std::size_t n = 4; n <= 20; n += 4) {
    const auto a = drawn(n, 50 + n);
    const auto b = drawn(n + 3, 90 + n);
    expect_interval_inverts_test([&](double by) { return mann_whitney(a, shifted(b, by)); });
  }
}

TEST(MannWhitney, turns_over_when_its_sides_are_exchanged) {
  const auto a = drawn(8, 4);
  const auto b = drawn(11, 5);
  const Location forth = mann_whitney(a, b);
  const Location back = mann_whitney(b, a);
  EXPECT_EQ(back.estimate, -forth.estimate);
  EXPECT_EQ(back.interval->low, -forth.interval->high);
  EXPECT_EQ(back.interval->level, forth.interval->level);
  EXPECT_EQ(back.p, forth.p);
  EXPECT_EQ(cliffs_delta(b, a), -cliffs_delta(a, b));
}

TEST(MannWhitney, moves_with_one_side) {
  const auto a = drawn(7, 6);
  const auto b = drawn(7, 7);
  EXPECT_EQ(mann_whitney(a, shifted(b, 250)).estimate, mann_whitney(a, b).estimate + 250);
  EXPECT_EQ(mann_whitney(shifted(a, 250), b).interval->high, mann_whitney(a, b).interval->high - 250);
}

// Uses all pairs in order, which the library never stores.
TEST(MannWhitney, finds_the_order_statistics_of_all_differences) {
  for (const std::size_t n : {5U, 6U, 33U, 90U}) {
    const auto a = drawn(n, n);
    const auto b = drawn(n + 1, n + 1000);
    std::vector<double> differences;
    for (const double x : a) {
      for (const double y : b) differences.push_back(y - x);
    }
    std::ranges::sort(differences);
    const auto critical = RankNull::mann_whitney(n, n + 1).critical(0.95);
    const Location location = mann_whitney(a, b);
    EXPECT_EQ(location.estimate, median(differences));
    EXPECT_EQ(location.interval->low, differences[*critical]);
    EXPECT_EQ(location.interval->high, differences[differences.size() - 1 - *critical]);
  }
}

TEST(SignedRank, finds_the_order_statistics_of_all_averages) {
  for (const std::size_t n : {6U, 7U, 60U, 131U}) {
    const auto values = drawn(n, 7 * n);
    std::vector<double> averages;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i; j < n; ++j) averages.push_back((values[i] + values[j]) / 2);
    }
    std::ranges::sort(averages);
    const auto critical = RankNull::signed_rank(n).critical(0.95);
    EXPECT_EQ(signed_rank(values).estimate, median(averages));
    EXPECT_EQ(signed_rank(values).interval->low, averages[*critical]);
    EXPECT_EQ(signed_rank(values).interval->high, averages[averages.size() - 1 - *critical]);
  }
}

TEST(SignedRank, has_an_interval_from_six_values_on) {
  EXPECT_FALSE(signed_rank(drawn(5, 8)).interval);
  ASSERT_TRUE(signed_rank(drawn(6, 8)).interval);
  EXPECT_DOUBLE_EQ(signed_rank(drawn(6, 8)).interval->level, 0.96875);
  EXPECT_EQ(fewest_for_signed_rank(), 6U);
  EXPECT_EQ(fewest_for_signed_rank(0.99), 8U);
}

TEST(MannWhitney, has_an_interval_from_four_a_side_on) {
  EXPECT_FALSE(mann_whitney(drawn(3, 9), drawn(3, 10)).interval);
  EXPECT_TRUE(mann_whitney(drawn(4, 9), drawn(4, 10)).interval);
  EXPECT_EQ(fewest_for_mann_whitney(), 4U);
  EXPECT_EQ(fewest_for_mann_whitney(0.99), 5U);
}

TEST(SignedRank, can_never_be_certain) {
  EXPECT_FALSE(signed_rank(drawn(40, 11), 1).interval);
  EXPECT_FALSE(signed_rank(drawn(70, 11), 1).interval);
}

TEST(SignedRank, of_one_value_is_that_value) {
  const Location location = signed_rank(std::vector{0.25});
  EXPECT_EQ(location.estimate, 0.25);
  EXPECT_EQ(location.p, 1);
}

TEST(SignedRank, of_nothing_but_zeros_finds_nothing) {
  const Location location = signed_rank(std::vector<double>(8, 0.0));
  EXPECT_EQ(location.estimate, 0);
  EXPECT_EQ(location.interval->low, 0);
  EXPECT_EQ(location.interval->high, 0);
  EXPECT_EQ(location.p, 1);
}

TEST(MannWhitney, counts_ties_against_a_difference) {
  const std::vector<double> a = {1, 2, 3, 4, 5, 6};
  const auto above = shifted(a, 6);
  const auto touching = shifted(a, 5);  // 6 is in both sides
  EXPECT_NEAR(mann_whitney(a, above).p, 2.0 / 924, 1e-12);
  EXPECT_NEAR(mann_whitney(a, touching).p, 4.0 / 924, 1e-12);
}

TEST(MannWhitney, goes_on_beyond_what_is_counted) {
  const auto a = drawn(61, 12);
  const auto b = shifted(drawn(61, 13), 500);
  const Location beyond = mann_whitney(a, b);
  const std::vector<double> fewer_a(a.begin(), a.end() - 1);
  const Location counted = mann_whitney(fewer_a, std::vector(b.begin(), b.end() - 1));
  ASSERT_TRUE(beyond.interval && counted.interval);
  EXPECT_EQ(beyond.interval->level, 0.95);
  EXPECT_GT(counted.interval->level, 0.95);
  EXPECT_NEAR(beyond.p, counted.p, 0.1);
}

TEST(RankNull, is_close_to_normal_where_counting_ends) {
  const RankNull counted = RankNull::signed_rank(60);
  const RankNull approximated = RankNull::signed_rank(61);
  ASSERT_TRUE(counted.exact());
  ASSERT_FALSE(approximated.exact());
  const auto place = [](const RankNull& null, double share) {
    return null.lower_tail(static_cast<std::uint64_t>(share * null.mean()));
  };
  for (const double share : {0.6, 0.75, 0.9}) {
    EXPECT_NEAR(place(counted, share), place(approximated, share), 0.01);
  }
  const RankNull pairs = RankNull::mann_whitney(60, 60);
  ASSERT_TRUE(pairs.exact());
  EXPECT_NEAR(pairs.lower_tail(1427), RankNull::mann_whitney(60, 61).lower_tail(1450), 0.002);
  EXPECT_NEAR(pairs.lower_tail(1799), 0.5, 0.003);
}

// Of 60 and 60 values there is one order without an inversion, one with one inversion, and two with two.
TEST(RankNull, keeps_its_smallest_probabilities) {
  const RankNull pairs = RankNull::mann_whitney(60, 60);
  EXPECT_NEAR(pairs.lower_tail(1) / pairs.lower_tail(0), 2, 1e-12);
  EXPECT_NEAR(pairs.lower_tail(2) / pairs.lower_tail(0), 4, 1e-12);
  EXPECT_NEAR(std::log(pairs.lower_tail(0)), 2 * std::lgamma(61) - std::lgamma(121), 1e-9);
  EXPECT_DOUBLE_EQ(RankNull::signed_rank(60).lower_tail(0), std::exp2(-60));
}

TEST(CliffsDelta, is_one_where_all_of_b_is_above) {
  EXPECT_EQ(cliffs_delta(std::vector{1.0, 2.0}, std::vector{3.0, 4.0, 5.0}), 1);
  EXPECT_EQ(cliffs_delta(std::vector{3.0, 4.0}, std::vector{1.0}), -1);
  EXPECT_EQ(cliffs_delta(std::vector{1.0, 1.0}, std::vector{1.0}), 0);
}

}  // namespace
}  // namespace netperfd::analysis
