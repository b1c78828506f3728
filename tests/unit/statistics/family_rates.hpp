// SPDX-License-Identifier: GPL-2.0-or-later
// How often comparisons of a FamilyHost blame, miss and find functions.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/unit/statistics/family_host.hpp"

namespace netperfd::analysis {

// A share of each comparison. What a comparison has in common is in all of its figures, so a comparison is
// one sample.
class ShareOfSets {
 public:
  void add(double share);
  void add(const ShareOfSets& other);
  [[nodiscard]] double percent() const;
  [[nodiscard]] double error() const;  // standard error of percent()

 private:
  double sets_ = 0, sum_ = 0, squares_ = 0;
};

// How often a function of 10 % of the time is found by the costs alone of functions with 1 % of the time or
// more, and by all figures of all functions.
struct FoundCostly {
  int alone = 0, together = 0;
  int differently = 0;  // by one of the two

  void add(const FoundCostly& other);
};

struct FamilyRates {
  int sets = 0;
  int blamed = 0;               // sets in which an unchanged function is shown
  int missed = 0;               // sets in which an interval of all together misses its truth
  ShareOfSets covered;          // single intervals of all figures that contain the truth
  ShareOfSets covered_changed;  // of figures that changed
  std::array<int, kPlantedNs.size()> planted = {};  // shown
  FoundCostly slower, frequent;

  void add(const FamilyRates& other);
};

// The numbers of simulated comparisons are for the gate. NETPERFD_FAMILY_SETS makes so many times as many,
// for figures that are more exact.
int sets_of(int in_gate);

FamilyRates rates_of_family(FamilyHost& host, const std::vector<FamilyFunction>& functions,
                            const FamilyDesign& design, int sets);

double percent_of(int count, int of);
// 99 % of binomial counts of so many at that rate are at most this.
int most_at(double rate, int of);

// The limits of blame and coverage, as far as so few comparisons can tell (99 %):
// - a function that did not change is shown in at most 5 %
// - of single intervals, 93 to 97.1 %, the highest level of one of so few samples
// - all intervals hold together in 93 % to 99 %. They have 95 %, but a function whose calls take many times
//   as long also varies more on B. Intervals that miss more seldom than in 1 % would waste power.
// `is_wide`: the calibration's error makes the intervals wider than chance needs, and they have no upper
// limit.
void expect_levels(const FamilyRates& rates, const std::string& where, bool is_wide = false);

void print_rates_head(const std::string& what);
void print_rates(const std::string& where, const FamilyRates& rates);

}  // namespace netperfd::analysis
