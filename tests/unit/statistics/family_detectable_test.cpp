// SPDX-License-Identifier: GPL-2.0-or-later
// A comparison says which change of a function's cost it would find in 80 %. Is that change found so often?
// docs/statistics.md shows the figures that these tests print.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/function_deltas.hpp"
#include "tests/unit/statistics/family_host.hpp"
#include "tests/unit/statistics/family_rates.hpp"

namespace netperfd::analysis {
namespace {

FunctionDelta compared(FamilyHost& host, const FamilyDesign& design, std::string_view name) {
  const FamilyHost::Sides sides = host.sides(design);
  Caveats caveats;
  const FunctionDeltas deltas = function_deltas(pointers_to(sides.a), pointers_to(sides.b), {}, caveats);
  return *std::ranges::find(deltas.functions, name, &FunctionDelta::name);
}

struct Detected {
  ShareOfSets found;
  double mean = 0;  // of the changes that comparisons say, as a share of the cost
};

// The change that each of some comparisons without one says, and how often others find it.
Detected detected(const FamilyDesign& design, std::string_view name) {
  std::vector<FamilyFunction> functions = unchanged_functions(20);
  FamilyFunction& changed = *std::ranges::find(functions, name, &FamilyFunction::name);
  FamilyHost host(design.samples, functions);
  Detected result;
  constexpr int kTold = 30, kEach = 8;
  for (int told = 0; told < sets_of(kTold); ++told) {
    changed.more_ns = 0;
    const double more = *compared(host, design, name).detectable;
    changed.more_ns = more / changed.calls(true);
    int found = 0;
    for (int set = 0; set < kEach; ++set) {
      if (*compared(host, design, name).cost_together.p <= 0.05) ++found;
    }
    result.found.add(static_cast<double>(found) / kEach);
    result.mean += more / changed.cost(false) / sets_of(kTold);
  }
  return result;
}

TEST(FunctionFamilyBySimulation, finds_the_change_of_a_function_in_80_percent_of_which_it_says_so) {
  for (const FamilyDesign& design : kFamilyDesigns) {
    for (const std::string_view name : {kLarge, std::string_view("function_7")}) {
      const Detected result = detected(design, name);
      fmt::print("{:>14}, {:>10}: says {:.1f} %, found {:.1f} ± {:.1f} %\n", design.words(), name,
                 100 * result.mean, result.found.percent(), result.found.error());
      // The spread of the samples is not known but estimated. Of 4 runs a side, and where a large change also
      // makes side B vary more, that loses the most.
      const double chance = 2.33 * result.found.error();
      EXPECT_GE(result.found.percent() + chance, design.samples == 4 ? 68 : 74) << design.words() << name;
      EXPECT_LE(result.found.percent() - chance, 86) << design.words() << ", " << name;
    }
  }
}

}  // namespace
}  // namespace netperfd::analysis
