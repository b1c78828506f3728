// SPDX-License-Identifier: GPL-2.0-or-later
// How often many figures together find something where nothing differs, and where one does.
// docs/statistics.md shows the figures that these tests print.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
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

TEST(FamilyTestBySimulation, finds_a_large_change_at_six_blocks) {
  Family family(8);
  int large = 0;
  for (int set = 0; set < 500; ++set) {
    if (test_family(family.figures(6, 30, true), 0.95).p[0] <= 0.05) ++large;
  }
  fmt::print("6 blocks, 20 figures: a change of 15 spreads found in {} of 500\n", large);
  EXPECT_GT(large, 490);
}

// How often, of 100, the change of a figure is found that one comparison says that it would find in 80.
TEST(FamilyTestBySimulation, finds_the_change_in_80_percent_of_which_it_says_so) {
  struct Sizes {
    std::size_t blocks;
    bool paired;
    std::size_t figures;
  };
  for (const Sizes& design : {Sizes{6, true, 20}, Sizes{6, true, 1}, Sizes{7, true, 20}, Sizes{8, true, 20},
                              Sizes{4, false, 20}, Sizes{5, false, 20}, Sizes{6, false, 20}}) {
    Family family(8);
    int found = 0;
    constexpr int kFamilies = 1'000;
    std::vector<double> said;
    const double spread = design.paired ? 2 : std::sqrt(2);  // two lucks and two own errors, or one of each
    const auto figures = [&](double shift) {
      auto all = family.figures(design.blocks, shift, design.paired);
      all.resize(design.figures);
      return all;
    };
    for (int set = 0; set < 20; ++set) said.push_back(*test_family(figures(0), 0.95).detectable * spread);
    for (int set = 0; set < kFamilies; ++set) {
      if (test_family(figures(said.at(static_cast<std::size_t>(set) % said.size())), 0.95).p[0] <= 0.05)
        ++found;
    }
    const double percent = 100.0 * found / kFamilies;
    fmt::print("{} {}, {} figures: the change said to be found in 80 % is found in {:.1f} %\n", design.blocks,
               design.paired ? "blocks" : "runs a side", design.figures, percent);
    EXPECT_NEAR(percent, 80, 4) << design.blocks;
  }
}

}  // namespace
}  // namespace netperfd::analysis
