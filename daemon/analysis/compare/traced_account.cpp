#include "daemon/analysis/compare/traced_account.hpp"

#include <cmath>
#include <numeric>

#include "daemon/analysis/compare/shift_estimate.hpp"
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

template <class Value>
ShiftEstimate shift_of_runs(const RunList& a, const RunList& b, double level, Value value) {
  const auto cost = common_cost(a, b);
  if (!cost) return {};
  const auto known = [&](const ComparedRun& run) -> std::optional<double> {
    const auto costs = costs_of(run, *cost);
    if (!costs) return std::nullopt;
    return value(*costs);
  };
  return estimate_shift(Sampling(a, b), values_of(a, known), values_of(b, known), level);
}

bool contains_zero(const ShiftEstimate& estimate) {
  return estimate.low && *estimate.low <= 0 && *estimate.high >= 0;
}

}  // namespace

std::optional<TracedAccount> traced_account(const RunList& traced_a, const RunList& traced_b, double level) {
  const auto shift = [&](auto value) { return shift_of_runs(traced_a, traced_b, level, value); };
  TracedAccount account;
  account.time = shift([](const Costs& costs) { return costs.busy - costs.tracer; });
  if (!account.time.shift) return std::nullopt;
  account.functions = shift([](const Costs& costs) { return costs.functions; });
  account.tracer = shift([](const Costs& costs) { return costs.tracer; });
  account.rest = shift([](const Costs& costs) { return costs.busy - costs.tracer - costs.functions; });
  return account;
}

std::optional<ExplainedShare> explained_share(const RunList& traced_a, const RunList& traced_b,
                                              const TracedAccount& account, double level) {
  if (!account.time.low || contains_zero(account.time)) return std::nullopt;
  const auto fits = [&](double share) {
    return contains_zero(shift_of_runs(traced_a, traced_b, level, [share](const Costs& costs) {
      return costs.functions - share * (costs.busy - costs.tracer);
    }));
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
    while (std::abs(outside - inside) > 1e-4) {
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
