// SPDX-License-Identifier: GPL-2.0-or-later
// What the runs of a plan show of their spread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/figure_effect.hpp"
#include "daemon/core/ports/run_queries.hpp"

namespace netperfd::core {

inline constexpr std::size_t kFewestSamples = 3;

struct PlanSamples {
  Pairing pairing = Pairing::runs;
  std::vector<double> values;  // logarithms: differences within blocks, or of boots or runs
  std::optional<double> sd;
  bool are_enough = false;
};

using BlockKey = std::pair<JobId, std::uint32_t>;

// From the measured runs: the plain ones, or the traced ones if none is plain. Of blocks only whole ones
// count; `whole` receives them. Of a sweep, those of the point whose samples spread the most: the plan is to
// do for each.
[[nodiscard]] PlanSamples samples_of_points(const std::vector<SelectedRun>& runs,
                                            const std::vector<analysis::ComparedRun>& compared,
                                            const analysis::FigureOf& figure, std::set<BlockKey>& whole);

// "whole block(s)"
[[nodiscard]] const char* noun_of(Pairing pairing);

}  // namespace netperfd::core
