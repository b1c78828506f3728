// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/family_test.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>

#include "daemon/analysis/compare/run_planner.hpp"

namespace netperfd::analysis {
namespace {

constexpr double kPower = 0.8;
// Sums in another order differ in their last digits.
constexpr double kEqual = 1 - 1e-12;
// Up to so many, as of six blocks or four runs a side, the power is simulated.
constexpr std::size_t kFewExchanges = 40;
// Beside so many, more change it little.
constexpr std::ptrdiff_t kMostOthers = 100;

using Signs = std::vector<double>;

double size_of_largest(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// Values of one figure such that its statistic under an exchange is the size of their sum with the exchange's
// signs: differences within pairs, or deviations of all values from their common mean, of which only B's
// count (sign 1, A's 0). Scaled so that their squares add up to 1.
std::vector<double> scaled_values(const Samples& samples) {
  std::vector<double> values;
  if (samples.paired) {
    for (std::size_t i = 0; i < samples.a.size(); ++i) values.push_back(samples.b[i] - samples.a[i]);
  } else {
    values = samples.a;
    values.insert(values.end(), samples.b.begin(), samples.b.end());
    const double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    for (double& value : values) value -= mean;
  }
  double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  // Equal values differ from their mean by its rounding.
  const double largest = std::max(size_of_largest(samples.a), size_of_largest(samples.b));
  if (squares <= 1e-24 * largest * largest * static_cast<double>(values.size())) squares = 0;
  for (double& value : values) value = squares > 0 ? value / std::sqrt(squares) : 0;
  return values;
}

// Too many to matter: not exact.
std::uint64_t combinations(std::uint64_t n, std::uint64_t k) {
  constexpr std::uint64_t kEnough = 1'000'000;
  std::uint64_t count = 1;
  for (std::uint64_t i = 1; i <= std::min(k, n - k) && count <= kEnough; ++i) count = count * (n - i + 1) / i;
  return count;
}

// The exchanges, one after another. The first is that of the samples as they are. If all are taken, no two
// are mirrors of one another, which have the same statistics.
class Exchanges {
 public:
  Exchanges(const Samples& samples, std::size_t figures) : paired_(samples.paired) {
    const std::size_t n_a = samples.a.size(), n_b = samples.b.size();
    signs_.assign(n_a, paired_ ? 1.0 : 0.0);
    if (!paired_) signs_.resize(n_a + n_b, 1.0);
    mirrored_ = !paired_ && n_a == n_b;
    const std::uint64_t all = paired_ ? (n_a <= kMostPairs ? std::uint64_t{1} << (n_a - 1) : kMostExact + 1)
                                      : combinations(n_a + n_b, n_a) / (mirrored_ ? 2 : 1);
    drawn_ = all > kMostExact;
    const std::size_t work = signs_.size() * figures;
    size_ = drawn_ ? std::clamp(kMostWork / work, kFewestDrawn, kMostDrawn) : static_cast<std::size_t>(all);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Signs& signs() const { return signs_; }

  void next() {
    ++number_;
    if (drawn_) {
      draw();
    } else if (paired_) {
      for (std::size_t i = 1; i < signs_.size(); ++i) signs_[i] = (number_ >> (i - 1) & 1U) != 0 ? -1 : 1;
    } else {
      std::ranges::next_permutation(signs_);
    }
  }

 private:
  static constexpr std::size_t kMostPairs = 15;
  static constexpr std::uint64_t kMostExact = 20'000;
  static constexpr std::size_t kMostDrawn = 4'000, kFewestDrawn = 1'000;
  static constexpr std::size_t kMostWork = 20'000'000;  // multiplications

  void draw() {
    if (paired_) {
      for (double& sign : signs_) sign = random_() % 2 == 0 ? 1 : -1;
    } else {
      std::ranges::shuffle(signs_, random_);
    }
  }

  bool paired_, mirrored_ = false, drawn_ = false;
  Signs signs_;
  std::size_t size_ = 1, number_ = 0;
  std::mt19937_64 random_{1};
};

double statistic(const std::vector<double>& values, const Signs& signs) {
  return std::abs(std::inner_product(values.begin(), values.end(), signs.begin(), 0.0));
}

// The squares of a perfectly even difference; a statistic's square is at most this.
double bound(const Samples& samples) {
  const auto a = static_cast<double>(samples.a.size()), b = static_cast<double>(samples.b.size());
  return samples.paired ? a : a * b / (a + b);
}

std::optional<double> detectable(const Samples& samples, double critical) {
  const double most = bound(samples);
  const auto n = static_cast<double>(samples.a.size() + (samples.paired ? 0 : samples.b.size()));
  const double freedom = n - (samples.paired ? 1 : 2);
  if (freedom < 1) return std::nullopt;
  const double square = std::min(critical * critical, most * (1 - 1e-9));
  const double t = std::sqrt(freedom * square / (most - square));
  return noncentrality_above(t, freedom, kPower) / std::sqrt(most);
}

// The shift, in standard deviations of a figure's values, that the exchanges find with 80 % power beside
// `others` figures that do not differ. In each of 1,000 repetitions all are normal and independent, and the
// figure shifts as far as it must to be found. With few exchanges this is farther than by the noncentral t:
// the critical value then varies greatly from samples to samples, and those with a high one need more than
// those with a low one save.
double simulated_shift(Exchanges exchanges, bool paired, std::size_t others, std::size_t allowed) {
  constexpr std::size_t kRepetitions = 1'000;
  constexpr double kFarthest = 64;
  std::vector<Signs> all;
  for (; all.size() < exchanges.size(); exchanges.next()) all.push_back(exchanges.signs());
  std::mt19937_64 random{1};
  std::normal_distribution<double> normal;
  const auto drawn = [&](double shift) {
    Samples samples{.a = {}, .b = std::vector<double>(all.front().size()), .paired = paired};
    if (paired) samples.a.resize(samples.b.size());
    for (std::size_t i = 0; i < samples.b.size(); ++i) samples.b[i] = normal(random) + all.front()[i] * shift;
    return scaled_values(samples);
  };
  std::vector<double> shifts;
  for (std::size_t repetition = 0; repetition < kRepetitions; ++repetition) {
    std::vector<double> largest(all.size());
    for (std::size_t other = 0; other < others; ++other) {
      const std::vector<double> values = drawn(0);
      for (std::size_t i = 0; i < all.size(); ++i)
        largest[i] = std::max(largest[i], statistic(values, all[i]));
    }
    const auto luck = random;
    const auto is_found = [&](double shift) {
      random = luck;
      normal.reset();
      const std::vector<double> values = drawn(shift);
      const double own = statistic(values, all.front()) * kEqual;
      std::size_t reached = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (i == 0 || std::max(largest[i], statistic(values, all[i])) >= own) ++reached;
      }
      return reached <= allowed;
    };
    double low = 0, high = kFarthest;
    while (high - low > 0.01) {
      const double middle = std::midpoint(low, high);
      (is_found(middle) ? high : low) = middle;
    }
    shifts.push_back(high);
  }
  const auto place = shifts.begin() + static_cast<std::ptrdiff_t>(kPower * kRepetitions);
  std::ranges::nth_element(shifts, place);
  return *place;
}

}  // namespace

FamilyTest test_family(const std::vector<Samples>& figures, double level) {
  FamilyTest test;
  if (figures.empty()) return test;
  std::vector<std::vector<double>> values;
  for (const Samples& samples : figures) values.push_back(scaled_values(samples));
  Exchanges exchanges(figures.front(), figures.size());
  std::vector<double> observed;
  for (const auto& each : values) observed.push_back(statistic(each, exchanges.signs()));
  std::vector<std::size_t> order(figures.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::less<>{}, [&](std::size_t figure) { return observed[figure]; });

  std::vector<std::size_t> reached(figures.size(), 0);
  std::vector<double> largest;
  for (std::size_t exchange = 0; exchange < exchanges.size(); ++exchange, exchanges.next()) {
    double most = 0;  // of this figure and all with a smaller statistic
    for (const std::size_t figure : order) {
      most = std::max(most, statistic(values[figure], exchanges.signs()));
      if (most >= observed[figure] * kEqual) ++reached[figure];
    }
    if (exchange > 0) largest.push_back(most);
  }
  test.p.resize(figures.size());
  double highest = 0;
  for (auto figure = order.rbegin(); figure != order.rend(); ++figure) {
    highest =
        std::max(highest, static_cast<double>(reached[*figure]) / static_cast<double>(exchanges.size()));
    test.p[*figure] = highest;
  }
  std::ranges::sort(largest, std::greater<>{});
  for (const double own : observed) {
    const auto below =
        std::ranges::partition_point(largest, [&](double statistic) { return statistic >= own * kEqual; });
    const auto reaching = static_cast<double>(below - largest.begin()) + 1;
    test.p_together.push_back(reaching / static_cast<double>(exchanges.size()));
  }
  // The samples as they are count as one of so many exchanges that may reach the statistic.
  const auto allowed = static_cast<std::size_t>((1 - level) * static_cast<double>(exchanges.size()) + 1e-9);
  if (allowed >= 1 && allowed <= largest.size()) {
    test.critical = largest[allowed - 1];
    const bool paired = figures.front().paired;
    const auto others = std::min(kMostOthers, std::count_if(test.p.begin() + 1, test.p.end(),
                                                            [&](double p) { return p > 1 - level; }));
    test.detectable = exchanges.size() <= kFewExchanges
                          ? simulated_shift(Exchanges(figures.front(), figures.size()), paired,
                                            static_cast<std::size_t>(others), allowed)
                          : detectable(figures.front(), *test.critical);
  }
  return test;
}

// By the square of the statistic: of n pairs, whose differences deviate from their mean d by squares that add
// up to S, n^2 (d - shift)^2 / (S + n (d - shift)^2). For two sides it is the same with k = a b / (a + b) for
// n, and S about the mean of each side.
std::optional<ShiftInterval> interval_at(const Samples& samples, double critical) {
  const double most = bound(samples);
  if (!(critical * critical < most)) return std::nullopt;
  const auto mean_of = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const double a = mean_of(samples.a), b = mean_of(samples.b);
  double squares = 0;
  if (samples.paired) {
    for (std::size_t i = 0; i < samples.a.size(); ++i)
      squares += std::pow(samples.b[i] - samples.a[i] - (b - a), 2);
  } else {
    for (const double value : samples.a) squares += std::pow(value - a, 2);
    for (const double value : samples.b) squares += std::pow(value - b, 2);
  }
  // Equal values differ by their rounding.
  const double largest = std::max(size_of_largest(samples.a), size_of_largest(samples.b));
  const double all = squares + most * (b - a) * (b - a);
  if (all <= 1e-24 * largest * largest * static_cast<double>(samples.a.size() + samples.b.size()))
    return ShiftInterval{};
  const double half = critical * std::sqrt(squares / (most * (most - critical * critical)));
  return ShiftInterval{.low = b - a - half, .high = b - a + half};
}

}  // namespace netperfd::analysis
