// SPDX-License-Identifier: GPL-2.0-or-later
// RunWriter::remove().
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "daemon/store/digests.hpp"
#include "daemon/store/rows.hpp"
#include "daemon/store/run_writer.hpp"

namespace netperfd::store {
namespace {

constexpr int kVacuumedPages = 512;  // in one transaction: 2 MiB of the log

}  // namespace

Status RunWriter::remove(RunId run) {
  {
    auto transaction = Transaction::begin(connection_, Durability::full);
    if (!transaction) return std::unexpected(transaction.error());
    const auto state = state_of(run);
    // A run whose state is damaged has ended: one under way would have a new state soon.
    if (!state && state.error().kind != ErrorKind::internal) return std::unexpected(state.error());
    if (state && !has_ended(*state)) {
      return fail(ErrorKind::busy,
                  fmt::format("run {}: it is {}; stop its job first", run, to_string(*state)));
    }
    const auto job = connection_.value<JobId>(fmt::format("SELECT job FROM runs WHERE id = {}", run));
    if (!job) return std::unexpected(job.error());
    const auto confirming = jobs_that_confirm(*job);
    if (!confirming) return std::unexpected(confirming.error());
    // The tables of its parts follow by ON DELETE CASCADE.
    if (auto done = connection_.execute(fmt::format("DELETE FROM runs WHERE id = {}; "
                                                    "DELETE FROM jobs WHERE id = {} AND NOT EXISTS "
                                                    "(SELECT 1 FROM runs WHERE job = jobs.id)",
                                                    run, *job));
        !done) {
      return done;
    }
    for (const JobId each : *confirming) {
      if (auto done = write_digests(connection_, of_job(each), {"jobs"}); !done) return done;
    }
    if (auto done = transaction->commit(); !done) return done;
  }
  return_space();
  return {};
}

// Their column that names the job is emptied with its last run.
Result<std::vector<JobId>> RunWriter::jobs_that_confirm(JobId job) {
  std::vector<JobId> jobs;
  auto select = connection_.prepare("SELECT id FROM jobs WHERE confirms = ?");
  if (!select) return std::unexpected(select.error());
  auto read = for_each_row(select->bind(job), [&](RowReader& row) { row.read(jobs.emplace_back()); });
  if (!read) return std::unexpected(read.error());
  std::erase_if(jobs, [&](JobId each) { return !expect_intact(connection_, of_job(each), {"jobs"}); });
  return jobs;
}

// Each part is small enough for the reserved part of the log. Refusals are ignored: the run is deleted, and a
// full disk or a reader that holds old pages only delays this.
void RunWriter::return_space() {
  std::int64_t free_before = std::numeric_limits<std::int64_t>::max();
  for (;;) {
    const auto free = connection_.value<std::int64_t>("PRAGMA freelist_count");
    if (!free || *free == 0 || *free >= free_before) return;
    free_before = *free;
    const auto vacuumed = connection_.execute(
        fmt::format("PRAGMA incremental_vacuum({}); PRAGMA wal_checkpoint(PASSIVE)", kVacuumedPages));
    if (!vacuumed) return;
  }
}

}  // namespace netperfd::store
