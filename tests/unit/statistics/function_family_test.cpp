// SPDX-License-Identifier: GPL-2.0-or-later
// All functions of traced runs, tested together by three figures each, with known truth. How often is a
// function blamed that did not change, how often do the intervals contain the truth, and which changes are
// found? docs/statistics.md names the command that prints these tables.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/family_test.hpp"
#include "daemon/analysis/compare/function_deltas.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/analysis/compare/tracer_cost.hpp"

namespace netperfd::analysis {
namespace {

struct FamilyDesign {
  std::size_t samples;
  bool in_blocks;
  int sets_of_20, sets_of_200;  // comparisons of so many functions
};
// With so few samples as 6 blocks or 4 runs a side, each comparison also simulates its power: they take
// longer.
constexpr FamilyDesign kFamilyDesigns[] = {
    {.samples = 6, .in_blocks = true, .sets_of_20 = 60, .sets_of_200 = 40},
    {.samples = 8, .in_blocks = true, .sets_of_20 = 200, .sets_of_200 = 100},
    {.samples = 10, .in_blocks = true, .sets_of_20 = 200, .sets_of_200 = 100},
    {.samples = 4, .in_blocks = false, .sets_of_20 = 60, .sets_of_200 = 40},
    {.samples = 6, .in_blocks = false, .sets_of_20 = 200, .sets_of_200 = 100}};

// Standard deviations. That of a run's bytes, as a share, is common to the costs and calls of all functions.
constexpr double kBytesVary = 0.015;
constexpr double kTimesVary = 0.003;      // share of the time of a call, of each function in each run
constexpr double kCallsVary = 0.002;      // share of the calls, of each function in each run
constexpr double kTracerByBoot = 4;       // ns a call, of the tracer's own cost
constexpr double kTracerByRun = 1;        // the same, between runs of one boot
constexpr double kCalibrationVaries = 5;  // ns, of a calibration about the cost in its boot

constexpr double kTracerCostNs = 876;
constexpr double kBytesOfTrace = 1e9;
constexpr double kCpuNsPerByte = 10;

struct FamilyFunction {
  std::string name;
  double share = 0;       // of the CPU time of A
  double ns = 0;          // of a call on A
  double more_ns = 0;     // of a call on B
  double more_calls = 0;  // on B, as a share

  [[nodiscard]] double call_time(bool of_b) const { return ns + (of_b ? more_ns : 0); }
  [[nodiscard]] double calls(bool of_b) const {
    return share * kCpuNsPerByte / ns * (of_b ? 1 + more_calls : 1);
  }
  [[nodiscard]] double cost(bool of_b) const { return calls(of_b) * call_time(of_b); }
  [[nodiscard]] bool is_changed() const { return more_ns != 0 || more_calls != 0; }
};

constexpr std::string_view kSlower = "slower", kFrequent = "frequent";
constexpr std::array<double, 4> kPlantedNs = {24, 312, 1'472, 4'800};

std::string name_of_planted(double ns) {
  return fmt::format("planted_{:.0f}", ns);
}

// Two functions of 10 % of the time cost 5 % more on B: by the time of a call, and by the number of calls.
// One has 20 %. All others have 5 % and less, down to 0.05 %, and calls of 100 to 1,600 ns. Four of these
// take from 24 ns a call in the second largest to 4,800 ns in the smallest more on B.
std::vector<FamilyFunction> functions_of_family(std::size_t count) {
  std::vector<FamilyFunction> functions{
      {.name = "large", .share = 0.2, .ns = 400},
      {.name = std::string(kSlower), .share = 0.1, .ns = 400, .more_ns = 20},
      {.name = std::string(kFrequent), .share = 0.1, .ns = 400, .more_calls = 0.05}};
  const std::size_t others = count - functions.size();
  const double steepness = std::log(100) / std::log(static_cast<double>(others));
  const std::array<std::size_t, 4> planted = {1, others / 3, 2 * others / 3, others - 1};
  for (std::size_t i = 0; i < others; ++i) {
    FamilyFunction& function = functions.emplace_back();
    function.name = fmt::format("function_{}", i);
    function.share = 0.05 * std::pow(static_cast<double>(i + 1), -steepness);
    function.ns = 100 * std::pow(2, static_cast<double>(i % 5));
    const auto* const place = std::ranges::find(planted, i);
    if (place == planted.end()) continue;
    function.more_ns = kPlantedNs.at(static_cast<std::size_t>(place - planted.begin()));
    function.name = name_of_planted(function.more_ns);
  }
  return functions;
}

class FamilyHost {
 public:
  FamilyHost(std::uint64_t seed, const std::vector<FamilyFunction>& functions)
      : random_(seed), functions_(functions) {}

  struct Sides {
    std::vector<ComparedRun> a, b;
  };
  // A traced run of each side in each block, which is a boot of its own; or runs that each are.
  Sides sides(const FamilyDesign& design) {
    Sides sides;
    for (std::size_t i = 0; i < design.samples; ++i) {
      const double tracer_a = kTracerCostNs + kTracerByBoot * normal_(random_);
      const double tracer_b = design.in_blocks ? tracer_a : kTracerCostNs + kTracerByBoot * normal_(random_);
      sides.a.push_back(run(tracer_a, false));
      sides.b.push_back(run(tracer_b, true));
      if (design.in_blocks) sides.a.back().block = sides.b.back().block = static_cast<std::uint32_t>(i + 1);
    }
    return sides;
  }

 private:
  double varied(double deviation) { return 1 + deviation * normal_(random_); }

  ComparedRun run(double tracer_of_boot, bool is_b) {
    ComparedRun run;
    run.goodput_bytes = static_cast<std::uint64_t>(kBytesOfTrace);
    ComparedTrace& trace = run.trace.emplace();
    trace.cost = {.entry_ns = tracer_of_boot + kCalibrationVaries * normal_(random_),
                  .callee_ns = 0,
                  .entry_error_ns = 2,
                  .callee_error_ns = 0};
    const double tracer = tracer_of_boot + kTracerByRun * normal_(random_);
    const double bytes = varied(kBytesVary);
    trace.functions.reserve(functions_.size());
    for (const FamilyFunction& each : functions_) {
      const double calls = std::round(kBytesOfTrace * each.calls(is_b) * bytes * varied(kCallsVary));
      const double ns = each.call_time(is_b) * varied(kTimesVary) + tracer;
      ComparedFunction& function = trace.functions.emplace_back();
      function.name = each.name;
      function.hits = static_cast<std::uint64_t>(calls);
      function.self_ns = static_cast<std::uint64_t>(calls * ns);
      trace.calls += function.hits;
    }
    return run;
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  const std::vector<FamilyFunction>& functions_;
};

bool contains(const std::optional<double>& low, const std::optional<double>& high, double truth) {
  return low && high && *low <= truth && truth <= *high;
}

// How often a function of 10 % of the time is found as before, by its cost among the costs of functions with
// 1 % of the time or more, and as it is now.
struct FoundCostly {
  int before = 0, now = 0, differently = 0;

  void add(bool was_found, bool is_found) {
    before += was_found ? 1 : 0;
    now += is_found ? 1 : 0;
    differently += was_found == is_found ? 0 : 1;
  }
};

struct FamilyRates {
  int sets = 0;
  int blamed = 0;                           // sets in which an unchanged function is shown
  int missed = 0;                           // sets in which an interval of all together misses its truth
  int intervals = 0, covered = 0;           // single ones, of all figures
  int of_changed = 0, covered_changed = 0;  // of figures that changed
  std::array<int, kPlantedNs.size()> planted = {};  // shown
  FoundCostly slower, frequent;

  void add(const FamilyRates& other) {
    sets += other.sets;
    blamed += other.blamed;
    missed += other.missed;
    intervals += other.intervals;
    covered += other.covered;
    of_changed += other.of_changed;
    covered_changed += other.covered_changed;
  }
};

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
  const std::vector<double> p = test_family(family, 0.95).p;
  std::vector<std::string> found;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    const ShiftEstimate& cost = tested[i]->cost;
    if (p[i] <= 0.05 && !contains(cost.low, cost.high, 0)) found.push_back(tested[i]->name);
  }
  return found;
}

// Counts the intervals of one figure. Returns whether the one that holds together with all others misses.
bool count_intervals(const ShiftEstimate& single, const Together& together, double truth, bool is_changed,
                     FamilyRates& rates) {
  const int is_covered = contains(single.low, single.high, truth) ? 1 : 0;
  ++rates.intervals;
  rates.covered += is_covered;
  if (is_changed) {
    ++rates.of_changed;
    rates.covered_changed += is_covered;
  }
  EXPECT_TRUE(together.p);
  return together.low && !contains(together.low, together.high, truth);  // otherwise it is unbounded
}

void count_family(const FunctionDeltas& deltas, const std::vector<FamilyFunction>& functions,
                  const std::vector<std::string>& found_before, FamilyRates& rates) {
  bool is_blamed = false, is_missed = false;
  for (const FamilyFunction& truth : functions) {
    const FunctionDelta& delta = *std::ranges::find(deltas.functions, truth.name, &FunctionDelta::name);
    const double cost = truth.cost(true) - truth.cost(false);
    const double calls = truth.calls(true) - truth.calls(false);
    const auto misses = [&](const ShiftEstimate& single, const Together& together, double shift,
                            bool changed) {
      return count_intervals(single, together, shift, changed, rates);
    };
    is_missed = misses(delta.cost, delta.cost_together, cost, truth.is_changed()) || is_missed;
    is_missed =
        misses(delta.call_time, delta.call_time_together, truth.more_ns, truth.more_ns != 0) || is_missed;
    is_missed = misses(delta.calls, delta.calls_together, calls, truth.more_calls != 0) || is_missed;
    const bool is_shown = delta.shown_by.has_value();
    is_blamed = is_blamed || (is_shown && !truth.is_changed());
    for (std::size_t i = 0; i < kPlantedNs.size(); ++i) {
      if (is_shown && truth.name == name_of_planted(kPlantedNs.at(i))) ++rates.planted.at(i);
    }
    const bool was_found = std::ranges::find(found_before, truth.name) != found_before.end();
    if (truth.name == kSlower) rates.slower.add(was_found, is_shown);
    if (truth.name == kFrequent) rates.frequent.add(was_found, is_shown);
  }
  ++rates.sets;
  rates.blamed += is_blamed ? 1 : 0;
  rates.missed += is_missed ? 1 : 0;
}

RunList pointers_to(const std::vector<ComparedRun>& runs) {
  RunList list;
  for (const ComparedRun& run : runs) list.push_back(&run);
  return list;
}

FamilyRates rates_of_family(std::size_t count, const FamilyDesign& design) {
  const std::vector<FamilyFunction> functions = functions_of_family(count);
  FamilyHost host(1'000 * count + 10 * design.samples + (design.in_blocks ? 1U : 0U), functions);
  FamilyRates rates;
  for (int set = 0; set < (count == 20 ? design.sets_of_20 : design.sets_of_200); ++set) {
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

// 99 % of binomial counts at 5 % are at most this.
int most_at_5_percent(int of) {
  double chance = std::pow(0.95, of), sum = chance;
  int count = 0;
  while (sum < 0.99) {
    chance *= (of - count) / (count + 1.0) * 0.05 / 0.95;
    ++count;
    sum += chance;
  }
  return count;
}

// Percent that 99 % of shares are above if the truth is 93 %: the figures of a set share its luck, so a set
// is one sample.
double least_at_93_percent(int sets) {
  return 93 - 2.33 * 100 * std::sqrt(0.93 * 0.07 / sets);
}

void expect_levels(const FamilyRates& rates, const std::string& where) {
  EXPECT_LE(rates.blamed, most_at_5_percent(rates.sets)) << where << ": unchanged functions are shown";
  EXPECT_LE(rates.missed, most_at_5_percent(rates.sets)) << where << ": intervals that hold together";
  EXPECT_GE(percent_of(rates.covered, rates.intervals), least_at_93_percent(rates.sets)) << where;
  EXPECT_GE(percent_of(rates.covered_changed, rates.of_changed), least_at_93_percent(rates.sets)) << where;
}

void expect_power(const FoundCostly& found, int sets, const std::string& what) {
  constexpr double kMostPoints = 3;
  const double by_chance = 2.33 * 100 * std::sqrt(static_cast<double>(found.differently)) / sets;
  EXPECT_LE(percent_of(found.before - found.now, sets), kMostPoints + by_chance) << what;
}

void print_family(const std::string& design, const FamilyRates& rates) {
  const auto of_sets = [&](int count) { return percent_of(count, rates.sets); };
  fmt::print("{:>13} {:>5} {:>7.1f} {:>7.1f} {:>8.1f} {:>9.1f}", design, rates.sets, of_sets(rates.blamed),
             percent_of(rates.covered, rates.intervals), percent_of(rates.covered_changed, rates.of_changed),
             100 - of_sets(rates.missed));
  for (const int count : rates.planted) fmt::print(" {:>6.1f}", of_sets(count));
  for (const FoundCostly* found : {&rates.slower, &rates.frequent})
    fmt::print("   {:>5.1f} -> {:>5.1f}", of_sets(found->before), of_sets(found->now));
  fmt::print("\n");
}

void judge_family(std::size_t count) {
  fmt::print(
      "{} functions, %: an unchanged one blamed; intervals of one figure that contain the truth, those "
      "of changes, all together;\nfound if a call takes so many ns more; found if a function of 10 % "
      "costs 5 % more, by the costs alone -> now\n{:>13} {:>5} {:>7} {:>7} {:>8} {:>9}",
      count, "", "sets", "blamed", "single", "changes", "together");
  for (const double ns : kPlantedNs) fmt::print(" {:>6.0f}", ns);
  fmt::print("   {:>14}   {:>14}\n", "slower calls", "more calls");
  FamilyRates all;
  for (const FamilyDesign& design : kFamilyDesigns) {
    const FamilyRates rates = rates_of_family(count, design);
    const std::string words =
        fmt::format("{} {}", design.samples, design.in_blocks ? "blocks" : "runs a side");
    print_family(words, rates);
    expect_levels(rates, words);
    expect_power(rates.slower, rates.sets, words + ": a function whose calls take 5 % more");
    expect_power(rates.frequent, rates.sets, words + ": a function with 5 % more calls");
    all.add(rates);
  }
  fmt::print("all {} sets: blamed {:.1f}, single {:.1f}, of changes {:.1f}, together {:.1f}\n", all.sets,
             percent_of(all.blamed, all.sets), percent_of(all.covered, all.intervals),
             percent_of(all.covered_changed, all.of_changed), 100 - percent_of(all.missed, all.sets));
  expect_levels(all, "all designs");
}

// Where all functions differ much, the exchanges of what they differ by tell little of chance.
TEST(FunctionFamilyBySimulation, of_few_functions_that_all_changed_has_intervals_that_hold_together) {
  constexpr int kFamilies = 300;
  for (const std::size_t count : {1U, 3U}) {
    std::vector<FamilyFunction> functions;
    for (std::size_t i = 0; i < count; ++i)
      functions.push_back({.name = fmt::format("function_{}", i), .share = 0.1, .ns = 400, .more_ns = 80});
    for (const FamilyDesign& design : kFamilyDesigns) {
      FamilyHost host(count + 10 * design.samples, functions);
      FamilyRates rates;
      for (int set = 0; set < kFamilies; ++set) {
        const FamilyHost::Sides sides = host.sides(design);
        const RunList a = pointers_to(sides.a), b = pointers_to(sides.b);
        Caveats caveats;
        count_family(function_deltas(a, b, {}, caveats), functions, {}, rates);
      }
      fmt::print("{} functions, {} {}: together {:.1f} %\n", count, design.samples,
                 design.in_blocks ? "blocks" : "runs a side", 100 - percent_of(rates.missed, kFamilies));
      EXPECT_LE(rates.missed, most_at_5_percent(kFamilies)) << count << " functions, " << design.samples;
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
