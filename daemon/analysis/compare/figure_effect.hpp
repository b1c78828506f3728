// SPDX-License-Identifier: GPL-2.0-or-later
// The headline of a comparison: the ratio of a figure of B to that of A.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/model/figure_registry.hpp"

namespace netperfd::analysis {

// CPU time of the whole run, with its omitted part, over all its work (work.hpp). Absent if it is unknown:
// also if others took as much as there was, to the precision of the kernel's figures.
[[nodiscard]] std::optional<double> whole_cost(const ComparedRun& run);

// The value of a figure in a run; absent: unknown.
class FigureOf {
 public:
  explicit FigureOf(const Figure& figure)
      : entry_(find_figure(figure.name)), figure_(figure), name_(to_string(figure)) {}

  [[nodiscard]] std::optional<double> operator()(const ComparedRun& run) const;
  // Absent if it is not above 0, so that no ratio can hold it.
  [[nodiscard]] std::optional<double> log(const ComparedRun& run) const;
  [[nodiscard]] bool is_measured(const ComparedRun& run) const { return log(run).has_value(); }
  // Known, and not above 0.
  [[nodiscard]] bool is_nothing(const ComparedRun& run) const { return (*this)(run) && !is_measured(run); }

  // How sentences speak of it; null: by its name.
  [[nodiscard]] const FigureWords* words() const { return entry_ == nullptr ? nullptr : entry_->words; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  const FigureEntry* entry_;  // null: a figure of the runs' own
  Figure figure_;
  std::string name_;
};

// What the values of a figure mean: by the registry, or as the runs tell of their own.
struct FigureTerms {
  std::string unit = {};
  Better better = Better::higher;
  std::string source = {};  // what they were read from; empty: the name says it

  bool operator==(const FigureTerms&) const = default;
};
// Those of the first run that has it.
[[nodiscard]] FigureTerms terms_of(const Figure& figure, const std::vector<ComparedRun>& a,
                                   const std::vector<ComparedRun>& b);

// The runs that a figure is taken from.
enum class TakenFrom {
  plain,   // both sides' plain runs: tracing slows a workload down, and not the same on both sides
  traced,  // a side has no plain run, but both have traced ones
  mixed    // one side has only plain runs, the other only traced ones
};

struct FigureRuns {
  TakenFrom from = TakenFrom::plain;
  RunList a, b;  // whose figure is known and above 0
};
[[nodiscard]] FigureRuns figure_runs(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                     const Figure& figure);

// The ratio of a figure and its precision. `grouping` is of figure_runs(), `threshold` that of the verdict.
// Of several boots and several builds it is not known what more samples would find.
[[nodiscard]] RatioEstimate figure_effect(const Grouping& grouping, const Figure& figure, double threshold,
                                          double level);

// Adds what the choice of these runs, their order in time and their boots say against the estimate.
void note_runs(const FigureRuns& runs, const Grouping& grouping, const Figure& figure, Caveats& caveats);

// Notes runs whose figure is unknown, and traced runs in which it is 0 if there are plain ones too.
void note_silent_runs(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b, TakenFrom from,
                      const Figure& figure, Caveats& caveats);
void note_failed_runs(const std::vector<ComparedRun>& runs, std::size_t failed, std::string_view side,
                      Caveats& caveats);

}  // namespace netperfd::analysis
