// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/run_planner.hpp"

#include <algorithm>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

#include "daemon/analysis/compare/quantiles.hpp"
#include "daemon/analysis/compare/rank_null.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"

namespace netperfd::analysis {
namespace {

constexpr double kEfficiency = 3 / std::numbers::pi;
constexpr double kMost = 1e6;

// The 13 digits or more of double are plenty, and long double takes twice as long.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Normal = boost::math::normal_distribution<double, Policy>;
using StudentsT = boost::math::students_t_distribution<double, Policy>;
using NonCentralT = boost::math::non_central_t_distribution<double, Policy>;

// Properties of a rank test of given sizes that determine its power.
struct RankTest {
  double alpha = 1;            // two-sided, the exact level
  double freedom = 1;          // degrees of freedom of the t test that stands in for it
  double information = 0;      // its noncentrality is effect / sd * sqrt(information * kEfficiency)
  std::uint32_t one_sign = 0;  // blocks that must all have one sign; 0: the test is of another kind
};

std::optional<RankTest> test_of_blocks(std::uint32_t n, double level) {
  const RankNull null = RankNull::signed_rank(n);
  const auto critical = null.critical(level);
  if (!critical || n < 2) return std::nullopt;
  return RankTest{null.two_sided(*critical), static_cast<double>(n) - 1, static_cast<double>(n),
                  *critical == 0 ? n : 0};
}

std::optional<RankTest> test_of_runs(std::uint32_t n_a, std::uint32_t n_b, double level) {
  if (n_a == 0 || n_b == 0) return std::nullopt;
  const RankNull null = RankNull::mann_whitney(n_a, n_b);
  const auto critical = null.critical(level);
  if (!critical) return std::nullopt;
  const double a = n_a;
  const double b = n_b;
  return RankTest{null.two_sided(*critical), a + b - 2, a * b / (a + b), 0};
}

// The power as a function of the effect in standard deviations.
class Power {
 public:
  explicit Power(const RankTest& test) : test_(test) {
    if (test.one_sign == 0) limit_ = quantile(complement(StudentsT(test.freedom), test.alpha / 2));
  }

  [[nodiscard]] double of(double effect) const {
    if (test_.one_sign > 0) return std::pow(cdf(Normal(), effect), test_.one_sign);
    const double noncentrality = effect * std::sqrt(test_.information * kEfficiency);
    // Beyond this the power is 1 to the last digit, and the series of the noncentral t need not be summed.
    if (noncentrality > 2 * limit_ + 40) return 1;
    return cdf(complement(NonCentralT(test_.freedom, noncentrality), limit_));
  }

 private:
  RankTest test_;
  double limit_ = 0;  // of Student's t
};

// In standard deviations: the effect at which the power is reached. The power grows with the effect.
double detectable(const RankTest& test, double power) {
  const Power found(test);
  double low = 0;
  double high = 1;
  while (found.of(high) < power) high *= 2;
  while (high - low > 1e-7 * high) {
    const double middle = std::midpoint(low, high);
    (found.of(middle) < power ? low : high) = middle;
  }
  return high;
}

// Normal theory gives too few values, never too many, so the search starts from it. `groups` is how many
// times its variance is divided by n.
template <typename TestOf>
std::optional<std::uint32_t> fewest_with_power(const PowerQuestion& question, double groups,
                                               std::uint32_t fewest, TestOf test_of) {
  if (question.sd <= 0) return fewest;
  const double effect = std::abs(question.effect) / question.sd;
  const double quantiles = normal_quantile((1 + question.level) / 2) + normal_quantile(question.power);
  const double by_normal_theory = groups * quantiles * quantiles / (effect * effect * kEfficiency);
  if (!(by_normal_theory < kMost)) return std::nullopt;
  auto n = std::max(fewest, static_cast<std::uint32_t>(by_normal_theory));
  while (Power(*test_of(n, question.level)).of(effect) < question.power) ++n;
  return n;
}

PowerQuestion of_each_end(PowerQuestion question) {
  question.power = (1 + question.power) / 2;
  return question;
}

}  // namespace

std::optional<std::uint32_t> runs_a_side(const PowerQuestion& question) {
  return fewest_with_power(question, 2, fewest_for_mann_whitney(question.level),
                           [](std::uint32_t n, double level) { return test_of_runs(n, n, level); });
}

std::optional<std::uint32_t> blocks(const PowerQuestion& question) {
  return fewest_with_power(question, 1, fewest_for_signed_rank(question.level), test_of_blocks);
}

std::optional<std::uint32_t> runs_a_side_for_equivalence(const PowerQuestion& question) {
  return runs_a_side(of_each_end(question));
}

std::optional<std::uint32_t> blocks_for_equivalence(const PowerQuestion& question) {
  return blocks(of_each_end(question));
}

double power_of_runs(std::uint32_t n_a, std::uint32_t n_b, const PowerQuestion& question) {
  const auto test = test_of_runs(n_a, n_b, question.level);
  if (!test) return 0;
  return question.sd > 0 ? Power(*test).of(std::abs(question.effect) / question.sd) : 1;
}

double power_of_blocks(std::uint32_t n, const PowerQuestion& question) {
  const auto test = test_of_blocks(n, question.level);
  if (!test) return 0;
  return question.sd > 0 ? Power(*test).of(std::abs(question.effect) / question.sd) : 1;
}

std::optional<double> detectable_by_runs(std::uint32_t n_a, std::uint32_t n_b, double sd, double level,
                                         double power) {
  const auto test = test_of_runs(n_a, n_b, level);
  if (!test) return std::nullopt;
  return sd * detectable(*test, power);
}

std::optional<double> detectable_by_blocks(std::uint32_t n, double sd, double level, double power) {
  const auto test = test_of_blocks(n, level);
  if (!test) return std::nullopt;
  return sd * detectable(*test, power);
}

std::optional<double> planning_sd(std::span<const double> pilot) {
  const auto robust = robust_sd(pilot);
  if (!robust) return std::nullopt;
  return std::max(*robust, sample_sd(pilot));
}

}  // namespace netperfd::analysis
