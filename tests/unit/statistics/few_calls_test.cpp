// SPDX-License-Identifier: GPL-2.0-or-later
// Functions with few calls, whose number and mean time are by chance. How many calls does a function need to
// be tested? docs/statistics.md shows the figures that these tests print.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/function_figures.hpp"
#include "daemon/analysis/compare/function_match.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "tests/unit/statistics/family_host.hpp"
#include "tests/unit/statistics/family_rates.hpp"

namespace netperfd::analysis {
namespace {

constexpr int kRareOfAKind = 10;
constexpr double kNsOfRare = 20'000;
constexpr std::string_view kSameCalls = "same", kLongerCalls = "longer", kMoreCalls = "more";

// Twenty functions with many calls that did not change, and ten of each of three kinds with few: the same on
// both sides, with calls that take twice as long, and with twice as many calls. `calls`: of one on side A,
// over all runs.
std::vector<FamilyFunction> functions_with_rare_ones(const FamilyDesign& design, double calls) {
  std::vector<FamilyFunction> functions = unchanged_functions(20);
  const double share =
      calls / static_cast<double>(design.samples) * kNsOfRare / (kCpuNsPerByte * kBytesOfTrace);
  for (int i = 0; i < kRareOfAKind; ++i) {
    const auto add = [&](std::string_view kind) -> FamilyFunction& {
      return functions.emplace_back(FamilyFunction{
          .name = fmt::format("{}_{}", kind, i), .share = share, .ns = kNsOfRare, .is_counted = true});
    };
    add(kSameCalls);
    add(kLongerCalls).more_ns = kNsOfRare;
    add(kMoreCalls).more_calls = 1;
  }
  return functions;
}

struct RareRates {
  int sets = 0, blamed = 0, missed = 0;  // of sets, by a rare function
  ShareOfSets covered, longer, more;     // single intervals of rare functions; shown ones
};

bool is_within(const std::optional<double>& low, const std::optional<double>& high, double truth) {
  return low && high && *low <= truth && truth <= *high;
}

struct RareCounts {
  int blamed = 0, longer = 0, more = 0, intervals = 0, covered = 0, missed = 0;

  void add(const ShiftEstimate& single, const Together& together, double truth) {
    if (!single.low) return;
    ++intervals;
    covered += is_within(single.low, single.high, truth) ? 1 : 0;
    missed += together.low && !is_within(together.low, together.high, truth) ? 1 : 0;
  }

  void add(const FunctionDelta& delta, const FamilyFunction& truth) {
    add(delta.cost, delta.cost_together, truth.cost(true) - truth.cost(false));
    add(delta.call_time, delta.call_time_together, truth.more_ns);
    add(delta.calls, delta.calls_together, truth.calls(true) - truth.calls(false));
    if (!delta.shown_by) return;
    (!truth.is_changed() ? blamed : truth.more_ns > 0 ? longer : more) += 1;
  }
};

// As the daemon tests them, but whatever number of calls they have.
RareRates rates_of_rare(const FamilyDesign& design, double calls, int sets) {
  const std::vector<FamilyFunction> functions = functions_with_rare_ones(design, calls);
  FamilyHost host(static_cast<std::uint64_t>(calls) + design.samples, functions);
  RareRates rates;
  for (; rates.sets < sets; ++rates.sets) {
    const FamilyHost::Sides sides = host.sides(design);
    const RunList a = pointers_to(sides.a), b = pointers_to(sides.b);
    const Grouping grouping(a, b);
    const FunctionBasis basis = basis_of(a, b);
    std::vector<FunctionRow> rows;
    for (const MatchedFunction& function : match_functions(a, b).functions) {
      rows.push_back(function_row(grouping, function, basis));
      rows.back().tested = true;
    }
    test_functions(rows, grouping, 0.95, 1);
    RareCounts counts;
    for (const FunctionRow& row : rows) {
      const auto truth = std::ranges::find(functions, row.delta.name, &FamilyFunction::name);
      if (truth->is_counted) counts.add(row.delta, *truth);
    }
    rates.blamed += counts.blamed > 0 ? 1 : 0;
    rates.missed += counts.missed > 0 ? 1 : 0;
    rates.covered.add(static_cast<double>(counts.covered) / counts.intervals);
    rates.longer.add(static_cast<double>(counts.longer) / kRareOfAKind);
    rates.more.add(static_cast<double>(counts.more) / kRareOfAKind);
  }
  return rates;
}

TEST(FunctionFamilyBySimulation, of_functions_with_few_calls_blames_none_and_finds_what_doubles) {
  fmt::print("{:>14} {:>6} {:>6} {:>7} {:>7} {:>9} {:>16} {:>11}\n", "", "calls", "sets", "blamed", "single",
             "together", "twice the time", "twice as many");
  for (const FamilyDesign& design : kFamilyDesigns) {
    if (design.samples == 4 || design.samples == 8) continue;
    for (const double calls : {50., 100., 200., 400.}) {
      const RareRates rates = rates_of_rare(design, calls, sets_of(100));
      fmt::print("{:>14} {:>6} {:>6} {:>7.1f} {:>7.1f} {:>9.1f} {:>16.1f} {:>11.1f}\n", design.words(), calls,
                 rates.sets, percent_of(rates.blamed, rates.sets), rates.covered.percent(),
                 100 - percent_of(rates.missed, rates.sets), rates.longer.percent(), rates.more.percent());
      const std::string where = fmt::format("{}, {} calls", design.words(), calls);
      EXPECT_LE(rates.blamed, most_at(0.05, rates.sets)) << where;
      EXPECT_LE(rates.missed, most_at(0.05, rates.sets)) << where;
      EXPECT_GE(rates.covered.percent() + 2.33 * rates.covered.error(), 93) << where;
      // With 200 on both sides, the least that is tested, a change by 100 % is seldom found.
      if (2 * calls <= kFewestCalls) {
        EXPECT_LE(rates.longer.percent(), 20) << where;
      }
    }
  }
}

}  // namespace
}  // namespace netperfd::analysis
