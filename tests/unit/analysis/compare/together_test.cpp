// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/together.hpp"

#include <gtest/gtest.h>

namespace netperfd::analysis {
namespace {

constexpr double kLevel = 0.95;

TEST(Together, agrees_on_what_p_decides) {
  Together shown{.p = 0.05, .low = -0.1, .high = 4};
  let_agree(2, kLevel, shown);
  EXPECT_GT(*shown.low, 0);
  Together of_less{.p = 0.03, .low = -4, .high = 0.1};
  let_agree(-2, kLevel, of_less);
  EXPECT_LT(*of_less.high, 0);
  Together chance{.p = 0.051, .low = 0.1, .high = 4};
  let_agree(2, kLevel, chance);
  EXPECT_LE(*chance.low, 0);
}

TEST(Together, is_no_surer_than_the_figure_alone) {
  Together together{.p = 0.01, .low = 1, .high = 3};
  ShiftEstimate alone;
  alone.shift = 2;
  alone.low = -0.5;
  alone.high = 4.5;
  alone.p = 0.2;
  widen(alone, kLevel, together);
  EXPECT_EQ(together.p, 0.2);
  EXPECT_EQ(together.low, -0.5);
  EXPECT_EQ(together.high, 4.5);
}

// Of six blocks, no statistic is above the root of six.
TEST(Together, has_the_interval_of_p_where_the_wide_one_has_no_end) {
  const Samples blocks{.a = {0, 0, 0, 0, 0, 0}, .b = {2.0, 2.1, 1.9, 2.2, 1.8, 2.0}, .paired = true};
  const auto bounded = interval_of(blocks, 2.5, 2.0), narrow = interval_at(blocks, 2.0);
  ASSERT_TRUE(bounded && narrow);
  EXPECT_EQ(bounded->low, narrow->low);
  EXPECT_EQ(bounded->high, narrow->high);
  EXPECT_LT(interval_of(blocks, 2.2, 2.0)->low, narrow->low);
  EXPECT_FALSE(interval_of(blocks, 2.5, 2.5));
  EXPECT_FALSE(interval_of(blocks, {}, {}));
}

}  // namespace
}  // namespace netperfd::analysis
