// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/quantiles.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace netperfd::analysis {
namespace {

// The 13 digits or more of double are plenty, and long double takes twice as long.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Normal = boost::math::normal_distribution<double, Policy>;
using StudentsT = boost::math::students_t_distribution<double, Policy>;
using ChiSquared = boost::math::chi_squared_distribution<double, Policy>;

}  // namespace

double normal_quantile(double probability) {
  return quantile(Normal(), probability);
}

double students_t_quantile(double freedom, double probability) {
  return quantile(StudentsT(freedom), probability);
}

// A noncentral t is (Z + noncentrality) / sqrt(chi2 / freedom). The mean over quantiles of chi2 converges for
// any t, where the library's series takes long.
double noncentrality_above(double t, double freedom, double power) {
  constexpr int kQuantiles = 400;
  std::vector<double> limits;
  for (int i = 0; i < kQuantiles; ++i) {
    limits.push_back(t * std::sqrt(quantile(ChiSquared(freedom), (i + 0.5) / kQuantiles) / freedom));
  }
  double low = 0;
  double high = limits.back() + 10;
  while (high - low > 1e-6 * high) {
    const double middle = std::midpoint(low, high);
    double above = 0;
    for (const double limit : limits) above += cdf(Normal(), middle - limit);
    (above < power * kQuantiles ? low : high) = middle;
  }
  return high;
}

}  // namespace netperfd::analysis
