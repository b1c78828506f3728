// SPDX-License-Identifier: GPL-2.0-or-later
// Compares the sides of one job: its variants A and B or, without variants, its plain and its traced runs.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/base/error.hpp"
#include "daemon/core/comparison/run_comparison.hpp"
#include "daemon/core/ports/job_judge.hpp"
#include "daemon/core/ports/run_queries.hpp"

namespace netperfd::core {

// If `settings` declare no change, the change that the job declares counts; between plain and traced runs it
// is `trace`. If they name no figure, those that the job declares are judged. invalid_argument if the job
// does not have two sides, or if a group of the declared change does not exist; not_found if there is no such
// job, or if a side has no finished run. If the job confirms another one, each function also has what that
// one found. If the job measures until it is decided, the level is that of its looks. Of a sweep,
// `settings.point` is compared, at the level that all of its points share; invalid_argument without it.
[[nodiscard]] Result<ComparedSelections> compare_job(RunQueries& queries, JobId job,
                                                     const analysis::ComparisonSettings& settings,
                                                     const Comparer& comparer);

// The same of runs that were read: all of the job's, or those of one point of a sweep.
[[nodiscard]] Result<ComparedSelections> compare_own_sides(RunQueries& queries, JobId job,
                                                           const std::vector<RunRow>& runs,
                                                           const analysis::ComparisonSettings& settings,
                                                           const Comparer& comparer,
                                                           ComparedParts wanted = ComparedParts::all);

// Over all that is stored.
class StoredJobJudge final : public JobJudge {
 public:
  explicit StoredJobJudge(RunQueries& queries) : queries_(queries) {}
  [[nodiscard]] Result<Comparison> judge(JobId job) override;

 private:
  RunQueries& queries_;
};

// Number of blocks, from the first one on, of which no run is to come. `runs` are all of a job's.
[[nodiscard]] std::uint32_t ended_blocks(const std::vector<RunRow>& runs);

}  // namespace netperfd::core
