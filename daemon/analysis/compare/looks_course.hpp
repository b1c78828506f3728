// SPDX-License-Identifier: GPL-2.0-or-later
// When jobs that measure until they are decided end, simulated with block values whose truth is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "daemon/analysis/compare/looks.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

// The values of a job's blocks for each of its figures, in logarithms; as many blocks as the last look has.
using JobValues = std::vector<std::vector<double>>;

struct JobEnd {
  std::uint32_t blocks = 0;
  bool decided = false;
  std::vector<Location> figures;  // at the look at which the job ended
  std::vector<Verdict> verdicts;  // of the figures, of which more is better
};

// Each job ends at the first look at which all its figures are decided, otherwise at the last look. The gates
// of a comparison withhold nothing here.
[[nodiscard]] std::vector<JobEnd> ends_of(const Looks& looks, const std::vector<JobValues>& jobs,
                                          double threshold);

// What one figure of such a job is expected to show.
struct CourseQuestion {
  double sd = 0;            // of the logarithms of block values, which are normal
  double effect = 0;        // the true difference of the logarithms
  double threshold = 0.01;  // a share
  std::uint32_t most = 0;   // blocks, at most 500
  std::size_t figures = 1;  // that the job judges together; the others are not simulated
};

struct Course {
  double blocks = 0;   // on average
  double decided = 0;  // share of the jobs
};

// Of 500 jobs, so that the share has a standard error of 2.2 percentage points at most; of fewer beyond 100
// blocks, and of 100 if they are 500. The same question always has the same answer.
[[nodiscard]] Course course_of(const CourseQuestion& question);

}  // namespace netperfd::analysis
