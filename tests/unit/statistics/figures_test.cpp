// SPDX-License-Identifier: GPL-2.0-or-later
// How often a comparison of several figures is wrong about any of them, with a known truth.
// docs/statistics.md shows the figures that these tests print.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/analysis/compare/gates.hpp"
#include "tests/unit/statistics/gate_rates.hpp"
#include "tests/unit/statistics/synthetic.hpp"

namespace netperfd::analysis {
namespace {

constexpr int kFigureSets = 1'000;
constexpr double kSdOfFigures = 0.02;  // of runs
// 99 % of binomial counts of 1,000 at 5 % are below this share, in %.
constexpr double kMostOfFive = 6.7;

std::vector<std::string> names_of_figures(std::size_t count) {
  const std::vector<std::string> names{"received", "latency.p99", "cpu", "retransmits"};
  return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Eight or more ABBA blocks. Runs vary by 2 %, of which `shared` is in all figures alike, as a run that is
// slow has a long latency. `effects` of B are in logarithms, and tell how many figures there are.
GatedSides runs_of_figures(int blocks, const std::vector<double>& effects, double shared, Dice& dice) {
  const std::vector<std::string> names = names_of_figures(effects.size());
  GatedSides sides;
  for (int block = 1; block <= blocks; ++block) {
    for (std::uint32_t letter = 1; letter <= 4; ++letter) {
      const bool is_a = letter == 1 || letter == 4;
      ComparedRun run;
      run.job = 1;
      run.block = static_cast<std::uint32_t>(block);
      run.letter = letter;
      const double luck = dice.normal();
      for (std::size_t i = 0; i < names.size(); ++i) {
        const double noise = std::sqrt(shared) * luck + std::sqrt(1 - shared) * dice.normal();
        const double value = std::exp(kSdOfFigures * noise + (is_a ? 0 : effects[i]));
        if (i == 0) {
          run.received_bits_per_second = value;
        } else {
          run.figures[names[i]] = value;
        }
      }
      (is_a ? sides.a : sides.b).push_back(run);
    }
  }
  return sides;
}

ComparisonSettings judging(const std::vector<std::string>& names) {
  ComparisonSettings settings;
  settings.threshold = 1e-9;  // nothing is equivalent
  settings.figures.clear();
  for (const std::string& name : names) settings.figures.push_back({.figure = parse_figure(name).value()});
  return settings;
}

bool finds_any(const Comparison& comparison) {
  return std::ranges::any_of(comparison.figures,
                             [](const FigureResult& figure) { return is_change(figure.verdict); });
}

// What nobody corrects: each figure is compared as if it were the only one.
bool finds_any_alone(const GatedSides& sides, std::size_t count) {
  return std::ranges::any_of(names_of_figures(count), [&](const std::string& name) {
    const Figure figure = parse_figure(name).value();
    const FigureRuns runs = figure_runs(sides.a, sides.b, figure);
    const RatioEstimate effect = figure_effect(Grouping(runs.a, runs.b), figure, 0.01, 0.95);
    return is_change(verdict_of(effect, 1e-9));
  });
}

TEST(FiguresBySimulation, that_do_not_differ_are_found_to_in_no_more_than_one_of_twenty_comparisons) {
  Dice dice(101);
  for (const std::size_t count : {2U, 4U}) {
    for (const double shared : {0.0, 0.9}) {
      if (count == 2 && shared > 0) continue;
      const std::vector<double> nothing(count, 0);
      const Rates rate = rates(kFigureSets, [&] {
        const GatedSides sides = runs_of_figures(10, nothing, shared, dice);
        return Conclusions{.without = finds_any_alone(sides, count),
                           .with = finds_any(compare(sides.a, sides.b, judging(names_of_figures(count))))};
      });
      fmt::print("{} figures, {:.0f} % shared: some found in {:.1f} % alone, {:.1f} % together\n", count,
                 100 * shared, rate.without, rate.with);
      EXPECT_LT(rate.with, kMostOfFive) << count << " figures, " << shared;
      if (shared < 0.9) {
        EXPECT_GT(rate.without, kMostOfFive) << count << " figures, " << shared;
      }
    }
  }
}

TEST(FiguresBySimulation, have_intervals_that_hold_their_truths_together) {
  Dice dice(102);
  const std::vector<double> truths{0.02, 0.1, -0.05, 0};
  for (const std::size_t count : {2U, 4U}) {
    const std::vector<double> effects(truths.begin(), truths.begin() + static_cast<std::ptrdiff_t>(count));
    constexpr double shared = 0.5;
    const auto hold = [&](const Comparison& comparison) {
      for (std::size_t i = 0; i < count; ++i) {
        const RatioEstimate& effect = comparison.figures[i].effect;
        const double truth = std::exp(effects[i]);
        if (!effect.low || *effect.low > truth || *effect.high < truth) return false;
      }
      return true;
    };
    const double held = 100 * share_of(kFigureSets, [&] {
                          const GatedSides sides = runs_of_figures(10, effects, shared, dice);
                          return hold(compare(sides.a, sides.b, judging(names_of_figures(count))));
                        });
    fmt::print("{} figures, {:.0f} % shared: all intervals hold in {:.1f} %\n", count, 100 * shared, held);
    EXPECT_GT(held, 100 - kMostOfFive);
  }
}

// B receives 4 % more and its p99 is 10 % longer.
TEST(FiguresBySimulation, that_go_apart_are_found_to) {
  Dice dice(103);
  const auto share = [&](double latency, Verdict verdict) {
    return 100 * share_of(200, [&] {
             const GatedSides sides = runs_of_figures(10, {std::log(1.04), latency}, 0.5, dice);
             return compare(sides.a, sides.b, judging(names_of_figures(2))).verdict == verdict;
           });
  };
  const double found = share(std::log(1.1), Verdict::trade_off);
  const double none = share(0, Verdict::trade_off);
  const double better = share(-std::log(1.1), Verdict::improvement);
  fmt::print(
      "4 % more received: trade-off {:.1f} % with 10 % more latency, {:.1f} % without; both better {:.1f} "
      "%\n",
      found, none, better);
  EXPECT_GT(found, 95);
  EXPECT_LT(none, 5);
  EXPECT_GT(better, 95);
}

}  // namespace
}  // namespace netperfd::analysis
