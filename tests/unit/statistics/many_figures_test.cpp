// SPDX-License-Identifier: GPL-2.0-or-later
// How often many figures together find something where nothing differs, and where one does.
// docs/statistics.md shows the figures that these tests print.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "daemon/analysis/compare/family_test.hpp"

namespace netperfd::analysis {
namespace {

// Twenty figures that share the luck of their block, as functions share that of their run.
class Family {
 public:
  explicit Family(std::uint64_t seed) : random_(seed) {}

  std::vector<Samples> figures(std::size_t blocks, double shift_of_first, bool paired) {
    std::vector<double> luck;
    for (std::size_t i = 0; i < 2 * blocks; ++i) luck.push_back(normal_(random_));
    std::vector<Samples> figures;
    for (int f = 0; f < 20; ++f) {
      Samples& samples = figures.emplace_back();
      samples.paired = paired;
      for (std::size_t i = 0; i < blocks; ++i) {
        samples.a.push_back(luck[2 * i] + normal_(random_));
        samples.b.push_back(luck[2 * i + 1] + normal_(random_) + (f == 0 ? shift_of_first : 0));
      }
    }
    return figures;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

// The number of 1,000 families in which some figure is found.
int found_any(std::size_t blocks, bool paired) {
  Family family(7);
  int found = 0;
  for (int set = 0; set < 1'000; ++set) {
    const auto p = test_family(family.figures(blocks, 0, paired), 0.95).p;
    if (std::ranges::min(p) <= 0.05) ++found;
  }
  return found;
}

TEST(FamilyTestBySimulation, finds_any_figure_by_chance_in_no_more_than_its_level) {
  // 99 % of binomial counts of 1,000 at 5 % are below 67.
  for (const std::size_t blocks : {6U, 8U}) {
    const int paired = found_any(blocks, true);
    fmt::print("{} blocks, 20 figures that do not differ: some found in {} of 1,000\n", blocks, paired);
    EXPECT_LT(paired, 67) << blocks;
    EXPECT_GT(paired, 10) << blocks;
  }
  const int unpaired = found_any(5, false);
  fmt::print("5 runs a side, 20 figures that do not differ: some found in {} of 1,000\n", unpaired);
  EXPECT_LT(unpaired, 67);
  EXPECT_GT(unpaired, 10);
}

// An interval of 7 % of the shift at six blocks.
TEST(FamilyTestBySimulation, finds_a_large_change_at_six_blocks_and_the_detectable_one_in_80_percent) {
  Family family(8);
  int large = 0, detectable = 0;
  constexpr int kFamilies = 500;
  constexpr double kSpread = 2;  // of a difference: two lucks and two own errors
  for (int set = 0; set < kFamilies; ++set) {
    if (test_family(family.figures(6, 15 * kSpread, true), 0.95).p[0] <= 0.05) ++large;
    // The mean critical value and the true spread, instead of those of the samples.
    const FamilyTest test = test_family(family.figures(6, 0, true), 0.95);
    const double shift = *test.detectable * kSpread;
    if (test_family(family.figures(6, shift, true), 0.95).p[0] <= 0.05) ++detectable;
  }
  fmt::print("6 blocks, 20 figures: one of 15 spreads found in {} of {}, the detectable one in {}\n", large,
             kFamilies, detectable);
  EXPECT_GT(large, kFamilies * 98 / 100);
  EXPECT_NEAR(detectable, kFamilies * 0.8, kFamilies * 0.08);
}

}  // namespace
}  // namespace netperfd::analysis
