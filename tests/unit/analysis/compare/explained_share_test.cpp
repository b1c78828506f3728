#include "daemon/analysis/compare/explained_share.hpp"

#include <gmock/gmock.h>

namespace netperfd::analysis {
namespace {

ShiftEstimate shift(double low, double value, double high) {
  ShiftEstimate estimate;
  estimate.shift = value;
  estimate.low = low;
  estimate.high = high;
  return estimate;
}

TEST(ExplainedShare, is_the_part_over_the_whole) {
  const auto explained = explained_share(shift(7, 8, 9), shift(9, 10, 11));
  ASSERT_TRUE(explained);
  EXPECT_DOUBLE_EQ(explained->share, 0.8);
}

// Fieller's limits of 8 +- 1 over 10 +- 1: (80 -+ sqrt(80^2 - 99 * 63)) / 99.
TEST(ExplainedShare, of_symmetric_intervals_has_the_limits_of_fieller) {
  const auto explained = explained_share(shift(7, 8, 9), shift(9, 10, 11));
  EXPECT_NEAR(*explained->low, 0.6791197, 1e-6);
  EXPECT_NEAR(*explained->high, 0.9370420, 1e-6);
}

TEST(ExplainedShare, of_a_whole_that_is_known_exactly_has_the_limits_of_the_part) {
  const auto explained = explained_share(shift(-2, 1, 4), shift(10, 10, 10));
  EXPECT_DOUBLE_EQ(*explained->low, -0.2);
  EXPECT_DOUBLE_EQ(*explained->high, 0.4);
}

TEST(ExplainedShare, is_the_same_where_both_are_less) {
  const auto more = explained_share(shift(6, 8, 9), shift(9, 10, 12));
  const auto less = explained_share(shift(-9, -8, -6), shift(-12, -10, -9));
  EXPECT_DOUBLE_EQ(more->share, less->share);
  EXPECT_DOUBLE_EQ(*more->low, *less->low);
  EXPECT_DOUBLE_EQ(*more->high, *less->high);
}

TEST(ExplainedShare, of_a_part_against_the_whole_is_below_zero) {
  const auto with = explained_share(shift(6, 8, 9), shift(9, 10, 12));
  const auto against = explained_share(shift(-9, -8, -6), shift(9, 10, 12));
  EXPECT_DOUBLE_EQ(*against->low, -*with->high);
  EXPECT_DOUBLE_EQ(*against->high, -*with->low);
}

TEST(ExplainedShare, has_limits_where_the_whole_may_be_twice_what_it_seems) {
  for (const double high : {19.0, 20.0, 21.0, 40.0}) {
    const auto explained = explained_share(shift(7, 8, 9), shift(9, 10, high));
    EXPECT_GT(*explained->low, 0.1) << high;
    EXPECT_LT(*explained->low, 0.45) << high;
    EXPECT_GT(*explained->high, 0.8) << high;
  }
}

TEST(ExplainedShare, is_unknown_of_a_whole_that_may_be_none) {
  EXPECT_FALSE(explained_share(shift(7, 8, 9), shift(-1, 10, 21)));
  EXPECT_FALSE(explained_share(shift(7, 8, 9), shift(0, 10, 21)));
  EXPECT_FALSE(explained_share(shift(7, 8, 9), {}));
}

TEST(ExplainedShare, without_an_interval_of_the_part_has_none) {
  ShiftEstimate part;
  part.shift = 5;
  const auto explained = explained_share(part, shift(9, 10, 11));
  ASSERT_TRUE(explained);
  EXPECT_FALSE(explained->low);
}

}  // namespace
}  // namespace netperfd::analysis
