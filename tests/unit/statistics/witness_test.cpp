// SPDX-License-Identifier: GPL-2.0-or-later
// What the samples of the plain runs are worth as a witness (daemon/analysis/compare/witness.hpp), with about
// 2,000 samples in each of nine plain runs on a side.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "tests/unit/statistics/gate_rates.hpp"
#include "tests/unit/statistics/synthetic_functions.hpp"

namespace netperfd::analysis {
namespace {

constexpr int kWitnessSets = 100;
// The 99 % limit of a count out of 100 whose chance is 5 %.
constexpr double kMostFalse = 11;

// The plain runs of one side, the traced runs of another.
std::vector<ComparedRun> mixed(FunctionHost& host, const Cause& plain, const Cause& traced) {
  std::vector<ComparedRun> runs = host.side(plain);
  const std::vector<ComparedRun> other = host.side(traced);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (other[i].trace) runs[i] = other[i];
  }
  return runs;
}

const FunctionDelta* named(const Attribution& attribution, std::string_view name) {
  const auto found = std::ranges::find(attribution.functions, name, &FunctionDelta::name);
  return found == attribution.functions.end() ? nullptr : &*found;
}

bool some_sampled_function_is_found(const Attribution& attribution) {
  return std::ranges::any_of(attribution.functions, [](const FunctionDelta& function) {
    return function.sampled && function.sampled->together.p.value_or(1) <= 0.05;
  });
}

// False: the function costs 100 ns more per call in the traced runs alone. True: in all runs.
TEST(WitnessBySimulation, contradicts_a_cause_that_only_tracing_shows) {
  FunctionHost host(21, true);
  constexpr double kMore = 100;
  const auto blamed = [&](const Cause& plain) {
    const Attribution attribution =
        compare(host.side({}), mixed(host, plain, {.ns_more = kMore}), {}).attribution;
    const FunctionDelta& changed = *named(attribution, "changed");
    const bool found = changed.cost_together.p.value_or(1) <= 0.05;
    const auto& witness = changed.sampled->witness;
    return Conclusions{.without = found, .with = found && witness == Witness::agrees};
  };
  const Rates falsely = rates(kWitnessSets, [&] { return blamed({}); });
  const Rates truly = rates(kWitnessSets, [&] { return blamed({.ns_more = kMore}); });
  print("15 a cause that the samples confirm", falsely, truly);
  EXPECT_EQ(falsely.without, 100);
  EXPECT_LE(falsely.with, kMostFalse);
  EXPECT_GE(truly.with, 90);
}

// The shares are withheld although trace and samples saw the same.
TEST(WitnessBySimulation, seldom_contradicts_a_trace_that_is_right) {
  FunctionHost host(22, true);
  int withheld = 0, covered = 0;
  for (int i = 0; i < kWitnessSets; ++i) {
    const Attribution attribution = compare(host.side({}), host.side({.ns_more = kNsMore}), {}).attribution;
    if (attribution.samples->witness == Witness::disagrees) ++withheld;
    const ShiftEstimate& cost = named(attribution, "changed")->sampled->cost;
    if (*cost.low <= kTruth && kTruth <= *cost.high) ++covered;
  }
  fmt::print("withheld although both are right: {:.1f} %; the sampled interval covers the truth: {:.1f} %\n",
             100.0 * withheld / kWitnessSets, 100.0 * covered / kWitnessSets);
  EXPECT_LE(100.0 * withheld / kWitnessSets, kMostFalse);
  EXPECT_GE(100.0 * covered / kWitnessSets, 89);
}

// False: nothing differs. True: code that is not traced costs 0.2 ns per byte more.
TEST(WitnessBySimulation, names_untraced_code_that_costs_more) {
  FunctionHost host(23, true);
  const auto found = [&](const Cause& cause) {
    const Attribution attribution = compare(host.side({}), host.side(cause), {}).attribution;
    const FunctionDelta* untraced = named(attribution, "untraced");
    const bool is_named =
        untraced != nullptr && !untraced->traced && untraced->sampled->together.p.value_or(1) <= 0.05;
    return std::pair{is_named, some_sampled_function_is_found(attribution)};
  };
  int named_rightly = 0, any_falsely = 0;
  for (int i = 0; i < kWitnessSets; ++i) {
    if (found({.untraced_more = 0.2}).first) ++named_rightly;
    if (found({}).second) ++any_falsely;
  }
  fmt::print("untraced code named: {:.1f} %; some function named although nothing differs: {:.1f} %\n",
             100.0 * named_rightly / kWitnessSets, 100.0 * any_falsely / kWitnessSets);
  EXPECT_GE(100.0 * named_rightly / kWitnessSets, 90);
  EXPECT_LE(100.0 * any_falsely / kWitnessSets, kMostFalse);
}

}  // namespace
}  // namespace netperfd::analysis
