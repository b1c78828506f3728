// SPDX-License-Identifier: GPL-2.0-or-later
// Compares the sides of a sweep at each of its points.
#pragma once

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/base/error.hpp"
#include "daemon/core/comparison/run_comparison.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/model/sweep_comparison.hpp"

namespace netperfd::core {

// As compare_job() at each point, with intervals that hold together at `settings.level`. A point that cannot
// be compared says why. invalid_argument if the job is no sweep, or as of compare_job(); not_found if there
// is no such job.
[[nodiscard]] Result<SweepComparison> compare_sweep(RunQueries& queries, JobId job,
                                                    const analysis::ComparisonSettings& settings,
                                                    const Comparer& comparer);

}  // namespace netperfd::core
