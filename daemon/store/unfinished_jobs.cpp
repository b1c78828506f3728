// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/unfinished_jobs.hpp"

#include <optional>
#include <string>
#include <utility>

#include "daemon/store/budget_table.hpp"
#include "daemon/store/design_columns.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

Status read_runs(Statement& select, core::UnfinishedJob& job) {
  return for_each_row(select.bind(job.id), [&](RowReader& row) {
    core::StoredRun& run = job.runs.emplace_back();
    std::string state, variant;
    row.read(run.id, run.index, state, run.error, run.slot.block, run.slot.letter, variant, run.build,
             run.slot.traced, run.slot.point, run.point_name);
    // The table's CHECK allows only the names of these states.
    run.state = parse_run_state(state).value_or(RunState::failed);
    if (!variant.empty()) run.slot.variant = variant.front();
  });
}

}  // namespace

Result<std::vector<core::UnfinishedJob>> read_unfinished_jobs(Connection& connection) {
  // Also of a run whose job cannot be found, which would stay pending for ever.
  auto select = connection.prepare(
      "SELECT p.job, owner_uid, tied, held, text, label, repeat, purpose, seed "
      "FROM (SELECT DISTINCT job FROM runs WHERE state = 'pending') AS p LEFT JOIN jobs ON jobs.id = p.job "
      "ORDER BY p.job");
  if (!select) return std::unexpected(select.error());
  auto runs = connection.prepare(
      "SELECT id, idx, state, error, block, letter, variant, build, traced, point, point_name FROM runs "
      "WHERE job = ? ORDER BY idx");
  if (!runs) return std::unexpected(runs.error());
  std::vector<core::UnfinishedJob> jobs;
  const auto done = for_each_row(*select, [&](RowReader& row) {
    core::UnfinishedJob& job = jobs.emplace_back();
    std::string label, purpose;
    std::uint32_t repeat = 0;
    DesignColumns design;
    row.read(job.id, job.owner, job.tied, job.held, job.text, label, repeat, purpose, design.seed);
    job.options.label = std::move(label);
    job.options.repeat = repeat;
    job.options.purpose = parse_job_purpose(purpose).value_or(JobPurpose::measurement);
    if (const auto stored = design_of(design)) job.seed = stored->seed;
  });
  if (!done) return std::unexpected(done.error());
  for (core::UnfinishedJob& job : jobs) {
    if (auto read = read_runs(*runs, job); !read) return std::unexpected(read.error());
    if (auto intact = expect_intact_with_runs(connection, job.id); !intact) {
      core::UnfinishedJob damaged;
      damaged.id = job.id;
      damaged.damage = std::move(intact.error().message);
      job = std::move(damaged);
      continue;
    }
    auto budget = read_budget(connection, job.id);
    if (!budget) return std::unexpected(budget.error());
    job.budget = std::move(*budget);
  }
  return jobs;
}

}  // namespace netperfd::store
