// SPDX-License-Identifier: GPL-2.0-or-later
// Tests many figures of the same samples together: which of them differ between the sides, when each of many
// has its chance to seem so?
//
// The statistic of a figure is that of a t test, on a scale that exchanging labels keeps bounded. The sides
// of each block are exchanged in all ways, or the labels A and B of the runs, for all figures at once, so
// that figures which move together stay together. The adjusted p of a figure is the share of exchanges in
// which the largest statistic is at least as large as its own (Westfall and Young 1993, step-down: Ge, Dudoit
// and Speed, TEST 12, 2003). With adjusted p <= 0.05, the chance of even one false finding is at most 5 %.
//
// Unlike q of rank tests, the smallest adjusted p does not grow with the number of figures: with six blocks
// it is 2 / 64, however many there are, where Benjamini and Hochberg's q of one among two is above 0.06.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "daemon/analysis/compare/grouping.hpp"

namespace netperfd::analysis {

struct FamilyTest {
  std::vector<double> p;  // adjusted, in the order of the figures
  // The same without stepping down: the share of exchanges in which the largest statistic of all figures is
  // at least as large. Not below p, and at most 1 - level exactly if interval_at(critical) leaves out 0.
  std::vector<double> p_together;
  // The statistic that one of the first figures must exceed to be found at 1 - level, and that one of the
  // rest must; absent if so few samples find nothing.
  std::optional<double> critical, critical_rest;
  // Not below these, for the intervals: the exchanges of a figure that differs much are hardly any, so those
  // of samples without their own difference count, too.
  std::optional<double> wide, wide_rest;
  // The shift of a figure that is then found with 80 % power, in units of its spread_of(): by simulation
  // up to six blocks or four runs a side, beyond them by the noncentral t.
  std::optional<double> detectable, detectable_rest;
};

// All figures must have the same numbers of samples, at least one on each side, and be paired alike. Exact if
// there are at most 20,000 exchanges that are no mirrors of one another (15 blocks), otherwise from 1,000 to
// 4,000 of them, drawn from a fixed seed: fewer of many samples.
//
// The first `first` figures are those that matter most, chosen without looking at the sides; 0: all are
// alike. The rest must differ more clearly, so that the first hardly lose power to them, however many they
// are (weights: Genovese, Roeder and Wasserman, Biometrika 93, 2006).
[[nodiscard]] FamilyTest test_family(const std::vector<Samples>& figures, double level,
                                     std::size_t first = 0);

// The shifts of a figure that its samples do not contradict: those by which they can be moved so that their
// statistic is at most `critical`. With FamilyTest::wide, the intervals of all its figures hold together at
// its level, if a shift leaves the spread as it is. Absent if it is unbounded.
struct ShiftInterval {
  double low = 0, high = 0;
};
[[nodiscard]] std::optional<ShiftInterval> interval_at(const Samples& samples, double critical);

}  // namespace netperfd::analysis
