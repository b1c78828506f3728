// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/family_test.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <span>

#include "daemon/analysis/compare/quantiles.hpp"

namespace netperfd::analysis {
namespace {

constexpr double kPower = 0.8;
// Sums in another order differ in their last digits.
constexpr double kEqual = 1 - 1e-12;
// Up to so many, as of six blocks or four runs a side, the power is simulated.
constexpr std::size_t kFewExchanges = 40;
// Beside so many, more change it little.
constexpr std::ptrdiff_t kMostOthers = 100;
// Of one of the rest against one of the first figures, if both are equally many. By simulation
// (docs/statistics.md): with 1, the first lose up to eight points of power.
constexpr double kOdds = 30;

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
    const std::size_t work = signs_.size() * figures;
    drawn_ = all > kMostExact || all * work > 20 * kMostWork;
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

// The same of samples that were moved by their own difference, so that the sides have one mean.
Samples without_shift(const Samples& samples) {
  Samples moved = samples;
  const auto mean_of = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const double shift = mean_of(samples.b) - mean_of(samples.a);
  for (double& value : moved.b) value -= shift;
  return moved;
}

double statistic(const std::vector<double>& values, const Signs& signs) {
  return std::abs(std::inner_product(values.begin(), values.end(), signs.begin(), 0.0));
}

// The squares of a perfectly even difference; a statistic's square is at most this.
double bound(const Samples& samples) {
  const auto a = static_cast<double>(samples.a.size()), b = static_cast<double>(samples.b.size());
  return samples.paired ? a : a * b / (a + b);
}

double freedom_of(const Samples& samples) {
  const auto n = static_cast<double>(samples.a.size() + (samples.paired ? 0 : samples.b.size()));
  return n - (samples.paired ? 1 : 2);
}

// Puts the statistic of a figure beyond the first ones on the scale of theirs. The part of its squares that
// its difference does not explain counts as so many times as large that, with normal values, the likelihood
// ratio is `odds` times as near to 1.
class Handicap {
 public:
  Handicap(const Samples& samples, double odds)
      : most_(bound(samples)), factor_(std::pow(odds, 2 / std::max(1.0, freedom_of(samples)))) {}

  [[nodiscard]] double on_first(double statistic) const { return scaled(statistic, factor_); }
  [[nodiscard]] double on_own(double statistic) const { return scaled(statistic, 1 / factor_); }

 private:
  [[nodiscard]] double scaled(double statistic, double factor) const {
    const double unexplained = std::max(0.0, 1 - statistic * statistic / most_) * factor;
    return std::sqrt(most_ * std::max(0.0, 1 - unexplained));
  }

  double most_, factor_;
};

std::optional<double> detectable(const Samples& samples, double critical) {
  const double most = bound(samples);
  const double freedom = freedom_of(samples);
  if (freedom < 1) return std::nullopt;
  const double square = std::min(critical * critical, most * (1 - 1e-9));
  const double t = std::sqrt(freedom * square / (most - square));
  return noncentrality_above(t, freedom, kPower) / std::sqrt(most);
}

// The shift, in standard deviations of a figure's values, that the exchanges find with 80 % power beside
// others that do not differ. In each of 1,000 repetitions all are normal and independent, and the figure
// shifts as far as it must to be found. With few exchanges this is farther than by the noncentral t: the
// critical value then varies greatly from samples to samples, and those with a high one need more than those
// with a low one save.
class SimulatedShift {
 public:
  SimulatedShift(Exchanges exchanges, const Handicap& handicap, bool paired, std::size_t allowed)
      : handicap_(handicap), paired_(paired), allowed_(allowed) {
    for (; signs_.size() < exchanges.size(); exchanges.next()) signs_.push_back(exchanges.signs());
  }

  // Of one of the first figures or of the rest, beside so many others.
  double of(bool is_first, std::size_t others_first, std::size_t others_rest) {
    constexpr std::size_t kRepetitions = 1'000;
    std::vector<double> shifts;
    for (std::size_t repetition = 0; repetition < kRepetitions; ++repetition) {
      std::vector<double> largest = largest_of(others_first);
      const std::vector<double> largest_rest = largest_of(others_rest);
      for (std::size_t i = 0; i < signs_.size(); ++i)
        largest[i] = std::max(largest[i], handicap_.on_first(largest_rest[i]));
      shifts.push_back(least_found(is_first, largest));
    }
    const auto place = shifts.begin() + static_cast<std::ptrdiff_t>(kPower * kRepetitions);
    std::ranges::nth_element(shifts, place);
    return *place;
  }

 private:
  [[nodiscard]] std::vector<double> drawn(double shift) {
    Samples samples{.a = {}, .b = std::vector<double>(signs_.front().size()), .paired = paired_};
    if (paired_) samples.a.resize(samples.b.size());
    for (std::size_t i = 0; i < samples.b.size(); ++i)
      samples.b[i] = normal_(random_) + signs_.front()[i] * shift;
    return scaled_values(samples);
  }

  [[nodiscard]] double counted(const std::vector<double>& values, const Signs& signs, bool is_first) const {
    const double own = statistic(values, signs);
    return is_first ? own : handicap_.on_first(own);
  }

  // The largest statistic of so many others under each exchange.
  std::vector<double> largest_of(std::size_t others) {
    std::vector<double> largest(signs_.size());
    for (std::size_t other = 0; other < others; ++other) {
      const std::vector<double> values = drawn(0);
      for (std::size_t i = 0; i < signs_.size(); ++i)
        largest[i] = std::max(largest[i], statistic(values, signs_[i]));
    }
    return largest;
  }

  double least_found(bool is_first, const std::vector<double>& largest) {
    constexpr double kFarthest = 64;
    const auto luck = random_;
    const auto is_found = [&](double shift) {
      random_ = luck;
      normal_.reset();
      const std::vector<double> values = drawn(shift);
      const double own = counted(values, signs_.front(), is_first) * kEqual;
      std::size_t reached = 0;
      for (std::size_t i = 0; i < signs_.size(); ++i) {
        if (i == 0 || std::max(largest[i], counted(values, signs_[i], is_first)) >= own) ++reached;
      }
      return reached <= allowed_;
    };
    double low = 0, high = kFarthest;
    while (high - low > 0.01) {
      const double middle = std::midpoint(low, high);
      (is_found(middle) ? high : low) = middle;
    }
    return high;
  }

  std::vector<Signs> signs_;
  Handicap handicap_;
  bool paired_;
  std::size_t allowed_;
  std::mt19937_64 random_{1};
  std::normal_distribution<double> normal_;
};

// What a simulated shift depends on.
struct ShiftQuestion {
  std::size_t a = 0, b = 0;  // samples
  bool paired = false;
  std::size_t allowed = 0;  // so many exchanges may reach the statistic of a figure that is found
  double odds = 1;
  bool is_first = true;
  std::size_t others_first = 0, others_rest = 0;

  auto operator<=>(const ShiftQuestion&) const = default;
};

// A simulation takes a tenth of a second, and the comparisons of a sweep ask the same.
double simulated_shift(const ShiftQuestion& asked) {
  constexpr std::size_t kMostKnown = 1'000;
  thread_local std::map<ShiftQuestion, double> known;
  if (const auto found = known.find(asked); found != known.end()) return found->second;
  if (known.size() >= kMostKnown) known.clear();
  const Samples samples{
      .a = std::vector<double>(asked.a), .b = std::vector<double>(asked.b), .paired = asked.paired};
  SimulatedShift simulated(Exchanges(samples, 1), Handicap(samples, asked.odds), asked.paired, asked.allowed);
  return known[asked] = simulated.of(asked.is_first, asked.others_first, asked.others_rest);
}

// How many of them are not found at the level, but for the first one.
std::size_t others_of(std::span<const double> p, double level) {
  if (p.empty()) return 0;
  const auto others = std::ranges::count_if(p.subspan(1), [&](double each) { return each > 1 - level; });
  return static_cast<std::size_t>(std::min(kMostOthers, others));
}

void find_detectable(FamilyTest& test, const Samples& like, std::size_t exchanges, std::size_t rest,
                     ShiftQuestion asked) {
  const bool few = exchanges <= kFewExchanges;
  test.detectable = few ? simulated_shift(asked) : detectable(like, *test.critical);
  if (rest == 0) return;
  asked.is_first = false;
  test.detectable_rest = few ? simulated_shift(asked) : detectable(like, *test.critical_rest);
}

}  // namespace

FamilyTest test_family(const std::vector<Samples>& figures, double level, std::size_t first) {
  FamilyTest test;
  if (figures.empty()) return test;
  first = first == 0 ? figures.size() : std::min(first, figures.size());
  const std::size_t rest = figures.size() - first;
  const double odds = std::max(1.0, kOdds * static_cast<double>(rest) / static_cast<double>(first));
  const Handicap handicap(figures.front(), odds);
  std::vector<std::vector<double>> values;
  for (const Samples& samples : figures) values.push_back(scaled_values(samples));
  Exchanges exchanges(figures.front(), figures.size());
  const auto counted = [&](std::size_t figure) {
    const double own = statistic(values[figure], exchanges.signs());
    return figure < first ? own : handicap.on_first(own);
  };
  std::vector<std::vector<double>> moved;
  for (const Samples& samples : figures) moved.push_back(scaled_values(without_shift(samples)));
  std::vector<double> observed;
  for (std::size_t figure = 0; figure < figures.size(); ++figure) observed.push_back(counted(figure));
  std::vector<std::size_t> order(figures.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::less<>{}, [&](std::size_t figure) { return observed[figure]; });

  std::vector<std::size_t> reached(figures.size(), 0);
  std::vector<double> largest, largest_moved;
  for (std::size_t exchange = 0; exchange < exchanges.size(); ++exchange, exchanges.next()) {
    double most = 0;  // of this figure and all with a smaller statistic
    for (const std::size_t figure : order) {
      most = std::max(most, counted(figure));
      if (most >= observed[figure] * kEqual) ++reached[figure];
    }
    if (exchange == 0) continue;
    largest.push_back(most);
    double moved_first = 0, moved_rest = 0;
    for (std::size_t figure = 0; figure < figures.size(); ++figure) {
      double& most_moved = figure < first ? moved_first : moved_rest;
      most_moved = std::max(most_moved, statistic(moved[figure], exchanges.signs()));
    }
    largest_moved.push_back(std::max(moved_first, handicap.on_first(moved_rest)));
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
  if (allowed < 1 || allowed > largest.size()) return test;
  test.critical = largest[allowed - 1];
  test.critical_rest = handicap.on_own(*test.critical);
  std::ranges::sort(largest_moved, std::greater<>{});
  test.wide = std::max(*test.critical, largest_moved[allowed - 1]);
  test.wide_rest = handicap.on_own(*test.wide);
  const std::span<const double> p = test.p;
  find_detectable(test, figures.front(), exchanges.size(), rest,
                  {.a = figures.front().a.size(),
                   .b = figures.front().b.size(),
                   .paired = figures.front().paired,
                   .allowed = allowed,
                   .odds = odds,
                   .is_first = true,
                   .others_first = others_of(p.first(first), level),
                   .others_rest = others_of(p.subspan(first), level)});
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
