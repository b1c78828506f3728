#include "daemon/analysis/compare/tracer_cost.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/analysis/compare/run_planner.hpp"
#include "daemon/analysis/compare/shift_estimate.hpp"

namespace netperfd::analysis {
namespace {

// One part of the cost over all runs.
struct Part {
  std::vector<double> values;
  RunValues errors;

  void add(double value, const std::optional<double>& error) {
    values.push_back(value);
    errors.push_back(error);
  }
  [[nodiscard]] std::optional<double> error() const {
    const auto between = robust_sd(values), own = median_of(errors);
    return std::max(between, own);  // an absent one is less than any other
  }
};

// How far the shift of figures[0] moves with the error of the cost.
double error_of_shift(const Sampling& sampling, const std::vector<SideValues>& figures, double level) {
  std::vector<double> shifts;
  for (const SideValues& figure : figures) {
    shifts.push_back(estimate_shift(sampling, figure.a, figure.b, level).shift.value_or(0));
  }
  double error = 0;
  for (std::size_t part = 1; part + 1 < shifts.size(); part += 2) {
    error += std::max(std::abs(shifts[part] - shifts[0]), std::abs(shifts[part + 1] - shifts[0]));
  }
  return error;
}

}  // namespace

std::optional<TracerCost> common_cost(const RunList& a, const RunList& b) {
  Part entry, callee;
  for (const RunList* side : {&a, &b}) {
    for (const ComparedRun* run : *side) {
      const auto& cost = run->trace->cost;
      if (!cost) return std::nullopt;
      entry.add(cost->entry_ns, cost->entry_error_ns);
      callee.add(cost->callee_ns, cost->callee_error_ns);
    }
  }
  if (entry.values.empty()) return std::nullopt;
  return TracerCost{.entry_ns = median(entry.values),
                    .callee_ns = median(callee.values),
                    .entry_error_ns = entry.error(),
                    .callee_error_ns = callee.error()};
}

void note_unequal_costs(const RunList& a, const RunList& b, double level, Caveats& caveats) {
  constexpr double kWorthNoting = 0.02;
  if (!common_cost(a, b)) return;
  const auto of_call = [](const ComparedRun& run) -> std::optional<double> {
    return run.trace->cost->entry_ns + run.trace->cost->callee_ns;
  };
  const auto costs = estimate_shift(Sampling(a, b), values_of(a, of_call), values_of(b, of_call), level);
  if (!costs.low || (*costs.low <= 0 && *costs.high >= 0)) return;
  if (std::abs(*costs.shift) < kWorthNoting * costs.median_a) return;
  caveats.add(
      Gravity::weakens,
      fmt::format("By the calibrations, the tracer takes {:.0f} ns a call in A and {:.0f} ns in B. Both "
                  "are corrected with one cost, so a change of a function by up to {:.0f} ns a call "
                  "can be the tracer's.",
                  costs.median_a, costs.median_b, std::abs(*costs.shift)));
}

double self_ns(const ComparedFunction& function, const std::optional<TracerCost>& cost) {
  const auto raw = static_cast<double>(function.self_ns);
  if (!cost) return raw;
  const double of_tracer = static_cast<double>(function.hits) * cost->entry_ns +
                           static_cast<double>(function.traced_within) * cost->callee_ns;
  return std::max(0.0, raw - of_tracer);
}

std::vector<std::optional<TracerCost>> costs_within_error(const std::optional<TracerCost>& cost) {
  std::vector<std::optional<TracerCost>> costs{cost};
  if (!cost) return costs;
  const double entry = cost->entry_error_ns.value_or(0), callee = cost->callee_error_ns.value_or(0);
  if (entry <= 0 && callee <= 0) return costs;
  costs.resize(5, cost);
  costs[1]->entry_ns += entry;
  costs[2]->entry_ns -= entry;
  costs[3]->callee_ns += callee;
  costs[4]->callee_ns -= callee;
  return costs;
}

CorrectedShift corrected_shift(const Sampling& sampling, const std::vector<SideValues>& figures,
                               double level) {
  const auto& [a, b] = figures.front();
  CorrectedShift corrected{
      .estimate = estimate_shift(sampling, a, b, level), .samples = sampling.samples(a, b), .margin = 0};
  ShiftEstimate& estimate = corrected.estimate;
  if (!estimate.low || figures.size() == 1) return corrected;
  const double error = normal_quantile((1 + level) / 2) * error_of_shift(sampling, figures, level);
  const double below = *estimate.shift - *estimate.low, above = *estimate.high - *estimate.shift;
  const double lower = std::hypot(below, error) - below, higher = std::hypot(above, error) - above;
  estimate.low = *estimate.low - lower;
  estimate.high = *estimate.high + higher;
  corrected.margin = std::max(lower, higher);
  const double moved = std::clamp(*estimate.shift, -higher, lower);
  for (double& value : corrected.samples.b) value -= moved;
  estimate.p = shift_of(corrected.samples, level).p;
  return corrected;
}

}  // namespace netperfd::analysis
