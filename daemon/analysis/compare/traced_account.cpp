// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/traced_account.hpp"

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/tracer_cost.hpp"

namespace netperfd::analysis {
namespace {

// Of one run, in ns per byte of goodput.
struct Costs {
  double busy = 0, functions = 0, tracer = 0;
};

std::optional<Costs> costs_of(const ComparedRun& run, const TracerCost& cost) {
  const ComparedTrace& trace = *run.trace;
  if (!run.busy_ns || !run.goodput_bytes || *run.goodput_bytes == 0) return std::nullopt;
  const auto bytes = static_cast<double>(*run.goodput_bytes);
  double functions = 0;
  for (const ComparedFunction& function : trace.functions) {
    functions += self_ns(function, cost);
  }
  return Costs{.busy = static_cast<double>(*run.busy_ns) / bytes,
               .functions = functions / bytes,
               .tracer = static_cast<double>(trace.calls) * (cost.entry_ns + cost.callee_ns) / bytes};
}

// The costs of all runs of both sides, to estimate the shift of any figure made of them.
class TracedCosts {
 public:
  TracedCosts(const RunList& a, const RunList& b, const TracerCosts& costs, double level)
      : sampling_(a, b), level_(level) {
    for (const auto& each : costs_within_error(costs)) {
      sides_.emplace_back(costs_of_side(a, *each.a), costs_of_side(b, *each.b));
    }
  }

  template <class Figure>
  [[nodiscard]] ShiftEstimate shift(Figure figure) const {
    const auto of_side = [&figure](const SideCosts& side) {
      RunValues values;
      for (const auto& costs : side) values.push_back(costs ? std::optional(figure(*costs)) : std::nullopt);
      return values;
    };
    std::vector<SideValues> figures;
    for (const auto& [a, b] : sides_) figures.push_back({of_side(a), of_side(b)});
    return corrected_shift(sampling_, figures, level_).estimate;
  }

 private:
  using SideCosts = std::vector<std::optional<Costs>>;

  static SideCosts costs_of_side(const RunList& runs, const TracerCost& cost) {
    SideCosts side;
    for (const ComparedRun* run : runs) side.push_back(costs_of(*run, cost));
    return side;
  }

  Sampling sampling_;
  double level_;
  std::vector<std::pair<SideCosts, SideCosts>> sides_;  // with each of costs_within_error()
};

bool contains_zero(const ShiftEstimate& estimate) {
  return estimate.low && *estimate.low <= 0 && *estimate.high >= 0;
}

}  // namespace

std::optional<TracedAccount> traced_account(const RunList& traced_a, const RunList& traced_b, double level) {
  const TracerCosts cost = tracer_costs(traced_a, traced_b);
  if (!cost.a) return std::nullopt;
  const TracedCosts costs(traced_a, traced_b, cost, level);
  TracedAccount account;
  account.time = costs.shift([](const Costs& run) { return run.busy - run.tracer; });
  if (!account.time.shift) return std::nullopt;
  account.functions = costs.shift([](const Costs& run) { return run.functions; });
  account.tracer = costs.shift([](const Costs& run) { return run.tracer; });
  account.rest = costs.shift([](const Costs& run) { return run.busy - run.tracer - run.functions; });
  return account;
}

std::optional<ExplainedShare> explained_share(const RunList& traced_a, const RunList& traced_b,
                                              const TracedAccount& account, double level) {
  const TracerCosts cost = tracer_costs(traced_a, traced_b);
  if (!cost.a || !account.time.low || contains_zero(account.time)) return std::nullopt;
  const TracedCosts costs(traced_a, traced_b, cost, level);
  const auto fits = [&costs](double share) {
    return contains_zero(
        costs.shift([share](const Costs& run) { return run.functions - share * (run.busy - run.tracer); }));
  };
  ExplainedShare explained{.share = *account.functions.shift / *account.time.shift, .low = {}, .high = {}};
  const auto end = [&](double direction) -> std::optional<double> {
    constexpr double kFarthest = 1e3;
    double inside = explained.share, step = direction / 16;
    while (std::abs(step) < kFarthest && fits(inside + step)) {
      inside += step;
      step *= 2;
    }
    if (std::abs(step) >= kFarthest) return std::nullopt;
    double outside = inside + step;
    constexpr int kHalvings = 30;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = std::midpoint(inside, outside);
      (fits(middle) ? inside : outside) = middle;
    }
    return outside;
  };
  explained.low = end(-1);
  explained.high = end(1);
  return explained;
}

std::optional<bool> agree(const ShiftEstimate& x, const ShiftEstimate& y) {
  if (!x.shift || !x.low || !y.shift || !y.low) return std::nullopt;
  const double difference = *x.shift - *y.shift;
  const double below = std::hypot(*x.shift - *x.low, *y.high - *y.shift);
  const double above = std::hypot(*x.high - *x.shift, *y.shift - *y.low);
  return difference - below <= 0 && 0 <= difference + above;
}

}  // namespace netperfd::analysis
