// SPDX-License-Identifier: GPL-2.0-or-later
// Data that outlives the daemon: what a run writes. run_queries.hpp reads it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/scenario_source.hpp"
#include "daemon/model/boot_record.hpp"
#include "daemon/model/budget.hpp"
#include "daemon/model/design.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/run_state.hpp"
#include "daemon/model/stored_tables.hpp"

namespace netperfd::core {

struct NewJob {
  JobId id = 0;
  std::vector<RunId> runs;  // one for each slot, in order, all pending
};

// A run of an unfinished job.
struct StoredRun {
  RunId id = 0;
  std::uint32_t index = 0;  // in its job, from 1; gaps are runs that were deleted
  RunState state = RunState::pending;
  std::string error;
  Slot slot;  // without the number of its build
  std::string build, point_name;
};

// A job of the last daemon that has pending runs.
struct UnfinishedJob {
  JobId id = 0;
  uid_t owner = 0;
  bool tied = false;  // as in JobSpec, like the text
  bool held = false;  // somebody wants no reboot for now
  std::string text;
  JobOptions options;                              // its label, repeat and purpose
  std::optional<std::uint64_t> seed;               // of its design
  std::vector<StoredRun> runs;                     // in order
  std::optional<JobBudget> budget = std::nullopt;  // absent: none was chosen
  std::string damage = {};  // which of its rows are not as they were stored: then only its id is set
};

// What one user has of the store and of the machine.
struct UserUsage {
  std::uint64_t stored_bytes = 0;        // of the database, by the user's jobs and runs
  std::chrono::microseconds running{0};  // of ended runs that were measured here
};

class RunStore {
 public:
  virtual ~RunStore() = default;
  // Whether a run may begin: no_space, naming the file system, if the disk has less free space than the
  // configured minimum; io if the store has lost its file or the file is damaged.
  [[nodiscard]] virtual Status expect_room() = 0;
  // One transaction: the job and its pending runs, one for each slot. A job with a design must have its seed.
  // The errors of expect_room() too.
  [[nodiscard]] virtual Result<NewJob> add_job(const JobSpec& spec, const std::vector<Slot>& slots,
                                               uid_t owner, WallTime now) = 0;
  // In the order of their acceptance. Before any add_job(), these are the jobs of the last daemon.
  [[nodiscard]] virtual Result<std::vector<UnfinishedJob>> unfinished_jobs() = 0;
  // One transaction: the runs of a bundle with their jobs, which become the owner's, with new numbers; the
  // one that was exported is the last. Each run gets the flag kFromBundle with this text. invalid_argument if
  // the tables are not those of this store or do not fit together. The errors of expect_room() too.
  [[nodiscard]] virtual Result<std::vector<NewJob>> add_bundle(const StoredTables& content, uid_t owner,
                                                               const std::string& flag, WallTime now) = 0;
  // A step to a state that has not ended; refused if may_follow() is false.
  [[nodiscard]] virtual Status set_state(RunId run, RunState state) = 0;
  // One transaction: the job's runs that are still pending become canceled with this error.
  [[nodiscard]] virtual Status cancel_pending(JobId job, const std::string& error) = 0;
  // One transaction: intervals of a record that is about to come, the first of which is its interval number
  // `first`, after those that were added before. Only of a run that is collecting. What was added is lost if
  // the record does not have them, or if none comes before the store is opened again.
  [[nodiscard]] virtual Status add_intervals(RunId run, std::span<const Interval> intervals,
                                             std::size_t first) = 0;
  // One transaction, once: everything of an ended run, but the intervals that were added. A second call for
  // the same run is refused.
  [[nodiscard]] virtual Status finish(const RunRecord& record) = 0;
  // Removes the run with everything that belongs to it; refused (busy) while it has not ended. Removing the
  // last run removes the job.
  [[nodiscard]] virtual Status remove(RunId run) = 0;
  // Of a job or a run that has ended; the texts are stored as they are.
  [[nodiscard]] virtual Status set_label(JobId job, const std::string& label) = 0;
  [[nodiscard]] virtual Status set_note(RunId run, const std::string& note) = 0;
  // A job that reboots the machine shall not do so for now, also after a restart of the daemon.
  [[nodiscard]] virtual Status set_held(JobId job, bool held) = 0;
  // The functions that the job traces, before its first run; once.
  [[nodiscard]] virtual Status set_budget(JobId job, const JobBudget& budget) = 0;
  // A reboot that is about to be asked, and what became of it; the latter changes nothing if the former was
  // not stored.
  [[nodiscard]] virtual Status add_boot(JobId job, const BootRecord& boot) = 0;
  [[nodiscard]] virtual Status end_boot(JobId job, std::uint32_t number, const BootArrival& arrival) = 0;
  // Median time from asking for a reboot to being ready for a run, over the newest boots of the scenario's
  // jobs; absent if none is known.
  [[nodiscard]] virtual Result<std::optional<std::chrono::microseconds>> boot_time(
      const std::string& scenario) = 0;
  // The mean time from the end of a run's workload to the begin of the next one's, in the scenario's newest
  // job of several runs; absent if there is none.
  [[nodiscard]] virtual Result<std::optional<std::chrono::microseconds>> time_between_runs(
      const std::string& scenario) = 0;
  // The mean size of the finished runs of the owner's newest job of this scenario; absent if there is none.
  [[nodiscard]] virtual Result<std::optional<std::uint64_t>> bytes_of_run(const std::string& scenario,
                                                                          uid_t owner) = 0;
  // Bytes that can be stored before expect_room() refuses; absent if it does already, or if that is not
  // known.
  [[nodiscard]] virtual std::optional<std::uint64_t> room() = 0;
  // The owner's runs that hold an imported file with this digest (SourceFile), oldest first.
  [[nodiscard]] virtual Result<std::vector<RunId>> runs_with_file(uid_t owner, const std::string& sha256,
                                                                  std::uint32_t most) = 0;
  // `running` is of the runs that ended after `since` and not after `until`, from `since` on. A clock that
  // was set back left runs in the future.
  [[nodiscard]] virtual Result<UserUsage> usage(uid_t owner, WallTime since, WallTime until) = 0;
};

}  // namespace netperfd::core
