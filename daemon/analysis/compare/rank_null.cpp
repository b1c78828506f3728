// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/rank_null.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <functional>
#include <utility>

// Counts are doubles: C(120, 60) does not fit into 64 bits. Each is built only by adding positive numbers, so
// its relative error stays below the number of values times 2^-53, about 1e-14, and nothing cancels. The
// usual quotient of Gaussian binomials would subtract.
namespace netperfd::analysis {
namespace {

constexpr std::uint64_t kExactValues = 60;
constexpr std::uint64_t kExactPairs = kExactValues * kExactValues;

// Keeps an interval that has exactly this level from being lost to the rounding of 1 - level.
double two_sided_alpha(double level) {
  return std::max(1 - level, 0.0) * (1 + 1e-12);
}

// For each sum, the number of ways to give signs to the ranks 1 to n so that the positive ones add up to it.
std::vector<double> signed_rank_counts(std::size_t n) {
  std::vector<double> counts(n * (n + 1) / 4 + 1);
  counts[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t sum = counts.size(); sum-- > rank;) counts[sum] += counts[sum - rank];
  }
  return counts;
}

// For each number of inverted pairs, the number of orders of `few` and `many` values that have it. The
// largest value belongs either to the many, which inverts nothing, or to the few, which inverts it with each
// of the many: c(f, m, u) = c(f, m - 1, u) + c(f - 1, m, u - m). `of[f]` has c(f, m, u) for one m after the
// other.
std::vector<double> mann_whitney_counts(std::size_t few, std::size_t many) {
  const std::size_t size = few * many / 2 + 1;
  std::vector<std::vector<double>> of(few + 1, std::vector<double>(size));
  for (auto& counts : of) counts[0] = 1;
  for (std::size_t m = 1; m <= many; ++m) {
    for (std::size_t f = 1; f <= few; ++f) {
      const std::size_t end = std::min(size, f * m + 1);
      if (end <= m) continue;
      std::transform(of[f - 1].data(), of[f - 1].data() + (end - m), of[f].data() + m, of[f].data() + m,
                     std::plus());
    }
  }
  return std::move(of[few]);
}

}  // namespace

RankNull::RankNull(std::uint64_t maximum, double variance) : maximum_(maximum), sd_(std::sqrt(variance)) {}

RankNull RankNull::signed_rank(std::uint64_t n) {
  const auto number = static_cast<double>(n);
  RankNull null(n * (n + 1) / 2, number * (number + 1) * (2 * number + 1) / 24);
  if (n <= kExactValues) null.accumulate(signed_rank_counts(n), std::exp2(number));
  return null;
}

RankNull RankNull::mann_whitney(std::uint64_t n_a, std::uint64_t n_b) {
  const auto pairs = static_cast<double>(n_a) * static_cast<double>(n_b);
  RankNull null(n_a * n_b, pairs * static_cast<double>(n_a + n_b + 1) / 12);
  if (n_a * n_b > kExactPairs) return null;
  double orders = 1;
  const std::uint64_t few = std::min(n_a, n_b);
  for (std::uint64_t i = 1; i <= few; ++i) {
    orders *= static_cast<double>(n_a + n_b - few + i) / static_cast<double>(i);
  }
  null.accumulate(mann_whitney_counts(few, std::max(n_a, n_b)), orders);
  return null;
}

void RankNull::accumulate(std::vector<double> lower_half, double all) {
  double sum = 0;
  for (double& count : lower_half) count = (sum += count) / all;
  lower_tail_ = std::move(lower_half);
}

double RankNull::lower_tail(std::uint64_t value) const {
  if (exact()) return lower_tail_[std::min<std::uint64_t>(value, lower_tail_.size() - 1)];
  return cdf(boost::math::normal(), (static_cast<double>(value) + 0.5 - mean()) / sd_);
}

double RankNull::two_sided(std::uint64_t value) const {
  return value >= maximum_ - value ? 1 : std::min(1.0, 2 * lower_tail(value));
}

std::optional<std::uint64_t> RankNull::critical(double level) const {
  const double alpha = two_sided_alpha(level);
  if (!exact()) {
    if (alpha <= 0) return std::nullopt;
    const double value = mean() - 0.5 + sd_ * quantile(boost::math::normal(), alpha / 2);
    if (value < 0) return std::nullopt;
    return static_cast<std::uint64_t>(value);
  }
  const auto first_above = std::ranges::partition_point(
      lower_tail_, [alpha](double probability) { return 2 * probability <= alpha; });
  if (first_above == lower_tail_.begin()) return std::nullopt;
  return static_cast<std::uint64_t>(first_above - lower_tail_.begin() - 1);
}

}  // namespace netperfd::analysis
