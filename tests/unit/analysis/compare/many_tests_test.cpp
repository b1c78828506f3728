// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/many_tests.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

namespace netperfd::analysis {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(BenjaminiHochberg, of_nothing_is_nothing) {
  EXPECT_THAT(benjamini_hochberg({}), IsEmpty());
}

TEST(BenjaminiHochberg, leaves_a_single_p_as_it_is) {
  EXPECT_THAT(benjamini_hochberg(std::vector{0.03}), ElementsAre(DoubleEq(0.03)));
}

TEST(BenjaminiHochberg, takes_the_least_rate_of_all_greater_p) {
  // 0.04 * 3 / 2 is 0.06, but 0.041 * 3 / 3 is less.
  EXPECT_THAT(benjamini_hochberg(std::vector{0.04, 0.041, 0.001}),
              ElementsAre(DoubleEq(0.041), DoubleEq(0.041), DoubleEq(0.003)));
}

TEST(BenjaminiHochberg, never_goes_below_p_nor_above_one) {
  const std::vector<double> p = {1, 0.9, 0.2, 0.2, 0.0001, 0};
  const auto q = benjamini_hochberg(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_GE(q[i], p[i]);
    EXPECT_LE(q[i], 1);
  }
}

TEST(BenjaminiHochberg, keeps_the_order_of_p) {
  std::vector<double> p = {0.5, 0.01, 0.04, 0.2, 0.03};
  auto q = benjamini_hochberg(p);
  std::ranges::sort(p);
  std::ranges::sort(q);
  EXPECT_EQ(benjamini_hochberg(p), q);
}

}  // namespace
}  // namespace netperfd::analysis
