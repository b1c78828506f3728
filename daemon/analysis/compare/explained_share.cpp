#include "daemon/analysis/compare/explained_share.hpp"

#include <cmath>

namespace netperfd::analysis {
namespace {

struct Estimate {
  double value = 0, low = 0, high = 0;
};

// At a limit r, S - r D is as far from 0 as the root of s^2 + (r d)^2, where s and d are the distances from
// estimate to limit on the side that counts: r^2 (D^2 - d^2) - 2 r S D + S^2 - s^2 = 0. D and its interval
// are above 0.

// The root farther from 0, for an S whose upper limit is not below 0. D's lower limit counts here.
double outer_root(double part, double s, const Estimate& whole) {
  const double d = whole.value - whole.low;
  const double square = whole.value * whole.value - d * d;
  const double product = part * whole.value;
  return (product + std::sqrt(product * product - square * (part * part - s * s))) / square;
}

// The root nearer to 0, for an S whose lower limit is above 0. D's upper limit counts here. It may be farther
// from D than 0 is; computed as a quotient, the root is correct even then.
double inner_root(double part, double s, const Estimate& whole) {
  const double d = whole.high - whole.value;
  const double square = whole.value * whole.value - d * d;
  const double product = part * whole.value;
  const double rest = part * part - s * s;
  return rest / (product + std::sqrt(product * product - square * rest));
}

double upper_limit(const Estimate& part, const Estimate& whole) {
  const double s = part.high - part.value;
  return part.high >= 0 ? outer_root(part.value, s, whole) : -inner_root(-part.value, s, whole);
}

Estimate negated(const Estimate& estimate) {
  return {-estimate.value, -estimate.high, -estimate.low};
}

}  // namespace

std::optional<ExplainedShare> explained_share(const ShiftEstimate& part, const ShiftEstimate& whole) {
  if (!part.shift || !whole.shift || !whole.low || !whole.high) return std::nullopt;
  if (*whole.low <= 0 && *whole.high >= 0) return std::nullopt;
  ExplainedShare explained{.share = *part.shift / *whole.shift, .low = {}, .high = {}};
  if (!part.low || !part.high) return explained;
  Estimate s{*part.shift, *part.low, *part.high};
  Estimate d{*whole.shift, *whole.low, *whole.high};
  if (d.value < 0) {
    s = negated(s);
    d = negated(d);
  }
  explained.low = -upper_limit(negated(s), d);
  explained.high = upper_limit(s, d);
  return explained;
}

}  // namespace netperfd::analysis
