// SPDX-License-Identifier: GPL-2.0-or-later
// All functions of traced runs, tested together by three figures each, with known truth. How often is a
// function blamed that did not change, how often do the intervals contain the truth, and which changes are
// found? docs/statistics.md names the command that prints these tables.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/unit/statistics/family_host.hpp"
#include "tests/unit/statistics/family_rates.hpp"

namespace netperfd::analysis {
namespace {

// A change of a function of 10 % of the time that the costs alone find in about two thirds of comparisons:
// where nearly all or nearly none are found, no power can be lost.
double change_to_find(const FamilyDesign& design) {
  if (!design.in_blocks) return design.samples == 4 ? 0.07 : 0.04;
  return design.samples == 6 ? 0.05 : design.samples == 8 ? 0.03 : 0.025;
}

// The blocks are those of which the loss of power is told.
int sets_in_gate(std::size_t count, const FamilyDesign& design) {
  return design.in_blocks ? 500 : count == 20 ? 300 : 100;
}

void expect_power(const FoundCostly& found, int sets, const std::string& what) {
  constexpr double kMostPoints = 3;
  const double error = 100 * std::sqrt(static_cast<double>(found.differently)) / sets;
  const double lost = percent_of(found.alone - found.together, sets);
  fmt::print("{:>30}: {:.1f} ± {:.1f} points of power are lost\n", what, lost, error);
  EXPECT_LE(lost, kMostPoints + 2.33 * error) << what;
}

void judge_family(std::size_t count) {
  print_rates_head(fmt::format("{} functions", count));
  FamilyRates all;
  for (const FamilyDesign& design : kFamilyDesigns) {
    const std::vector<FamilyFunction> functions = functions_of_family(count, change_to_find(design));
    FamilyHost host(1'000 * count + 10 * design.samples + (design.in_blocks ? 1U : 0U), functions);
    const FamilyRates rates = rates_of_family(host, functions, design, sets_of(sets_in_gate(count, design)));
    print_rates(design.words(), rates);

    expect_levels(rates, design.words());
    expect_power(rates.slower, rates.sets, design.words() + ", slower calls");
    expect_power(rates.frequent, rates.sets, design.words() + ", more calls");
    all.add(rates);
  }
  print_rates("all", all);
  expect_levels(all, "all designs");
  expect_power(all.slower, all.sets, "all designs, slower calls");
  expect_power(all.frequent, all.sets, "all designs, more calls");
}

// Where all functions differ much, the exchanges of what they differ by tell little of chance.
TEST(FunctionFamilyBySimulation, of_few_functions_that_all_changed_has_intervals_that_hold_together) {
  for (const std::size_t count : {1U, 3U}) {
    std::vector<FamilyFunction> functions;
    for (std::size_t i = 0; i < count; ++i)
      functions.push_back({.name = fmt::format("function_{}", i), .share = 0.1, .ns = 400, .more_ns = 80});
    for (const FamilyDesign& design : kFamilyDesigns) {
      FamilyHost host(count + 10 * design.samples, functions);
      const FamilyRates rates = rates_of_family(host, functions, design, sets_of(300));
      fmt::print("{} functions, {}: together {:.1f} %\n", count, design.words(),
                 100 - percent_of(rates.missed, rates.sets));
      EXPECT_LE(rates.missed, most_at(0.05, rates.sets)) << count << " functions, " << design.samples;
    }
  }
}

TEST(FunctionFamilyBySimulation, of_20_functions_keeps_its_level_and_its_power) {
  judge_family(20);
}

TEST(FunctionFamilyBySimulation, of_200_functions_keeps_its_level_and_its_power) {
  judge_family(200);
}

}  // namespace
}  // namespace netperfd::analysis
