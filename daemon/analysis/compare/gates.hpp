// SPDX-License-Identifier: GPL-2.0-or-later
// The gates between a figure of a comparison and its verdict. docs/comparing.md says how many false and how
// many true verdicts each withholds. All else that weakens a figure is only a caveat. What a cause in a
// function needs is in attribution.cpp.
//
// Whatever a gate decides, the estimate with its interval is in the answer.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/fact_differences.hpp"
#include "daemon/analysis/compare/figure_effect.hpp"

namespace netperfd::analysis {

// Standard deviations, as shares, where no self-test of the host tells. Of the difference of two boots: one
// boot each and boots that vary by 1.5 % give 2.1 %.
constexpr double kLuckOfTwoBoots = 0.025;
// Of the difference of two builds: a change that does nothing, but moves code and data, has moved netperf by
// -4.5 to +2.4 % (the kernel test robot's reports on Linux 7bb39313cd).
constexpr double kLuckOfTwoBuilds = 0.02;

// One figure at its gates.
struct GatedFigure {
  const std::vector<ComparedRun>& a;
  const std::vector<ComparedRun>& b;
  const ComparisonSettings& settings;
  const FactJudgement& facts;
  const Figure& figure;
  const FigureTerms& terms;
  const FigureRuns& runs;
  const HostResolution& resolution;
  FigureResult& result;  // a gate finds there the verdict that those before it left
  Caveats& caveats;
};

// What a gate has against a verdict.
struct Objection {
  std::vector<std::string> sentences = {};  // none: the verdict passes
  std::string reason = {};                  // FigureResult::reason
};

struct Gate {
  std::string_view number, condition;  // as in docs/comparing.md
  Verdict cap;                         // the verdict if the condition does not hold
  bool lifted;                         // by ComparisonSettings::despite; the sentences stay
  Objection (*objection)(const GatedFigure& judged);
};
// In the order in which they decide, and of their sentences.
[[nodiscard]] std::span<const Gate> gates();

// The verdict of the interval, which gates 5 and 6 give, capped by each gate that objects; and which way it
// leans.
void pass_gates(const GatedFigure& judged);

// Gates 5 and 6: too few samples for an interval, then the interval alone. The verdict is equivalent if the
// whole interval lies within the threshold, even if it leaves out 1; a change if all of it lies beyond. First
// it is widened by `luck`, a ratio above 1: each end moves away from the estimate, to the root of the sum of
// the squares of both distances, as logarithms (Zou and Donner 2008).
[[nodiscard]] Verdict verdict_of(const RatioEstimate& effect, double threshold,
                                 Better better = Better::higher, const std::optional<double>& luck = {});

// Improvement or regression if the interval leaves out 1; otherwise absent.
[[nodiscard]] std::optional<Verdict> leaning_of(const RatioEstimate& effect, Better better);

// Gate 7: what self-tests show without a change is no verdict. Of code, the interval is widened by it. If no
// self-tests tell, builds are taken to differ by kLuckOfTwoBuilds, and boots of their own by kLuckOfTwoBoots
// or, if that is more, by `spread`, that of the samples: what disturbs a host from run to run is not the same
// in two boots either, and which of it lasts for a whole boot is not known from one.
[[nodiscard]] HostResolution resolution_of(const Grouping& grouping, const std::vector<Level>& of_one,
                                           const HostResolution& known, const std::optional<double>& spread,
                                           double level);
// `settings` is a ratio above 1. A change must be larger, and equivalence needs one within the threshold.
[[nodiscard]] Verdict bounded(Verdict verdict, const RatioEstimate& effect, double threshold,
                              const std::optional<double>& settings);
// Both.
[[nodiscard]] Verdict resolved_verdict(const RatioEstimate& effect, double threshold, Better better,
                                       const HostResolution& resolution);

// Gate 8: the levels whose luck the interval cannot know, because a side has one unit of them. A boot can
// make a difference if each side has its own, or if the sides differ in code, which each boot places in
// memory anew; a build if the sides differ in code.
[[nodiscard]] std::vector<Level> levels_of_one(const Grouping& grouping,
                                               const std::vector<std::string>& changed);

// The largest standard deviation, as a share, that these levels may add to the difference without changing
// the verdict. The interval is widened by it as by an independent normal error. Absent without a verdict.
[[nodiscard]] std::optional<double> bearable_spread(const RatioEstimate& effect, Verdict verdict,
                                                    double threshold, double level);

// Over all figures. If some improved and some regressed, that is a trade-off, which is for a person to weigh.
// What is refused for one figure could be a regression, so it refuses an improvement of others; a regression
// stands.
[[nodiscard]] Verdict overall(const std::vector<FigureResult>& figures);
// What all agree on that lean; absent if they do not, or none does.
[[nodiscard]] std::optional<Verdict> overall_leaning(const std::vector<FigureResult>& figures);

}  // namespace netperfd::analysis
