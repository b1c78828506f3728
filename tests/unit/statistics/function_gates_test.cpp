// SPDX-License-Identifier: GPL-2.0-or-later
// What each gate before the cause in a function (daemon/analysis/compare/attribution.cpp) is worth, like
// gates_test.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "tests/unit/statistics/gate_rates.hpp"
#include "tests/unit/statistics/synthetic.hpp"
#include "tests/unit/statistics/synthetic_functions.hpp"

namespace netperfd::analysis {
namespace {

using FunctionSides = std::function<void(GatedSides& sides)>;

// A share of the change is given to functions, of which more than nothing is certain.
bool shares_out(const Attribution& attribution) {
  return attribution.explained && attribution.explained_low.value_or(0) > 0;
}

constexpr int kFewerSets = 100;
constexpr double kByChance = 0.05;

Attribution attribution_of(const GatedSides& sides) {
  return compare(sides.a, sides.b, {}).attribution;
}

Rates shares(FunctionHost& host, const Cause& cause, const FunctionSides& weaken,
             const FunctionSides& as_if_none) {
  return rates(kFewerSets, [&] {
    GatedSides sides{.a = host.side({}), .b = host.side(cause)};
    weaken(sides);
    const bool with = shares_out(attribution_of(sides));
    as_if_none(sides);
    return Conclusions{.without = shares_out(attribution_of(sides)), .with = with};
  });
}

// A lost 5 % of its records, all of the function "changed", whose cost seems to rise, while untraced code
// costs more; or both lost 0.5 % of all.
TEST(Gates, lost_records) {
  FunctionHost host(10);
  const auto set_lost = [](GatedSides& sides, double of_a, double of_b) {
    for (auto* side : {&sides.a, &sides.b}) {
      for (ComparedRun& run : *side) {
        if (!run.trace) continue;
        const double share = side == &sides.a ? of_a : of_b;
        run.trace->lost = static_cast<std::uint64_t>(share * 2 * static_cast<double>(run.trace->calls));
      }
    }
  };
  const auto lose = [](std::vector<ComparedRun>& runs, double share, bool of_changed) {
    for (ComparedRun& run : runs) {
      if (!run.trace) continue;
      for (ComparedFunction& function : run.trace->functions) {
        if (of_changed && function.name != "changed") continue;
        function.hits -= static_cast<std::uint64_t>(share * static_cast<double>(function.hits));
        function.self_ns -= static_cast<std::uint64_t>(share * static_cast<double>(function.self_ns));
      }
    }
  };
  const auto as_if_none = [&](GatedSides& sides) { set_lost(sides, 0, 0); };
  const Rates falsely = shares(
      host, {.untraced_more = 0.2},
      [&](GatedSides& sides) {
        lose(sides.a, 0.4, true);
        set_lost(sides, 0.05, 0);
      },
      as_if_none);
  const Rates truly = shares(
      host, {.ns_more = kNsMore},
      [&](GatedSides& sides) {
        lose(sides.a, 0.005, false);
        lose(sides.b, 0.005, false);
        set_lost(sides, 0.005, 0.005);
      },
      as_if_none);
  print("10 lost records", falsely, truly);
  EXPECT_GT(falsely.without, 80);
  EXPECT_EQ(falsely.with, 0);
  EXPECT_EQ(truly.with, truly.without);
}

// The wire is the limit, so that the functions' cost has nothing to do with the throughput.
TEST(Gates, no_cpu_was_the_limit) {
  FunctionHost host(11);
  const auto set_busy = [](GatedSides& sides, double busy) {
    for (auto* side : {&sides.a, &sides.b}) {
      for (ComparedRun& run : *side) {
        if (!run.trace) run.busiest_cpu = busy;
      }
    }
  };
  const auto as_if_none = [&](GatedSides& sides) { set_busy(sides, 0.98); };
  const Rates falsely =
      shares(host, {.ns_more = kNsMore}, [&](GatedSides& sides) { set_busy(sides, 0.6); }, as_if_none);
  Dice dice(11);
  const Rates truly = shares(
      host, {.ns_more = kNsMore},
      [&](GatedSides& sides) {
        for (auto* side : {&sides.a, &sides.b}) {
          for (ComparedRun& run : *side) {
            if (!run.trace) run.busiest_cpu = std::min(1.0, 0.92 + 0.05 * dice.normal());
          }
        }
      },
      as_if_none);
  print("11 no CPU was the limit", falsely, truly);
  EXPECT_EQ(falsely.with, 0);
  EXPECT_GT(falsely.without, 90);
  EXPECT_EQ(truly.with, truly.without);
}

// The function costs more only under tracing, for example because it has more calls that are traced: the
// plain runs show no change.
TEST(Gates, plain_and_traced_runs_that_disagree) {
  FunctionHost host(12);
  const auto once = [&host](const Cause& plain, const Cause& traced) {
    GatedSides sides{.a = host.side({}), .b = host.side(plain)};
    const std::vector<ComparedRun> other = host.side(traced);
    for (std::size_t i = 0; i < other.size(); ++i) {
      if (other[i].trace) sides.b[i] = other[i];
    }
    const Attribution attribution = attribution_of(sides);
    const ShiftEstimate& time = attribution.account->time;
    const bool without = time.low && *time.low > 0 && attribution.account->functions.low.value_or(0) > 0;
    return Conclusions{.without = without, .with = shares_out(attribution)};
  };
  const Rates falsely = rates(kFewerSets, [&] { return once({}, {.ns_more = kNsMore}); });
  const Rates truly = rates(kFewerSets, [&] { return once({.ns_more = kNsMore}, {.ns_more = kNsMore}); });
  print("12, 13 plain and traced runs that disagree", falsely, truly);
  EXPECT_GT(falsely.without, 90);
  EXPECT_LT(falsely.with, 11);
  EXPECT_GT(truly.with, 89);
}

// Of the functions of two equal sides some has p below 0.05. None may be shown, by any of its figures.
TEST(Gates, a_function_found_among_many) {
  FunctionHost host(14);
  const auto once = [&host](const Cause& cause, std::string_view name) {
    const Attribution attribution = compare(host.side({}), host.side(cause), {}).attribution;
    const auto any = [&](bool (*differs)(const FunctionDelta&)) {
      return std::ranges::any_of(attribution.functions, [&](const FunctionDelta& function) {
        return (name.empty() || function.name == name) && differs(function);
      });
    };
    return Conclusions{
        .without = any([](const FunctionDelta& each) { return each.cost.p.value_or(1) <= kByChance; }),
        .with = any([](const FunctionDelta& each) { return each.shown_by.has_value(); })};
  };
  const Rates falsely = rates(kFewerSets, [&] { return once({}, ""); });
  const Rates truly = rates(kFewerSets, [&] { return once({.ns_more = kNsMore}, "changed"); });
  print("14 a function found among 200", falsely, truly);
  EXPECT_GT(falsely.without, 50);
  EXPECT_LT(falsely.with, 11);
  EXPECT_EQ(truly.with, 100);
}

}  // namespace
}  // namespace netperfd::analysis
