// SPDX-License-Identifier: GPL-2.0-or-later
// All functions of traced runs, tested together, on hosts and calibrations that are worse than those of
// function_family_test.cpp. docs/statistics.md shows the figures that these tests print.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/unit/statistics/family_host.hpp"
#include "tests/unit/statistics/family_rates.hpp"

namespace netperfd::analysis {
namespace {

// Each call of each third function makes one more traced call on B. Its own time stays.
std::vector<FamilyFunction> functions_that_call_others() {
  std::vector<FamilyFunction> functions = functions_of_family(20);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    functions[i].within = static_cast<double>(i % 4);
    functions[i].more_within = i % 3 == 0 ? 1 : 0;
  }
  return functions;
}

constexpr FamilyNoise kCallee{.callee_ns = 300, .callee_varies = 5, .callee_error = 5};

TEST(FunctionFamilyBySimulation, with_calibrations_that_are_off_for_callees_keeps_its_level) {
  print_rates_head("each third function makes more traced calls, the callee's cost is 5 ns off");
  const std::vector<FamilyFunction> functions = functions_that_call_others();
  for (const FamilyDesign& design : kFamilyDesigns) {
    FamilyHost host(design.samples, functions, kCallee);
    const FamilyRates rates = rates_of_family(host, functions, design, sets_of(200));
    print_rates(design.words(), rates);
    expect_levels(rates, design.words());
  }
  // The test notices it: an error that no calibration shows is no part of the intervals.
  FamilyHost host(1, functions, {.callee_ns = 300, .callee_error = 5});
  const FamilyRates unknown = rates_of_family(host, functions, kFamilyDesigns[0], 100);
  print_rates("not shown", unknown);
  EXPECT_GT(unknown.blamed, 20);
}

TEST(FunctionFamilyBySimulation, on_a_host_with_two_modes_keeps_its_level) {
  print_rates_head("30 % of runs are slower by 4 %");
  const std::vector<FamilyFunction> functions = functions_of_family(20);
  for (const FamilyDesign& design : kFamilyDesigns) {
    FamilyHost host(design.samples, functions, {.slow = 0.3, .slow_by = 0.04});
    const FamilyRates rates = rates_of_family(host, functions, design, sets_of(200));
    print_rates(design.words(), rates);
    expect_levels(rates, design.words());
  }
}

// What the tracer takes in a boot is then the same for all runs of a side, and differs between the sides.
TEST(FunctionFamilyBySimulation, with_one_boot_a_side_keeps_its_level) {
  print_rates_head("one boot a side");
  const std::vector<FamilyFunction> functions = functions_of_family(20);
  for (const std::size_t samples : {4U, 6U, 10U}) {
    const FamilyDesign design{.samples = samples, .in_blocks = false, .one_boot_a_side = true};
    FamilyHost host(samples, functions);
    const FamilyRates rates = rates_of_family(host, functions, design, sets_of(200));
    print_rates(design.words(), rates);
    expect_levels(rates, design.words(), true);
  }
  // The test notices it: if the boots are not known, the sides seem to share the error of the calibration.
  const FamilyDesign untold{.samples = 6, .in_blocks = false, .one_boot_a_side = true, .tells_boots = false};
  FamilyHost host(1, functions);
  const FamilyRates unknown = rates_of_family(host, functions, untold, 100);
  print_rates("boots not told", unknown);
  EXPECT_GT(unknown.blamed, 20);
}

}  // namespace
}  // namespace netperfd::analysis
