// The sides of one job, compared: its variants A and B, or where it has none its plain and its traced runs.
#pragma once

#include "daemon/analysis/comparison.hpp"
#include "daemon/base/error.hpp"
#include "daemon/core/ports.hpp"
#include "daemon/core/run_comparison.hpp"

namespace netperfd::core {

// What the job declares to change counts where `settings` declare nothing; between plain and traced runs that
// is `trace`. invalid_argument where the job has no two sides, or a group of the declared change is none;
// not_found where there is no such job, or a side has no finished run.
[[nodiscard]] Result<ComparedSelections> compare_job(RunQueries& queries, JobId job,
                                                     const analysis::ComparisonSettings& settings,
                                                     const Comparer& comparer);

}  // namespace netperfd::core
