// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/function_deltas.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/analysis/compare/family_test.hpp"
#include "daemon/analysis/compare/function_match.hpp"
#include "daemon/analysis/compare/function_order.hpp"
#include "daemon/analysis/compare/many_tests.hpp"
#include "daemon/analysis/compare/shift_estimate.hpp"
#include "daemon/analysis/compare/tracer_cost.hpp"
#include "daemon/analysis/compare/work.hpp"

namespace netperfd::analysis {
namespace {

using Places = std::vector<std::optional<std::size_t>>;

// How self times are taken and what calls are divided by, the same for all runs.
struct Basis {
  TracerCosts cost;
  bool per_packet = true;  // every run knows its packets
};

Basis basis_of(const RunList& a, const RunList& b) {
  Basis basis{.cost = tracer_costs(a, b), .per_packet = true};
  for (const RunList* side : {&a, &b}) {
    for (const ComparedRun* run : *side) {
      basis.per_packet = basis.per_packet && run->packets && *run->packets > 0;
    }
  }
  return basis;
}

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
                    const Basis& basis) {
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

double time_of_a_call(const RunList& runs, const Places& places, const std::optional<TracerCost>& cost) {
  RunValues times;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!places[i]) continue;
    const ComparedFunction& function = runs[i]->trace->functions[*places[i]];
    if (function.hits > 0) times.emplace_back(self_ns(function, cost) / static_cast<double>(function.hits));
  }
  return median_of(times).value_or(0);
}

// One function and its cost in each run.
struct FunctionRow {
  FunctionDelta delta;
  std::vector<SideValues> costs;  // if tested with each of costs_within_error(), otherwise with the first
  double weight = 0;              // its cost over all runs of both sides
  bool tested = false;
  CorrectedShift shift = {};  // if tested
};

double sum_of(const RunValues& values) {
  return std::accumulate(
      values.begin(), values.end(), 0.0,
      [](double sum, const std::optional<double>& value) { return sum + value.value_or(0); });
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

FunctionRow row_of(const RunList& a, const RunList& b, const MatchedFunction& function, const Basis& basis) {
  FunctionRow row;
  row.delta = named_delta(function);
  row.delta.a = factors(a, function.in_a, basis.cost.a, basis);
  row.delta.b = factors(b, function.in_b, basis.cost.b, basis);
  row.costs = {{costs(a, function.in_a, basis.cost.a), costs(b, function.in_b, basis.cost.b)}};
  row.weight = sum_of(row.costs[0].a) + sum_of(row.costs[0].b);
  return row;
}

void test_together(std::vector<FunctionRow>& rows, double level, double looks) {
  std::vector<Samples> figures;
  for (const FunctionRow& row : rows) {
    if (row.tested && row.delta.cost.p) figures.push_back(row.shift.samples);
  }
  const FamilyTest test = test_family(figures, level);
  std::size_t next = 0;
  for (FunctionRow& row : rows) {
    if (!row.tested || !row.delta.cost.p) continue;
    // Not below p: a function whose interval contains 0 is not found.
    row.delta.p_adjusted = std::min(1.0, std::max(test.p[next], *row.delta.cost.p) * looks);
    const auto spread = spread_of(figures[next]);
    if (test.detectable && spread) row.delta.detectable = *test.detectable * *spread + row.shift.margin;
    ++next;
  }
}

void test_rows(std::vector<FunctionRow>& rows, const Grouping& grouping, double level, double looks) {
  std::vector<double> p;
  for (FunctionRow& row : rows) {
    if (!row.tested) {
      row.delta.cost = difference_of_medians(row.costs[0].a, row.costs[0].b);
      continue;
    }
    row.shift = corrected_shift(grouping, row.costs, level);
    row.delta.cost = row.shift.estimate;
    if (!row.delta.cost.low) row.delta.cost.p.reset();  // with too few runs no p can be small
    if (row.delta.cost.p) p.push_back(*row.delta.cost.p);
  }
  test_together(rows, level, looks);
  const std::vector<double> q = benjamini_hochberg(p);
  std::size_t next = 0;
  for (FunctionRow& row : rows) {
    if (row.delta.cost.p) row.delta.cost.q = std::min(1.0, q[next++] * looks);
  }
}

std::string named(const FunctionDelta& function) {
  return function.module.empty() ? function.name : fmt::format("{} [{}]", function.name, function.module);
}

// What the traces of a side record of the functions that they had in their filter: how many these were, and
// which ones of those asked for could not be traced.
struct Filters {
  std::set<std::uint32_t> sizes;
  std::set<std::string_view> missing;
};

Filters filters_of(const RunList& runs) {
  Filters filters;
  for (const ComparedRun* run : runs) {
    filters.sizes.insert(run->trace->traced_functions);
    filters.missing.insert(run->trace->missing_functions.begin(), run->trace->missing_functions.end());
  }
  return filters;
}

// Notes the functions that only one side called. A trace names the functions that were called, not its
// filter.
void note_side_only(const std::vector<FunctionRow>& rows, FunctionMatch match, const Filters& here,
                    const Filters& there, Caveats& caveats) {
  const bool is_a = match == FunctionMatch::only_a;
  const std::string_view side = is_a ? "A" : "B", other = is_a ? "B" : "A";
  std::vector<std::string> not_traced, not_called;
  for (const FunctionRow& row : rows) {
    if (row.delta.match != match) continue;
    (there.missing.contains(row.delta.name) ? not_traced : not_called).push_back(named(row.delta));
  }
  if (!not_traced.empty()) {
    caveats.add(Gravity::weakens,
                fmt::format("Called only in {0}: {2}. {1} could not trace them: their own time in {1}, if it "
                            "has them, is in their callers, and the tracer's cost of them is in {0} alone.",
                            side, other, listed(not_traced)));
  }
  if (not_called.empty()) return;
  const bool alike = here.sizes.size() == 1 && here.sizes == there.sizes && here.missing == there.missing;
  const std::string why =
      alike ? fmt::format("Both sides trace {}, so most likely {} traced them too and never called them",
                          here.sizes == std::set{1U} ? "one function"
                                                     : fmt::format("{} functions", *here.sizes.begin()),
                          other)
            : fmt::format(
                  "{0} did not call them, or did not trace them; then their own time in {0} is in "
                  "their callers",
                  other);
  caveats.add(Gravity::weakens,
              fmt::format("Called only in {0}: {1}. {2}. The tracer's cost of them is in {0} alone.", side,
                          listed(not_called), why));
}

void note_matches(const std::vector<FunctionRow>& rows, const RunList& a, const RunList& b,
                  std::size_t without_symbol, Caveats& caveats) {
  const Filters of_a = filters_of(a), of_b = filters_of(b);
  note_side_only(rows, FunctionMatch::only_a, of_a, of_b, caveats);
  note_side_only(rows, FunctionMatch::only_b, of_b, of_a, caveats);
  std::vector<std::string> renamed, duplicates;
  for (const FunctionRow& row : rows) {
    if (row.delta.match == FunctionMatch::renamed) {
      renamed.push_back(fmt::format("{} is {} in B", named(row.delta), row.delta.name_b));
    }
    if (row.delta.duplicate > 0 && row.tested) duplicates.push_back(named(row.delta));
  }
  if (!renamed.empty()) {
    caveats.add(Gravity::told,
                fmt::format("Taken for the same function by its base name: {}.", listed(renamed)));
  }
  if (!duplicates.empty()) {
    caveats.add(Gravity::told,
                fmt::format("Several functions have one name and are matched by their order: {}.",
                            listed(duplicates)));
  }
  if (without_symbol > 0) {
    caveats.add(Gravity::told,
                fmt::format("Without a known symbol, and so in no row: {} functions, counted run by run.",
                            without_symbol));
  }
}

}  // namespace

FunctionDeltas function_deltas(const RunList& a, const RunList& b, const ComparisonSettings& settings,
                               Caveats& caveats) {
  const Grouping grouping(a, b);
  const Basis basis = basis_of(a, b);
  const FunctionMatches matches = match_functions(a, b);
  std::vector<FunctionRow> rows;
  double all = 0;
  for (const MatchedFunction& function : matches.functions) {
    rows.push_back(row_of(a, b, function, basis));
    all += rows.back().weight;
  }

  FunctionDeltas deltas;
  const auto within_error = costs_within_error(basis.cost);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    FunctionRow& row = rows[i];
    row.tested = row.weight > 0 && row.weight >= settings.least_share * all;
    if (!row.tested) continue;
    ++deltas.tested;
    const MatchedFunction& function = matches.functions[i];
    for (std::size_t k = 1; k < within_error.size(); ++k) {
      row.costs.push_back(
          {costs(a, function.in_a, within_error[k].a), costs(b, function.in_b, within_error[k].b)});
    }
  }
  test_rows(rows, grouping, settings.level, looks_taken(settings.looked));
  note_matches(rows, a, b, matches.without_symbol, caveats);

  std::ranges::stable_sort(rows, std::greater<>{},
                           [](const FunctionRow& row) { return traced_rank(row.delta); });
  for (FunctionRow& row : rows) {
    deltas.functions.push_back(std::move(row.delta));
    deltas.costs.push_back(std::move(row.costs));
  }
  return deltas;
}

std::vector<FunctionDelta> function_times(const RunList& a, const RunList& b, Caveats& caveats) {
  const Basis basis = basis_of(a, b);
  const FunctionMatches matches = match_functions(a, b);
  std::vector<FunctionRow> rows;
  for (const MatchedFunction& function : matches.functions) {
    FunctionRow& row = rows.emplace_back(FunctionRow{.delta = named_delta(function), .costs = {}});
    row.delta.a.ns_per_call = time_of_a_call(a, function.in_a, basis.cost.a);
    row.delta.b.ns_per_call = time_of_a_call(b, function.in_b, basis.cost.b);
    // The change over all its calls; there is none for a function that only one side has.
    double calls = 0;
    for (const auto& [runs, places] : {std::pair{&a, &function.in_a}, std::pair{&b, &function.in_b}}) {
      for (std::size_t i = 0; i < runs->size(); ++i) {
        if ((*places)[i]) calls += static_cast<double>((*runs)[i]->trace->functions[*(*places)[i]].hits);
      }
    }
    const bool both = row.delta.match == FunctionMatch::same || row.delta.match == FunctionMatch::renamed;
    if (both) row.weight = calls * std::abs(row.delta.b.ns_per_call - row.delta.a.ns_per_call);
  }
  note_matches(rows, a, b, matches.without_symbol, caveats);
  std::ranges::stable_sort(rows, std::greater<>{}, &FunctionRow::weight);
  std::vector<FunctionDelta> times;
  for (FunctionRow& row : rows) times.push_back(std::move(row.delta));
  return times;
}

}  // namespace netperfd::analysis
