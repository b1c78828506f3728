// SPDX-License-Identifier: GPL-2.0-or-later
// How the jobs that the last daemon left unfinished go on: with their next run, or with the next block of
// their design. Blocks are compared as wholes, so a block that was broken off is given up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/core/ports/scenario_source.hpp"
#include "daemon/core/queue/scheduler.hpp"

namespace netperfd::core {

// A job ends if this many of its runs, or blocks, in a row were interrupted: it may be what ends the daemon.
inline constexpr int kMostInterruptions = 3;

struct Resumption {
  ResumedJob job;
  std::vector<RunId> given_up;  // pending runs of a broken block; in `job` they are interrupted
};

// `spec` is what the job's text was read as. The error says why the job cannot go on.
[[nodiscard]] Result<Resumption> plan_resumption(UnfinishedJob job, Result<JobSpec> spec);

// Call it before the scheduler has other jobs. The job of a reboot (BootNote) is the first, then one that has
// begun: no other comes between its runs. Jobs that cannot go on are canceled in the store; returns a
// line about each of them, with the reason. If the store refuses that, such as for a full disk, their runs
// stay pending until the next start.
[[nodiscard]] Result<std::vector<std::string>> resume_jobs(RunStore& store, ScenarioSource& scenarios,
                                                           Scheduler& scheduler,
                                                           std::optional<JobId> rebooted = std::nullopt);

}  // namespace netperfd::core
