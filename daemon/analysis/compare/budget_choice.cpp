// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/budget_choice.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>

#include "daemon/analysis/compare/side_noise.hpp"
#include "daemon/model/noise.hpp"
#include "daemon/model/trace_spec.hpp"

namespace netperfd::analysis {
namespace {

// If the tracer took nearly all of the time, the difference is mostly the error of the calibration. It then
// counts as this share at least.
constexpr double kLeastWork = 0.1;

using FunctionCosts = std::map<std::string_view, rows::BudgetFunction>;

std::uint64_t calls_of(const CallCount& side) {
  std::uint64_t calls = 0;
  for (const auto& [name, count] : side.calls) calls += count;
  return calls;
}

// A call has two records, of its entry and of its exit.
double records_of(const CallCount& side) {
  return static_cast<double>(std::max(side.records, 2 * calls_of(side)));
}

// Recorded calls times this are all calls.
double lost_factor(const CallCount& side) {
  return side.records == 0 ? 1 : 1 + static_cast<double>(side.lost) / static_cast<double>(side.records);
}

double work_of(const CallCount& side) {
  const double calls = static_cast<double>(calls_of(side)) * lost_factor(side);
  return std::max(side.busy_ns - calls * side.call_ns, kLeastWork * side.busy_ns) * side.work_factor;
}

// Returns the cost of what is recorded besides calls, whatever functions are traced: task switches above all.
double add_side(const CallCount& side, FunctionCosts& costs) {
  const double work = work_of(side);
  if (work <= 0) return 0;
  std::map<std::string_view, double> calls;
  for (const auto& [name, count] : side.calls) {
    calls[source_name(name)] += static_cast<double>(count) * lost_factor(side);
  }
  const double records = records_of(side);
  const double each_read = records > 0 ? side.reading_ns / records : 0;
  for (const auto& [name, count] : calls) {
    rows::BudgetFunction& function = costs[name];
    function.function = name;
    function.calls = std::max(function.calls, static_cast<std::uint64_t>(count + 0.5));
    function.cost = std::max(function.cost, count * (side.call_ns + 2 * each_read) / work);
  }
  return (records - 2 * static_cast<double>(calls_of(side))) * (side.call_ns / 2 + each_read) / work;
}

}  // namespace

BudgetChoice choose_functions(const std::vector<CallCount>& sides, double share) {
  FunctionCosts costs;
  bool others = false;
  double base = 0;
  for (const CallCount& side : sides) {
    base = std::max(base, add_side(side, costs));
    others = others || side.uncalled > 0;
  }
  BudgetChoice choice;
  for (auto& [name, function] : costs) choice.functions.push_back(std::move(function));
  std::ranges::sort(choice.functions, {},
                    [](const auto& function) { return std::tie(function.cost, function.function); });
  const double most = share < 1 ? share / (1 - share) : std::numeric_limits<double>::infinity();
  double taken = base;
  for (rows::BudgetFunction& function : choice.functions) {
    const bool is_only = &function == &choice.functions.front() && !others;
    if (taken + function.cost > most && !is_only) break;
    taken += function.cost;
    function.traced = true;
  }
  choice.predicted = taken / (1 + taken);
  std::ranges::sort(choice.functions, [](const auto& left, const auto& right) {
    return std::tuple(left.traced, right.calls, left.function) <
           std::tuple(right.traced, left.calls, right.function);
  });
  return choice;
}

void correct(std::vector<CallCount>& sides, const CallCount& second) {
  const CallCount& first = sides.back();
  // A call of the same function stands for the same work.
  double of_first = 0, of_second = 0;
  for (const auto& [name, calls] : second.calls) {
    const auto same = first.calls.find(name);
    if (same == first.calls.end()) continue;
    of_first += static_cast<double>(same->second) * lost_factor(first);
    of_second += static_cast<double>(calls) * lost_factor(second);
  }
  const double work = work_of(first);
  const double factor = of_second > 0 && work > 0 ? work_of(second) * of_first / of_second / work : 1;
  const double records = records_of(second);
  const double each_read = records > 0 ? second.reading_ns / records : 0;
  for (CallCount& side : sides) {
    if (factor > 0) side.work_factor = factor;
    side.reading_ns = std::max(side.reading_ns, each_read * records_of(side));
  }
}

std::optional<double> tracer_share(const TraceRecord& trace, const std::vector<CounterDelta>& counters) {
  if (!trace.profile || !trace.profile->calibration || !trace.reading_ns) return std::nullopt;
  const auto busy = noise::busy_ns(counters);
  if (!busy) return std::nullopt;
  const auto own = static_cast<double>(own_cpu_ns(*busy, counters));
  if (own <= 0) return std::nullopt;
  double calls = 0;
  for (const FunctionStats& function : trace.profile->functions) calls += static_cast<double>(function.hits);
  const Calibration& cost = *trace.profile->calibration;
  const auto reading = static_cast<double>(*trace.reading_ns);
  const double tracing = calls * (cost.entry_ns + cost.callee_ns) + reading;
  return std::min(1.0, tracing / (own + reading));
}

}  // namespace netperfd::analysis
