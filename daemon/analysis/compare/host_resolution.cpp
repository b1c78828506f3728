// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/host_resolution.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "daemon/analysis/compare/figure_effect.hpp"
#include "daemon/analysis/compare/gates.hpp"
#include "daemon/analysis/compare/quantiles.hpp"

namespace netperfd::analysis {
namespace {

constexpr double kFewest = 3;  // degrees of freedom

RunList of_known_boots(RunList runs) {
  std::erase_if(runs, [](const ComparedRun* run) { return !knows_boot(run); });
  return runs;
}

// The mean square of what a level adds to the difference.
struct MeanSquare {
  double sum = 0, freedom = 0;
};

// `constrained`: the differences sum up to 0.
MeanSquare mean_square(const Samples& units, bool constrained) {
  MeanSquare square{.sum = 0, .freedom = static_cast<double>(units.a.size()) - (constrained ? 1 : 0)};
  if (square.freedom < kFewest) return {};
  for (std::size_t i = 0; i < units.a.size(); ++i) square.sum += std::pow(units.b[i] - units.a[i], 2);
  square.sum /= square.freedom;
  return square;
}

}  // namespace

std::optional<double> code_resolution(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                      double level, const Figure& figure) {
  const FigureOf of(figure);
  const auto log = [&of](const ComparedRun& run) { return of.log(run); };
  const FigureRuns runs = figure_runs(a, b, figure);
  const Grouping grouping(of_known_boots(runs.a), of_known_boots(runs.b));
  if (!grouping.in_blocks()) return std::nullopt;
  const RunValues values_a = values_of(grouping.a(), log);
  const RunValues values_b = values_of(grouping.b(), log);
  const MeanSquare boots = mean_square(grouping.samples_of(Unit::boot, values_a, values_b), false);
  const MeanSquare builds = mean_square(grouping.samples_of(Unit::build, values_a, values_b), true);
  if (boots.freedom == 0 && builds.freedom == 0) return std::nullopt;
  const double fewest = boots.freedom == 0    ? builds.freedom
                        : builds.freedom == 0 ? boots.freedom
                                              : std::min(boots.freedom, builds.freedom);
  return std::exp(students_t_quantile(fewest, (1 + level) / 2) * std::sqrt(boots.sum + builds.sum));
}

std::optional<double> settings_resolution(const RatioEstimate& self_test, Verdict verdict) {
  if (verdict == Verdict::equivalent || !leaning_of(self_test, Better::higher)) return std::nullopt;
  return std::max(*self_test.high, 1 / *self_test.low);
}

}  // namespace netperfd::analysis
