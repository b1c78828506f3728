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

// A damaged row is damage of its job.
Status read_runs(Statement& select, core::UnfinishedJob& job) {
  return for_each_row(select.bind(job.id), [&](RowReader& row) {
    core::StoredRun& run = job.runs.emplace_back();
    std::string variant;
    auto read = row.try_read(run.id, run.index, run.state, run.error, run.slot.block, run.slot.letter,
                             variant, run.build, run.slot.traced, run.slot.point, run.point_name);
    if (!read && job.damage.empty()) job.damage = std::move(read.error().message);
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
    std::string label;
    std::uint32_t repeat = 0;
    DesignColumns design;
    auto read = row.try_read(job.id, job.owner, job.tied, job.held, job.text, label, repeat,
                             job.options.purpose, design.seed);
    if (!read) job.damage = std::move(read.error().message);
    job.options.label = std::move(label);
    job.options.repeat = repeat;
    if (const auto stored = design_of(design)) job.seed = stored->seed;
  });
  if (!done) return std::unexpected(done.error());
  for (core::UnfinishedJob& job : jobs) {
    const auto read = read_runs(*runs, job);
    if (!read) return std::unexpected(read.error());
    if (auto intact = expect_intact_with_runs(connection, job.id); !intact)
      job.damage = std::move(intact.error().message);
    if (!job.damage.empty()) {
      core::UnfinishedJob damaged;
      damaged.id = job.id;
      damaged.damage = std::move(job.damage);
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
