// SPDX-License-Identifier: GPL-2.0-or-later
// Compares the sides of one job: its variants A and B or, without variants, its plain and its traced runs.
#pragma once

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/base/error.hpp"
#include "daemon/core/comparison/run_comparison.hpp"
#include "daemon/core/ports/run_queries.hpp"

namespace netperfd::core {

// If `settings` declare no change, the change that the job declares counts; between plain and traced runs it
// is `trace`. If they name no figure, those that the job declares are judged. invalid_argument if the job
// does not have two sides, or if a group of the declared change does not exist; not_found if there is no such
// job, or if a side has no finished run. If the job confirms another one, each function also has what that
// one found.
[[nodiscard]] Result<ComparedSelections> compare_job(RunQueries& queries, JobId job,
                                                     const analysis::ComparisonSettings& settings,
                                                     const Comparer& comparer);

}  // namespace netperfd::core
