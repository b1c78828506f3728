// SPDX-License-Identifier: GPL-2.0-or-later
// Whether what a change does grows or shrinks along an axis of a sweep.
//
// Within a block, the points of the axis each have a difference of the sides, log B less log A. The straight
// line through them at even distances (least squares over the ranks of the axis' values) rises by so much
// from the first to the last value; that rise is one sample. What a block has in common, such as its moment,
// cancels, and the rises of the blocks are judged as any paired figure is (signed_rank()).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/model/sweep_comparison.hpp"

namespace netperfd::analysis {

struct PointRuns {
  std::vector<std::string> values;  // of each axis
  std::vector<ComparedRun> a, b;
};

// A value of an axis, such as "1448", "0.5" or "64K" (K, M and G: 1024); absent: it is no number.
[[nodiscard]] std::optional<double> number_of(const std::string& value);

// Of each figure along each axis that has at least three values, all of them numbers, for each combination of
// the other axes' values. The intervals hold together at `level`, and p_adjusted counts all of them. A figure
// is taken from plain runs; a point without blocks, or without a value of each axis, is left out.
[[nodiscard]] std::vector<SweepTrend> sweep_trends(const std::vector<std::string>& axes,
                                                   const std::vector<PointRuns>& points,
                                                   const std::vector<ComparedFigure>& figures, double level);

}  // namespace netperfd::analysis
