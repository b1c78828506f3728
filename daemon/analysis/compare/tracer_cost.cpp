// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/tracer_cost.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <string>

#include "daemon/analysis/compare/quantiles.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"
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

TracerCost median_cost(std::initializer_list<const RunList*> sides) {
  Part entry, callee;
  for (const RunList* side : sides) {
    for (const ComparedRun* run : *side) {
      const TracerCost& cost = *run->trace->cost;
      entry.add(cost.entry_ns, cost.entry_error_ns);
      callee.add(cost.callee_ns, cost.callee_error_ns);
    }
  }
  return TracerCost{.entry_ns = median(entry.values),
                    .callee_ns = median(callee.values),
                    .entry_error_ns = entry.error(),
                    .callee_error_ns = callee.error()};
}

// The builds of the kernels that the runs are known to have had.
std::set<std::string> kernels_of(const RunList& runs) {
  std::set<std::string> kernels;
  for (const ComparedRun* run : runs) {
    if (!run->fingerprint) continue;
    for (const Fact& fact : run->fingerprint->facts) {
      if (fact.group == "kernel" && fact.key == "build-id") kernels.insert(fact.value);
    }
  }
  return kernels;
}

bool have_different_kernels(const RunList& a, const RunList& b) {
  const auto of_a = kernels_of(a), of_b = kernels_of(b);
  return !of_a.empty() && !of_b.empty() && of_a != of_b;
}

// The runs of a side are of one boot, and none of the other side is: what the tracer takes there may be what
// differs.
bool boot_differs_with_side(const RunList& a, const RunList& b) {
  if (!std::ranges::all_of(a, knows_boot) || !std::ranges::all_of(b, knows_boot)) return false;
  const auto of_a = boots_of(a), of_b = boots_of(b);
  const auto is_of_b = [&](const std::string& boot) { return of_b.contains(boot); };
  return (of_a.size() == 1 || of_b.size() == 1) && std::ranges::none_of(of_a, is_of_b);
}

// How far the shift of figures[0] moves with the error of the cost.
double error_of_shift(const Grouping& grouping, const std::vector<SideValues>& figures, double level) {
  std::vector<double> shifts;
  for (const SideValues& figure : figures) {
    shifts.push_back(estimate_shift(grouping, figure.a, figure.b, level).shift.value_or(0));
  }
  double error = 0;
  for (std::size_t part = 1; part + 1 < shifts.size(); part += 2) {
    error += std::max(std::abs(shifts[part] - shifts[0]), std::abs(shifts[part + 1] - shifts[0]));
  }
  return error;
}

}  // namespace

TracerCosts tracer_costs(const RunList& a, const RunList& b) {
  const auto is_calibrated = [](const ComparedRun* run) { return run->trace->cost.has_value(); };
  if (a.empty() || b.empty()) return {};
  if (!std::ranges::all_of(a, is_calibrated) || !std::ranges::all_of(b, is_calibrated)) return {};
  if (have_different_kernels(a, b)) return {.a = median_cost({&a}), .b = median_cost({&b}), .common = false};
  const TracerCost cost = median_cost({&a, &b});
  return {.a = cost, .b = cost, .common = !boot_differs_with_side(a, b)};
}

void note_unequal_costs(const RunList& a, const RunList& b, double level, Caveats& caveats) {
  constexpr double kWorthNoting = 0.02;
  const TracerCosts used = tracer_costs(a, b);
  if (!used.a) return;
  const auto of_call = [](const ComparedRun& run) -> std::optional<double> {
    return run.trace->cost->entry_ns + run.trace->cost->callee_ns;
  };
  const auto costs = estimate_shift(Grouping(a, b), values_of(a, of_call), values_of(b, of_call), level);
  if (have_different_kernels(a, b)) {
    caveats.add(
        Gravity::weakens,
        fmt::format("The kernels differ, so each side is corrected with the tracer's cost of its own: "
                    "{:.0f} ns a call in A and {:.0f} ns in B.",
                    costs.centre_a, costs.centre_b));
    return;
  }
  if (!costs.low || (*costs.low <= 0 && *costs.high >= 0)) return;
  if (std::abs(*costs.shift) < kWorthNoting * costs.centre_a) return;
  caveats.add(
      Gravity::weakens,
      fmt::format("By the calibrations, the tracer takes {:.0f} ns a call in A and {:.0f} ns in B. Both "
                  "are corrected with one cost, so a change of a function by up to {:.0f} ns a call "
                  "can be the tracer's.",
                  costs.centre_a, costs.centre_b, std::abs(*costs.shift)));
}

double self_ns(const ComparedFunction& function, const std::optional<TracerCost>& cost) {
  const auto raw = static_cast<double>(function.self_ns);
  if (!cost) return raw;
  const double of_tracer = static_cast<double>(function.hits) * cost->entry_ns +
                           static_cast<double>(function.traced_within) * cost->callee_ns;
  return std::max(0.0, raw - of_tracer);
}

std::vector<TracerCosts> costs_within_error(const TracerCosts& costs) {
  std::vector<TracerCosts> within{costs};
  if (!costs.a) return within;
  const auto add = [&](double TracerCost::* part, const std::optional<double>& error, bool of_a, bool of_b) {
    if (error.value_or(0) <= 0) return;
    for (const double moved : {*error, -*error}) {
      TracerCosts& other = within.emplace_back(costs);
      if (of_a) (*other.a).*part += moved;
      if (of_b) (*other.b).*part += moved;
    }
  };
  add(&TracerCost::entry_ns, costs.a->entry_error_ns, true, costs.common);
  add(&TracerCost::callee_ns, costs.a->callee_error_ns, true, costs.common);
  if (costs.common) return within;
  add(&TracerCost::entry_ns, costs.b->entry_error_ns, false, true);
  add(&TracerCost::callee_ns, costs.b->callee_error_ns, false, true);
  return within;
}

CorrectedShift corrected_shift(const Grouping& grouping, const std::vector<SideValues>& figures,
                               double level) {
  const auto& [a, b] = figures.front();
  CorrectedShift corrected{.estimate = estimate_shift(grouping, a, b, level),
                           .samples = grouping.samples(a, b)};
  ShiftEstimate& estimate = corrected.estimate;
  if (!estimate.low || figures.size() == 1) return corrected;
  const double error = normal_quantile((1 + level) / 2) * error_of_shift(grouping, figures, level);
  const double below = *estimate.shift - *estimate.low, above = *estimate.high - *estimate.shift;
  const double lower = std::hypot(below, error) - below, higher = std::hypot(above, error) - above;
  estimate.low = *estimate.low - lower;
  estimate.high = *estimate.high + higher;
  corrected.lower = lower;
  corrected.higher = higher;
  corrected.moved = std::clamp(*estimate.shift, -higher, lower);
  for (double& value : corrected.samples.b) value -= corrected.moved;
  estimate.p =
      grouping.is_crossed()
          ? p_of_interval(*estimate.shift, *estimate.shift > 0 ? below + lower : above + higher, level)
          : shift_of(corrected.samples, level).p;
  return corrected;
}

}  // namespace netperfd::analysis
