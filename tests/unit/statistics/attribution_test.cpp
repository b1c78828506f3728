// SPDX-License-Identifier: GPL-2.0-or-later
// One of two hundred functions changes by a known amount, on a host whose runs vary. Does that function come
// first, and do the intervals hold the truth as often as they claim?
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "tests/unit/statistics/synthetic_functions.hpp"

namespace netperfd::analysis {
namespace {

constexpr int kSets = 500;
// Additional cost of the change, in code that is not traced.
constexpr double kUntracedMore = 0.04;
constexpr double kTrueShare = kTruth / (kTruth + kUntracedMore);

TEST(AttributionBySimulation, finds_forty_nanoseconds_in_one_of_two_hundred_functions) {
  FunctionHost host(6);
  int first = 0, covered = 0, with_share = 0, covered_share = 0, covered_own = 0, significant = 0;
  double false_share = 0;  // share of false ones among those with q < 0.05, summed over the sets
  for (int set = 0; set < kSets; ++set) {
    const Comparison comparison =
        compare(host.side({}), host.side({.ns_more = kNsMore, .untraced_more = kUntracedMore}), {});
    const Attribution& attribution = comparison.attribution;
    ASSERT_EQ(attribution.not_attributed, "");
    const FunctionDelta& top = attribution.functions.front();
    if (top.name == "changed") ++first;
    int discoveries = 0, right = 0;
    for (const FunctionDelta& function : attribution.functions) {
      if (!function.cost.q || *function.cost.q >= 0.05) continue;
      ++discoveries;
      if (function.name == "changed") ++right;
    }
    significant += right;
    if (discoveries > 0) false_share += static_cast<double>(discoveries - right) / discoveries;
    if (top.cost.low && *top.cost.low <= kTruth && kTruth <= *top.cost.high) ++covered;
    if (attribution.explained) ++with_share;
    if (attribution.explained_low && *attribution.explained_low <= kTrueShare &&
        kTrueShare <= *attribution.explained_high) {
      ++covered_share;
    }
    // It is all that the functions changed by.
    if (top.share_low && *top.share_low <= kTrueShare && kTrueShare <= *top.share_high) ++covered_own;
  }
  RecordProperty("first", first);
  RecordProperty("covered", covered);
  RecordProperty("with_share", with_share);
  RecordProperty("covered_share", covered_share);
  RecordProperty("covered_own_share", covered_own);
  RecordProperty("significant", significant);
  RecordProperty("false_discoveries_percent", std::to_string(100 * false_share / kSets));
  EXPECT_EQ(first, kSets);
  EXPECT_EQ(significant, kSets);
  EXPECT_LE(false_share, 0.07 * kSets);  // 5 % by definition, plus two percentage points for chance
  EXPECT_GE(covered, kSets * 93 / 100);
  EXPECT_GE(with_share, kSets * 93 / 100);  // in the others, plain and traced runs disagree by chance
  EXPECT_GE(covered_share, with_share * 93 / 100);
  EXPECT_GE(covered_own, with_share * 93 / 100);
}

// Then no function may be blamed, and the account must show the rest.
TEST(AttributionBySimulation, blames_no_function_for_a_cause_in_untraced_code) {
  FunctionHost host(7);
  constexpr int kFewer = 100;
  int blamed = 0, explained = 0, no_share = 0, rest = 0;
  for (int set = 0; set < kFewer; ++set) {
    const Attribution attribution = compare(host.side({}), host.side({.untraced_more = 0.2}), {}).attribution;
    const bool some = std::ranges::any_of(
        attribution.functions, [](const FunctionDelta& function) { return function.shown_by.has_value(); });
    if (some) ++blamed;
    if (!attribution.explained) ++no_share;
    if (attribution.explained_low && *attribution.explained_low > 0) ++explained;
    if (*attribution.account->rest.low <= 0.2 && 0.2 <= *attribution.account->rest.high) ++rest;
  }
  fmt::print(
      "a cause in untraced code, of {}: a function blamed {}, a share above 0 {}, no share {}, the rest's "
      "interval contains it {}\n",
      kFewer, blamed, explained, no_share, rest);
  EXPECT_LE(blamed, 11);  // 99 % of binomial counts at 5 %
  EXPECT_LE(explained, 11);
  EXPECT_LE(no_share, 50);
  EXPECT_GE(rest, 89);
}

}  // namespace
}  // namespace netperfd::analysis
