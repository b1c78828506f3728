// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/function_deltas.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/analysis/compare/function_figures.hpp"
#include "daemon/analysis/compare/function_match.hpp"
#include "daemon/analysis/compare/function_order.hpp"

namespace netperfd::analysis {
namespace {

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
  const FunctionBasis basis = basis_of(a, b);
  const FunctionMatches matches = match_functions(a, b);
  std::vector<FunctionRow> rows;
  FunctionDeltas deltas;
  for (const MatchedFunction& function : matches.functions) {
    rows.push_back(function_row(grouping, function, basis));
    ++(rows.back().tested ? deltas.tested : deltas.few_calls);
  }
  test_functions(rows, grouping, settings.level, sharers_of(settings.level, settings.looked));
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
  const FunctionBasis basis = basis_of(a, b);
  const FunctionMatches matches = match_functions(a, b);
  std::vector<FunctionRow> rows;
  for (const MatchedFunction& function : matches.functions) {
    FunctionRow& row = rows.emplace_back(FunctionRow{.delta = named_delta(function)});
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
