// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/removals.hpp"

#include "daemon/store/digests.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

// Of a job, beside the rows of its runs.
const DigestParts kDecidedBy{"jobs"};

}  // namespace

Result<std::vector<core::StoredJob>> read_stored_jobs(Connection& connection, JobId before,
                                                      std::uint32_t limit) {
  // The runs of a job are marked all at once, so any of them tells whether the job is being removed.
  auto select = connection.prepare(
      "SELECT j.id, j.name, j.label, count(*), j.stored_bytes + sum(r.stored_bytes), "
      "max(ifnull(max(r.ended_us), 0), j.created_us), "
      "max(r.state IN ('pending', 'preparing', 'running', 'collecting')), "
      "j.owner_uid FROM (SELECT id, name, label, stored_bytes, created_us, owner_uid FROM jobs WHERE id < ? "
      "AND NOT EXISTS "
      "(SELECT 1 FROM runs WHERE job = jobs.id AND removing = 1) ORDER BY id DESC LIMIT ?) AS j "
      "CROSS JOIN runs AS r INDEXED BY runs_by_job ON r.job = j.id GROUP BY j.id ORDER BY j.id DESC");
  if (!select) return std::unexpected(select.error());
  std::vector<core::StoredJob> jobs;
  auto read = for_each_row(select->bind(before, limit), [&](RowReader& row) {
    core::StoredJob& job = jobs.emplace_back();
    job.damaged = !row.try_read(job.id, job.scenario, job.label, job.runs, job.stored_bytes, job.newest,
                                job.open, job.owner);
  });
  if (!read) return std::unexpected(read.error());
  for (core::StoredJob& job : jobs)
    job.damaged = job.damaged || !expect_intact_with_runs(connection, job.id, kDecidedBy);
  return jobs;
}

Result<std::uint64_t> mark_for_removal(Connection& connection, JobId job, core::RemovalBy by) {
  auto transaction = Transaction::begin(connection, Durability::full);  // it is acknowledged
  if (!transaction) return std::unexpected(transaction.error());
  if (by == core::RemovalBy::rule && !expect_intact_with_runs(connection, job, kDecidedBy)) return 0U;
  auto update = connection.prepare(
      "UPDATE runs SET removing = 1 WHERE job = ?1 AND NOT EXISTS (SELECT 1 FROM runs WHERE job = ?1 AND "
      "state IN ('pending', 'preparing', 'running', 'collecting')) RETURNING id");
  if (!update) return std::unexpected(update.error());
  std::vector<RunId> marked;
  auto done = for_each_row(update->bind(job), [&](RowReader& row) { row.read(marked.emplace_back()); });
  // Also of a row that is damaged: a user wants it to be removed.
  for (const RunId run : marked) {
    if (done) done = write_digests(connection, of_run(run), {"runs"});
  }
  if (done) done = transaction->commit();
  if (!done) return std::unexpected(done.error());
  return marked.size();
}

Result<std::optional<core::RunOfJob>> read_next_removal(Connection& connection) {
  auto select = connection.prepare(
      "SELECT id, job FROM runs INDEXED BY runs_being_removed WHERE removing = 1 ORDER BY id");
  if (!select) return std::unexpected(select.error());
  for (;;) {
    auto found = select->step();
    if (!found) return std::unexpected(found.error());
    if (!*found) return std::optional<core::RunOfJob>{};
    core::RunOfJob next;
    const auto read = select->read(next.run, next.job);
    if (!read && read.error().kind != ErrorKind::io) return std::unexpected(read.error());
    // Nobody has marked a run whose row is damaged.
    if (read && expect_intact(connection, of_run(next.run), {"runs"})) return std::optional{next};
  }
}

}  // namespace netperfd::store
