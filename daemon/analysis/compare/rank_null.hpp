// SPDX-License-Identifier: GPL-2.0-or-later
// Null distributions of rank statistics, by counting. docs/statistics.md is the guide.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace netperfd::analysis {

// Distribution of Wilcoxon's signed rank or of the Mann-Whitney statistic, for continuous values: whole
// numbers from 0 to maximum(), symmetric about its half. Exact as long as counting is cheap, otherwise the
// normal approximation with continuity correction.
class RankNull {
 public:
  // Exact up to 60 values.
  [[nodiscard]] static RankNull signed_rank(std::uint64_t n);
  // Exact up to 3,600 pairs of values (60 on each side).
  [[nodiscard]] static RankNull mann_whitney(std::uint64_t n_a, std::uint64_t n_b);

  [[nodiscard]] std::uint64_t maximum() const { return maximum_; }
  [[nodiscard]] double mean() const { return static_cast<double>(maximum_) / 2; }
  [[nodiscard]] bool exact() const { return !lower_tail_.empty(); }

  // P(statistic <= value), for a value up to the half of maximum().
  [[nodiscard]] double lower_tail(std::uint64_t value) const;
  // The two-sided p of a statistic with this value in its nearer tail.
  [[nodiscard]] double two_sided(std::uint64_t value) const;
  // The largest value whose two-sided p is at most 1 - level; absent if even the p of 0 is above that.
  [[nodiscard]] std::optional<std::uint64_t> critical(double level) const;

 private:
  RankNull(std::uint64_t maximum, double variance);
  void accumulate(std::vector<double> lower_half, double all);

  std::uint64_t maximum_;
  double sd_;
  std::vector<double> lower_tail_;  // by value, up to the half of maximum_; empty: normal approximation
};

}  // namespace netperfd::analysis
