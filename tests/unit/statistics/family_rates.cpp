// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/statistics/family_rates.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/family_test.hpp"
#include "daemon/analysis/compare/function_deltas.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/analysis/compare/tracer_cost.hpp"

namespace netperfd::analysis {
namespace {

constexpr double kErrors = 2.33;  // standard errors that 99 % of normal values are below

bool holds(const std::optional<double>& low, const std::optional<double>& high, double truth) {
  return low && high && *low <= truth && truth <= *high;
}

// The names of functions that are found if nothing but costs is tested.
std::vector<std::string> found_by_costs_alone(const Grouping& grouping, const FunctionDeltas& deltas) {
  double all = 0;
  for (const FunctionDelta& function : deltas.functions)
    all += function.cost.centre_a + function.cost.centre_b;
  std::vector<Samples> family;
  std::vector<const FunctionDelta*> tested;
  for (std::size_t i = 0; i < deltas.functions.size(); ++i) {
    const FunctionDelta& function = deltas.functions[i];
    if (function.cost.centre_a + function.cost.centre_b < 0.01 * all) continue;
    family.push_back(corrected_shift(grouping, deltas.costs[i], 0.95).samples);
    tested.push_back(&function);
  }
  const FamilyTest test = test_family(family, 0.95);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    if (test.p[i] <= 0.05) found.push_back(tested[i]->name);
  }
  return found;
}

// The intervals of one comparison.
struct IntervalCounts {
  int all = 0, covered = 0, of_changed = 0, covered_changed = 0;
  bool is_missed = false;  // by one that holds together with all others

  void add(const ShiftEstimate& single, const Together& together, double truth, bool is_changed) {
    const int is_covered = holds(single.low, single.high, truth) ? 1 : 0;
    ++all;
    covered += is_covered;
    if (is_changed) {
      ++of_changed;
      covered_changed += is_covered;
    }
    EXPECT_TRUE(together.p);
    // Otherwise it is unbounded.
    if (together.low && !holds(together.low, together.high, truth)) is_missed = true;
  }
};

void count_costly(const std::string& name, const std::vector<std::string>& by_costs, bool is_shown,
                  FoundCostly& found) {
  const bool alone = std::ranges::find(by_costs, name) != by_costs.end();
  found.add({.alone = alone ? 1 : 0, .together = is_shown ? 1 : 0, .differently = alone != is_shown ? 1 : 0});
}

void count_family(const FunctionDeltas& deltas, const std::vector<FamilyFunction>& functions,
                  const std::vector<std::string>& by_costs, FamilyRates& rates) {
  std::unordered_map<std::string_view, const FunctionDelta*> by_name;
  for (const FunctionDelta& delta : deltas.functions) by_name[delta.name] = &delta;
  IntervalCounts counts;
  bool is_blamed = false;
  for (const FamilyFunction& truth : functions) {
    const FunctionDelta& delta = *by_name.at(truth.name);
    counts.add(delta.cost, delta.cost_together, truth.cost(true) - truth.cost(false), truth.is_changed());
    counts.add(delta.call_time, delta.call_time_together, truth.more_ns, truth.more_ns != 0);
    counts.add(delta.calls, delta.calls_together, truth.calls(true) - truth.calls(false),
               truth.more_calls != 0);
    const bool is_shown = delta.shown_by.has_value();
    is_blamed = is_blamed || (is_shown && !truth.is_changed());
    for (std::size_t i = 0; i < kPlantedNs.size(); ++i) {
      if (is_shown && truth.name == name_of_planted(kPlantedNs.at(i))) ++rates.planted.at(i);
    }
    if (truth.name == kSlower) count_costly(truth.name, by_costs, is_shown, rates.slower);
    if (truth.name == kFrequent) count_costly(truth.name, by_costs, is_shown, rates.frequent);
  }
  ++rates.sets;
  rates.blamed += is_blamed ? 1 : 0;
  rates.missed += counts.is_missed ? 1 : 0;
  rates.covered.add(static_cast<double>(counts.covered) / counts.all);
  if (counts.of_changed > 0)
    rates.covered_changed.add(static_cast<double>(counts.covered_changed) / counts.of_changed);
}

}  // namespace

void ShareOfSets::add(double share) {
  ++sets_;
  sum_ += share;
  squares_ += share * share;
}

void ShareOfSets::add(const ShareOfSets& other) {
  sets_ += other.sets_;
  sum_ += other.sum_;
  squares_ += other.squares_;
}

double ShareOfSets::percent() const {
  return 100 * sum_ / sets_;
}

double ShareOfSets::error() const {
  const double mean = sum_ / sets_;
  return 100 * std::sqrt(std::max(0.0, squares_ / sets_ - mean * mean) / sets_);
}

void FoundCostly::add(const FoundCostly& other) {
  alone += other.alone;
  together += other.together;
  differently += other.differently;
}

void FamilyRates::add(const FamilyRates& other) {
  sets += other.sets;
  blamed += other.blamed;
  missed += other.missed;
  covered.add(other.covered);
  covered_changed.add(other.covered_changed);
  std::ranges::transform(planted, other.planted, planted.begin(), std::plus<>{});
  slower.add(other.slower);
  frequent.add(other.frequent);
}

int sets_of(int in_gate) {
  const char* const times = std::getenv("NETPERFD_FAMILY_SETS");  // NOLINT(concurrency-mt-unsafe)
  return times != nullptr ? std::max(1, static_cast<int>(in_gate * std::strtod(times, nullptr))) : in_gate;
}

FamilyRates rates_of_family(FamilyHost& host, const std::vector<FamilyFunction>& functions,
                            const FamilyDesign& design, int sets) {
  FamilyRates rates;
  for (int set = 0; set < sets; ++set) {
    const FamilyHost::Sides sides = host.sides(design);
    const RunList a = pointers_to(sides.a), b = pointers_to(sides.b);
    Caveats caveats;
    const FunctionDeltas deltas = function_deltas(a, b, {}, caveats);
    count_family(deltas, functions, found_by_costs_alone(Grouping(a, b), deltas), rates);
  }
  return rates;
}

double percent_of(int count, int of) {
  return 100.0 * count / of;
}

int most_at(double rate, int of) {
  double sum = 0;
  for (int count = 0; count < of; ++count) {
    sum += std::exp(std::lgamma(of + 1.0) - std::lgamma(count + 1.0) - std::lgamma(of - count + 1.0) +
                    count * std::log(rate) + (of - count) * std::log1p(-rate));
    if (sum >= 0.99) return count;
  }
  return of;
}

void expect_levels(const FamilyRates& rates, const std::string& where, bool is_wide) {
  EXPECT_LE(rates.blamed, most_at(0.05, rates.sets)) << where << ": unchanged functions are shown";
  EXPECT_LE(rates.missed, most_at(0.07, rates.sets)) << where << ": intervals that hold together";
  for (const ShareOfSets* single : {&rates.covered, &rates.covered_changed}) {
    EXPECT_GE(single->percent() + kErrors * single->error(), 93) << where << ": single intervals";
    if (!is_wide) {
      EXPECT_LE(single->percent() - kErrors * single->error(), 97.1) << where << ": single intervals";
    }
  }
  if (is_wide) return;
  const double together = 100 - percent_of(rates.missed, rates.sets);
  EXPECT_LE(together - kErrors * 100 * std::sqrt(0.99 * 0.01 / rates.sets), 99)
      << where << ": intervals that hold together";
}

void print_rates_head(const std::string& what) {
  fmt::print("{}, %\n{:>14} {:>6} {:>7} {:>13} {:>13} {:>9}", what, "", "sets", "blamed", "single", "changes",
             "together");
  for (const double ns : kPlantedNs) fmt::print(" {:>6.0f}", ns);
  fmt::print("   {:>14}   {:>14}\n", "slower calls", "more calls");
}

void print_rates(const std::string& where, const FamilyRates& rates) {
  const auto of_sets = [&](int count) { return percent_of(count, rates.sets); };
  fmt::print("{:>14} {:>6} {:>7.1f} {:>6.1f} ± {:>4.1f} {:>6.1f} ± {:>4.1f} {:>9.1f}", where, rates.sets,
             of_sets(rates.blamed), rates.covered.percent(), rates.covered.error(),
             rates.covered_changed.percent(), rates.covered_changed.error(), 100 - of_sets(rates.missed));
  for (const int count : rates.planted) fmt::print(" {:>6.1f}", of_sets(count));
  for (const FoundCostly* found : {&rates.slower, &rates.frequent})
    fmt::print("   {:>5.1f} -> {:>5.1f}", of_sets(found->alone), of_sets(found->together));
  fmt::print("\n");
}

}  // namespace netperfd::analysis
