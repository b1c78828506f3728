// SPDX-License-Identifier: GPL-2.0-or-later
// The comparison of the sides of a sweep: of each point, and what changes from point to point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/comparison.hpp"

namespace netperfd {

struct ComparedPoint {
  std::uint32_t point = 0;          // from 1
  std::string name;                 // "streams=4, length=512"
  std::vector<std::string> values;  // of each axis
  std::uint32_t runs_a = 0, runs_b = 0;
  // Over all figures. Without finished runs of both sides, or if they cannot be compared, too_few and no
  // figure.
  Verdict verdict = Verdict::too_few;
  std::vector<FigureResult> figures;  // p_adjusted counts the points too
  std::string caveat;                 // a sentence, the gravest one; empty: none
};

// How the change of a figure grows along an axis whose values are numbers, at fixed values of the other axes.
struct SweepTrend {
  std::string figure;
  std::string axis;
  std::string at;  // the values of the other axes; empty: there are none
  std::uint32_t points = 0, blocks = 0;
  // The ratio of B to A at the last value over that at the first one, by a straight line through the
  // logarithms of all points of a block at even distances; as RatioEstimate.
  std::optional<double> ratio, low, high;
  double level = 0;  // of [low, high]
  std::optional<double> p_adjusted;
  bool monotone = false;  // whether the estimates of the points only rise or only fall
};

// The intervals of all figures at all points hold together at `level` (Bonferroni), and so do those of the
// trends.
struct SweepComparison {
  std::string name_a, name_b;
  std::vector<std::string> axes;      // keys
  std::vector<ComparedPoint> points;  // in the order of the sweep
  std::vector<SweepTrend> trends;     // those that can be told
  double level = 0.95;
  std::uint32_t tests = 0;   // figures times points
  std::uint32_t fewest = 0;  // blocks that an interval of one of so many takes
};

}  // namespace netperfd
