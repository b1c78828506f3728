// SPDX-License-Identifier: GPL-2.0-or-later
// Fifteen functions of two sides whose runs are calibrated with an error. How often does one seem to differ
// where none does, and is one still found that does? docs/statistics.md shows the figures that these tests
// print.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"

namespace netperfd::analysis {
namespace {

constexpr int kCostSets = 200;
constexpr int kRunsOfSide = 6;  // of each side
constexpr int kTracedFunctions = 15;
constexpr double kBytesOfRun = 1e9;
constexpr double kCallsOfFunction = 2e6;  // of a function in a run
constexpr double kTrueCost = 876;         // true cost of the tracer, ns
constexpr double kTrueSelf = 400;         // true self time of a call on side A, ns

enum class Scatter {
  none,        // every calibration finds the true cost
  runs,        // each is off by its own error: 851 to 901 ns
  comparison,  // and all of a comparison by one more
};

// What differs on side B.
struct SideChange {
  double calls = 1;  // factor of the calls; the self time per byte stays
  double first = 0;  // ns per call of the first function
};

class CalibratedHost {
 public:
  CalibratedHost(std::uint64_t seed, Scatter scatter) : random_(seed), scatter_(scatter) {}

  Attribution compared(const SideChange& change) {
    const double shared = scatter_ == Scatter::comparison ? error() : 0;
    std::vector<ComparedRun> a, b;
    for (int i = 0; i < kRunsOfSide; ++i) {
      a.push_back(run({}, shared));
      b.push_back(run(change, shared));
    }
    return compare(a, b, {}).attribution;
  }

 private:
  double error() { return 50 * uniform_(random_) - 25; }

  ComparedRun run(const SideChange& change, double shared) {
    ComparedRun run;
    run.goodput_bytes = static_cast<std::uint64_t>(kBytesOfRun);
    ComparedTrace& trace = run.trace.emplace();
    const double drawn = error() + shared;  // in any case, so that the rest is the same without it
    const double off = scatter_ == Scatter::none ? 0 : drawn;
    trace.cost = {.entry_ns = kTrueCost + off,
                  .callee_ns = 0,
                  .entry_error_ns = scatter_ == Scatter::none ? 0 : 2,
                  .callee_error_ns = 0};
    const double calls = kCallsOfFunction * change.calls;
    for (int f = 0; f < kTracedFunctions; ++f) {
      const double own =
          kCallsOfFunction * (kTrueSelf + (f == 0 ? change.first : 0)) * (1 + 0.01 * normal_(random_));
      ComparedFunction& function = trace.functions.emplace_back();
      function.name = "function_" + std::to_string(f);
      function.hits = static_cast<std::uint64_t>(calls);
      function.self_ns = static_cast<std::uint64_t>(own + calls * kTrueCost);
      trace.calls += function.hits;
    }
    return run;
  }

  std::mt19937_64 random_;
  Scatter scatter_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

// By its cost: where B makes fewer calls, the calls of all functions and the time of a call do differ.
bool is_found(const FunctionDelta& function) {
  return function.cost_together.p && *function.cost_together.p <= 0.05;
}

bool leaves_out_0(const std::optional<double>& low, const std::optional<double>& high) {
  return low && high && (*low > 0 || *high < 0);
}

struct Findings {
  int any = 0;           // comparisons with a function that is found
  int first = 0;         // with the first one found
  int intervals = 0;     // intervals of all functions but the first that leave out 0
  int contradicted = 0;  // functions of which p and the interval that holds together say different things
};

Findings found_by(std::uint64_t seed, Scatter scatter, const SideChange& change) {
  CalibratedHost host(seed, scatter);
  Findings found;
  for (int set = 0; set < kCostSets; ++set) {
    const Attribution attribution = host.compared(change);
    if (std::ranges::any_of(attribution.functions, is_found)) ++found.any;
    for (const FunctionDelta& function : attribution.functions) {
      const bool outside = leaves_out_0(function.cost.low, function.cost.high);
      const Together& together = function.cost_together;
      if (is_found(function) != leaves_out_0(together.low, together.high)) ++found.contradicted;
      if (function.name == "function_0") {
        if (is_found(function)) ++found.first;
      } else if (outside) {
        ++found.intervals;
      }
    }
  }
  return found;
}

// 99 % of binomial counts of 200 at 5 % are at most 18. The intervals of one comparison share its error, so
// their count varies more.
constexpr int kMostByLevel = 18, kMostIntervals = kCostSets * (kTracedFunctions - 1) * 8 / 100;

void print_found(const Findings& found, const char* what) {
  fmt::print("{}: some function found in {} of {}, {:.1f} % of the intervals leave out 0\n", what, found.any,
             kCostSets, 100.0 * found.intervals / (kCostSets * (kTracedFunctions - 1)));
}

TEST(TracerCostBySimulation, equal_sides_with_calibrations_that_scatter_differ_no_more_often_than_the_level) {
  const Findings found = found_by(11, Scatter::runs, {});
  print_found(found, "851 to 901 ns, equal calls");
  EXPECT_LE(found.any, kMostByLevel);
  EXPECT_LE(found.intervals, kMostIntervals);
  EXPECT_EQ(found.contradicted, 0);
}

// The error of the cost then counts on one side more than on the other.
TEST(TracerCostBySimulation, sides_that_call_differently_often_differ_no_more_often_than_the_level) {
  const Findings own = found_by(12, Scatter::runs, {.calls = 0.5});
  print_found(own, "851 to 901 ns, B calls half as often");
  EXPECT_LE(own.any, kMostByLevel);
  EXPECT_LE(own.intervals, kMostIntervals);
  EXPECT_EQ(own.contradicted, 0);
  // An error that all runs share shows in no spread. One as great as that between the runs must not do much
  // harm.
  const Findings shared = found_by(13, Scatter::comparison, {.calls = 0.5});
  print_found(shared, "and as much again that all runs share");
  EXPECT_LE(shared.any, 2 * kMostByLevel);
  EXPECT_EQ(shared.contradicted, 0);
}

TEST(TracerCostBySimulation, a_change_is_found_about_as_often_as_with_an_exact_cost) {
  // The error that is in the intervals takes some of the power where calls differ.
  for (const auto& [calls, kept] : {std::pair{1.0, 0.95}, std::pair{1.1, 0.75}}) {
    const SideChange change{.calls = calls, .first = 10};
    const int exact = found_by(14, Scatter::none, change).first;
    const int scattered = found_by(14, Scatter::runs, change).first;
    fmt::print(
        "{} ns a call more, B calls {} times as often: found in {} of {} with an exact cost, in {} with "
        "851 to 901 ns\n",
        change.first, calls, exact, kCostSets, scattered);
    EXPECT_GE(exact, kCostSets / 2);
    EXPECT_GE(scattered, kept * exact) << calls;
  }
}

}  // namespace
}  // namespace netperfd::analysis
