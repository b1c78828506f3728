// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/rank_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/rank_null.hpp"

// Estimate and interval are order statistics of all Walsh averages or of all differences. These n^2 numbers
// are never stored. One pass over the sorted values splits them at any number, and a bisection that moves
// from one of them to another finds the k-th exactly. Rounding keeps the order of the sums and differences,
// so the pass may rely on it.
namespace netperfd::analysis {
namespace {

struct Split {
  std::uint64_t up_to = 0;                                    // how many are <= the number
  double largest = -std::numeric_limits<double>::infinity();  // of them
  double smallest_above = std::numeric_limits<double>::infinity();
};

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

// (x[i] + x[j]) / 2 for i <= j.
class WalshAverages {
 public:
  explicit WalshAverages(std::span<const double> values) : values_(sorted(values)) {}

  [[nodiscard]] std::uint64_t size() const { return values_.size() * (values_.size() + 1) / 2; }
  [[nodiscard]] double lowest() const { return values_.front(); }
  [[nodiscard]] double highest() const { return values_.back(); }
  [[nodiscard]] Split split(double at) const {
    Split split;
    std::size_t end = values_.size();  // the first j whose average with x[i] is above
    for (std::size_t i = 0; i < values_.size(); ++i) {
      while (end > i && average(i, end - 1) > at) --end;
      if (end > i) {
        split.up_to += end - i;
        split.largest = std::max(split.largest, average(i, end - 1));
      }
      const std::size_t above = std::max(end, i);
      if (above < values_.size()) split.smallest_above = std::min(split.smallest_above, average(i, above));
    }
    return split;
  }

 private:
  [[nodiscard]] double average(std::size_t i, std::size_t j) const { return (values_[i] + values_[j]) * 0.5; }

  std::vector<double> values_;
};

// b[j] - a[i] for all pairs.
class Differences {
 public:
  Differences(std::span<const double> a, std::span<const double> b) : a_(sorted(a)), b_(sorted(b)) {}

  [[nodiscard]] std::uint64_t size() const { return std::uint64_t{a_.size()} * b_.size(); }
  [[nodiscard]] double lowest() const { return b_.front() - a_.back(); }
  [[nodiscard]] double highest() const { return b_.back() - a_.front(); }
  [[nodiscard]] Split split(double at) const {
    Split split;
    std::size_t above = 0;  // the first j whose difference from a[i] is above
    for (const double a : a_) {
      while (above < b_.size() && b_[above] - a <= at) ++above;
      split.up_to += above;
      if (above > 0) split.largest = std::max(split.largest, b_[above - 1] - a);
      if (above < b_.size()) split.smallest_above = std::min(split.smallest_above, b_[above] - a);
    }
    return split;
  }

 private:
  std::vector<double> a_, b_;
};

// The k-th smallest, k from 1.
template <typename Pairs>
double kth(const Pairs& pairs, std::uint64_t k) {
  double low = pairs.lowest();
  double high = pairs.highest();
  while (low < high) {
    double middle = std::midpoint(low, high);
    if (middle >= high) middle = low;  // neighbouring doubles: nothing lies between them
    const Split split = pairs.split(middle);
    if (split.up_to >= k) {
      high = split.largest;
    } else {
      low = split.smallest_above;
    }
  }
  return low;
}

// Both statistics count pairs: the signed rank of the positive values is the number of Walsh averages above 0
// (Tukey 1949), Mann-Whitney's the number of differences above 0. Pairs at 0 count against a difference on
// both sides, as if each tie were broken in the least favourable way.
template <typename Pairs>
Location locate(const Pairs& pairs, const RankNull& null, double level) {
  const std::uint64_t size = pairs.size();
  Location location;
  location.estimate = std::midpoint(kth(pairs, (size + 1) / 2), kth(pairs, size / 2 + 1));
  if (const auto critical = null.critical(level)) {
    location.interval = Interval{kth(pairs, *critical + 1), kth(pairs, size - *critical),
                                 null.exact() ? 1 - null.two_sided(*critical) : level};
  }
  const Split at_zero = pairs.split(0);
  const std::uint64_t below =
      at_zero.largest < 0 ? at_zero.up_to : pairs.split(std::nextafter(0.0, -1)).up_to;
  location.p = null.two_sided(std::min(at_zero.up_to, size - below));
  return location;
}

// A comparison asks for the same numbers of values hundreds of times, once for each function and counter, and
// counting takes longer than everything else. So the last distribution is kept.
template <typename Numbers>
class Last {
 public:
  template <typename Count>
  const RankNull& of(const Numbers& numbers, Count count) {
    if (!null_ || numbers_ != numbers) {
      null_ = count();
      numbers_ = numbers;
    }
    return *null_;
  }

 private:
  Numbers numbers_{};
  std::optional<RankNull> null_;
};

// Sixty values are enough for any level below 1 that a double can hold: 2 * 2^-60 is less than 2^-53.
template <typename NullOf>
std::uint32_t fewest(double level, NullOf null_of) {
  std::uint32_t n = 1;
  while (n < 60 && !null_of(n).critical(level)) ++n;
  return n;
}

double median_absolute_deviation(std::span<const double> values) {
  const double centre = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - centre));
  return median(deviations);
}

// Correction factor of the median absolute deviation of n >= 6 normal values.
double small_sample_factor(std::size_t n) {
  constexpr std::array kOfSixToNine = {1.200, 1.140, 1.129, 1.107};
  if (n < 6 + kOfSixToNine.size()) return kOfSixToNine.at(n - 6);
  return static_cast<double>(n) / (static_cast<double>(n) - 0.8);
}

}  // namespace

Location signed_rank(std::span<const double> values, double level) {
  thread_local Last<std::uint64_t> last;
  const std::uint64_t n = values.size();
  return locate(WalshAverages(values), last.of(n, [n] { return RankNull::signed_rank(n); }), level);
}

Location mann_whitney(std::span<const double> a, std::span<const double> b, double level) {
  thread_local Last<std::pair<std::uint64_t, std::uint64_t>> last;
  const std::pair<std::uint64_t, std::uint64_t> n(a.size(), b.size());
  return locate(Differences(a, b), last.of(n, [n] { return RankNull::mann_whitney(n.first, n.second); }),
                level);
}

std::uint32_t fewest_for_signed_rank(double level) {
  return fewest(level, [](std::uint32_t n) { return RankNull::signed_rank(n); });
}

std::uint32_t fewest_for_mann_whitney(double level) {
  return fewest(level, [](std::uint32_t n) { return RankNull::mann_whitney(n, n); });
}

double cliffs_delta(std::span<const double> a, std::span<const double> b) {
  const Differences b_less_a(a, b);
  const Differences a_less_b(b, a);
  const auto size = static_cast<double>(b_less_a.size());
  // Equal pairs are in both counts and cancel.
  return (static_cast<double>(a_less_b.split(0).up_to) - static_cast<double>(b_less_a.split(0).up_to)) / size;
}

double median(std::span<const double> values) {
  const std::vector<double> ordered = sorted(values);
  const std::size_t middle = ordered.size() / 2;
  return ordered.size() % 2 == 1 ? ordered[middle] : std::midpoint(ordered[middle - 1], ordered[middle]);
}

double sample_sd(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (n - 1));
}

std::optional<double> robust_sd(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double deviation = values.size() < 6 ? 0 : median_absolute_deviation(values);
  return deviation > 0 ? 1.4826 * small_sample_factor(values.size()) * deviation : sample_sd(values);
}

}  // namespace netperfd::analysis
