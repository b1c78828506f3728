// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/function_figures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "daemon/analysis/compare/family_test.hpp"
#include "daemon/analysis/compare/many_tests.hpp"
#include "daemon/analysis/compare/shift_estimate.hpp"
#include "daemon/analysis/compare/together.hpp"
#include "daemon/analysis/compare/work.hpp"

namespace netperfd::analysis {
namespace {

using Places = std::vector<std::optional<std::size_t>>;

double divisor_of(const ComparedRun& run) {
  return *work_of(run);
}

RunValues costs(const RunList& runs, const Places& places, const std::optional<TracerCost>& cost) {
  RunValues values(runs.size(), 0.0);  // a function that was not called costs nothing
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (places[i]) values[i] = self_ns(runs[i]->trace->functions[*places[i]], cost) / divisor_of(*runs[i]);
  }
  return values;
}

CostFactors factors(const RunList& runs, const Places& places, const std::optional<TracerCost>& cost,
                    const FunctionBasis& basis) {
  RunValues packets, calls, times;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ComparedRun& run = *runs[i];
    const double divisor = basis.per_packet ? static_cast<double>(*run.packets) : divisor_of(run);
    if (basis.per_packet) packets.emplace_back(divisor / divisor_of(run));
    if (!places[i]) {
      calls.emplace_back(0.0);
      continue;
    }
    const ComparedFunction& function = run.trace->functions[*places[i]];
    const auto hits = static_cast<double>(function.hits);
    calls.emplace_back(hits / divisor);
    if (hits > 0) times.emplace_back(self_ns(function, cost) / hits);
  }
  return {.packets_per_byte = median_of(packets),
          .calls_per_packet = median_of(calls).value_or(0),
          .ns_per_call = median_of(times).value_or(0)};
}

RunValues times_of_calls(const RunList& runs, const Places& places, const std::optional<TracerCost>& cost) {
  RunValues values(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!places[i]) continue;
    const ComparedFunction& function = runs[i]->trace->functions[*places[i]];
    if (function.hits > 0) values[i] = self_ns(function, cost) / static_cast<double>(function.hits);
  }
  return values;
}

RunValues calls_per_work(const RunList& runs, const Places& places) {
  RunValues values(runs.size(), 0.0);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (places[i])
      values[i] = static_cast<double>(runs[i]->trace->functions[*places[i]].hits) / divisor_of(*runs[i]);
  }
  return values;
}

std::uint64_t hits_of(const RunList& runs, const Places& places) {
  std::uint64_t hits = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (places[i]) hits += runs[i]->trace->functions[*places[i]].hits;
  }
  return hits;
}

double sum_of(const RunValues& values) {
  return std::accumulate(
      values.begin(), values.end(), 0.0,
      [](double sum, const std::optional<double>& value) { return sum + value.value_or(0); });
}

// A figure that is tested, and where its results go.
struct Tested {
  CorrectedShift shift;
  Together* together;
  std::optional<double>* detectable = nullptr;
};

// The figures of all functions. First those that matter most: costs of functions that have much of the time.
struct Family {
  std::vector<Tested> costly, rest;
};

// The samples were moved towards no difference by the error of the calibration, or less.
void put_interval(const Tested& tested, const ShiftInterval& ends, double level) {
  const auto& [estimate, samples, moved, lower, higher] = tested.shift;
  tested.together->low = std::min(*estimate.shift, ends.low + moved - lower);
  tested.together->high = std::max(*estimate.shift, ends.high + moved + higher);
  let_agree(*estimate.shift, level, *tested.together);
}

void put_detectable(const Tested& tested, const std::optional<double>& spreads) {
  const auto spread = spread_of(tested.shift.samples);
  if (tested.detectable != nullptr && spreads && spread)
    *tested.detectable = *spreads * *spread + std::max(tested.shift.lower, tested.shift.higher);
}

void test_together(const Family& family, const Grouping& grouping, double level, double looks) {
  std::vector<Samples> figures;
  for (const auto* part : {&family.costly, &family.rest}) {
    for (const Tested& each : *part) figures.push_back(each.shift.samples);
  }
  const std::size_t first = family.costly.size();
  const FamilyTest test = test_family(figures, level, first);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const bool is_rest = first > 0 && i >= first;
    const Tested& tested = i < first ? family.costly[i] : family.rest[i - first];
    Together& together = *tested.together;
    const auto ends = is_rest ? interval_of(figures[i], test.wide_rest, test.critical_rest)
                              : interval_of(figures[i], test.wide, test.critical);
    together.p = ends ? test.p[i] : test.p_together[i];
    together.level = level;
    if (ends) put_interval(tested, *ends, level);
    // With several boots and several builds, samples share the luck of a build.
    if (grouping.is_crossed()) widen(tested.shift.estimate, level, together);
    together.p = std::min(1.0, *together.p * looks);
    put_detectable(tested, is_rest ? test.detectable_rest : test.detectable);
  }
}

// The end that is nearest to 0, as a distance from it; 0 if the change is not shown.
double least_of(const Together& together) {
  if (!together.low || !together.high) return 0;
  return std::max({0.0, *together.low, -*together.high});
}

// A function that only one side calls has the factor of that side.
double lesser(double a, double b) {
  return std::min(a, b) > 0 ? std::min(a, b) : std::max(a, b);
}

void set_shown(FunctionDelta& delta) {
  const std::pair<FunctionFigure, double> least[] = {
      {FunctionFigure::cost, least_of(delta.cost_together)},
      {FunctionFigure::call_time,
       least_of(delta.call_time_together) * lesser(delta.calls.centre_a, delta.calls.centre_b)},
      {FunctionFigure::calls,
       least_of(delta.calls_together) * lesser(delta.a.ns_per_call, delta.b.ns_per_call)}};
  const auto* const most = std::ranges::max_element(least, {}, &std::pair<FunctionFigure, double>::second);
  if (most->second <= 0) return;
  delta.shown_by = most->first;
  delta.shown_least = most->second;
}

// On either side, so that the choice is blind to them.
bool is_called_in_each(const Samples& calls) {
  const auto is_called = [](double value) { return value > 0; };
  if (!calls.paired)
    return std::ranges::all_of(calls.a, is_called) || std::ranges::all_of(calls.b, is_called);
  for (std::size_t i = 0; i < calls.a.size(); ++i) {
    if (!is_called(calls.a[i] + calls.b[i])) return false;
  }
  return true;
}

}  // namespace

FunctionBasis basis_of(const RunList& a, const RunList& b) {
  FunctionBasis basis{.cost = tracer_costs(a, b), .per_packet = true};
  for (const RunList* side : {&a, &b}) {
    for (const ComparedRun* run : *side) {
      basis.per_packet = basis.per_packet && run->packets && *run->packets > 0;
    }
  }
  return basis;
}

double time_of_a_call(const RunList& runs, const Places& places, const std::optional<TracerCost>& cost) {
  RunValues times;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!places[i]) continue;
    const ComparedFunction& function = runs[i]->trace->functions[*places[i]];
    if (function.hits > 0) times.emplace_back(self_ns(function, cost) / static_cast<double>(function.hits));
  }
  return median_of(times).value_or(0);
}

FunctionDelta named_delta(const MatchedFunction& function) {
  FunctionDelta delta;
  delta.name = function.name;
  delta.name_b = function.name_b;
  delta.module = function.module;
  delta.duplicate = function.duplicate;
  delta.match = function.match;
  return delta;
}

FunctionRow function_row(const Grouping& grouping, const MatchedFunction& function,
                         const FunctionBasis& basis) {
  const RunList &a = grouping.a(), &b = grouping.b();
  FunctionRow row;
  row.delta = named_delta(function);
  row.delta.a = factors(a, function.in_a, basis.cost.a, basis);
  row.delta.b = factors(b, function.in_b, basis.cost.b, basis);
  row.calls = {calls_per_work(a, function.in_a), calls_per_work(b, function.in_b)};
  const std::uint64_t hits_a = hits_of(a, function.in_a), hits_b = hits_of(b, function.in_b);
  const Samples all = grouping.samples(row.calls.a, row.calls.b);
  row.tested = hits_a + hits_b >= kFewestCalls && is_called_in_each(all);
  const auto within_error = costs_within_error(basis.cost);
  for (const TracerCosts& cost : std::span(within_error).first(row.tested ? within_error.size() : 1)) {
    row.costs.push_back({costs(a, function.in_a, cost.a), costs(b, function.in_b, cost.b)});
    row.call_times.push_back(
        {times_of_calls(a, function.in_a, cost.a), times_of_calls(b, function.in_b, cost.b)});
  }
  row.weight = sum_of(row.costs[0].a) + sum_of(row.costs[0].b);
  const Samples with_calls = grouping.samples(row.call_times[0].a, row.call_times[0].b);
  row.time_known = with_calls.a.size() == all.a.size() && with_calls.b.size() == all.b.size();
  return row;
}

void test_functions(std::vector<FunctionRow>& rows, const Grouping& grouping, double level, double looks) {
  Family family;
  std::vector<double> p;
  double weights = 0;
  for (const FunctionRow& row : rows) weights += row.weight;
  for (FunctionRow& row : rows) {
    FunctionDelta& delta = row.delta;
    if (!row.tested) {
      delta.cost = difference_of_medians(row.costs[0].a, row.costs[0].b);
      delta.calls = difference_of_medians(row.calls.a, row.calls.b);
      continue;
    }
    const auto test = [&](const std::vector<SideValues>& values, ShiftEstimate& estimate, Tested tested,
                          std::vector<Tested>& part) {
      tested.shift = corrected_shift(grouping, values, level);
      estimate = tested.shift.estimate;
      if (!estimate.low) estimate.p.reset();  // with too few runs no p can be small
      if (estimate.p) part.push_back(std::move(tested));
    };
    test(row.costs, delta.cost,
         {.shift = {}, .together = &delta.cost_together, .detectable = &delta.detectable},
         row.weight >= kCostly * weights ? family.costly : family.rest);
    test({row.calls}, delta.calls, {.shift = {}, .together = &delta.calls_together}, family.rest);
    if (row.time_known)
      test(row.call_times, delta.call_time, {.shift = {}, .together = &delta.call_time_together},
           family.rest);
    if (delta.cost.p) p.push_back(*delta.cost.p);
  }
  test_together(family, grouping, level, looks);
  for (FunctionRow& row : rows) set_shown(row.delta);
  const std::vector<double> q = benjamini_hochberg(p);
  std::size_t next = 0;
  for (FunctionRow& row : rows) {
    if (row.delta.cost.p) row.delta.cost.q = std::min(1.0, q[next++] * looks);
  }
}

}  // namespace netperfd::analysis
