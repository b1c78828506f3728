// SPDX-License-Identifier: GPL-2.0-or-later
// All changes to jobs and runs; each call is one transaction. core::RunStore documents the calls.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/core/ports/reread_store.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/store/bundle_writer.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/sqlite.hpp"
#include "daemon/store/usage.hpp"

namespace netperfd::store {

class RunWriter {
 public:
  explicit RunWriter(Connection& connection) : connection_(connection) {}

  [[nodiscard]] Result<core::NewJob> add_job(const JobSpec& spec, const std::vector<Slot>& slots, uid_t owner,
                                             WallTime now);
  [[nodiscard]] Result<std::vector<core::NewJob>> add_bundle(const StoredTables& content,
                                                             const BundleOwner& owner);
  [[nodiscard]] Status set_state(RunId run, RunState state);
  [[nodiscard]] Status cancel_pending(JobId job, const std::string& error);
  [[nodiscard]] Status add_intervals(RunId run, std::span<const Interval> intervals, std::size_t first);
  [[nodiscard]] Status finish(const RunRecord& record);
  [[nodiscard]] Status replace_reading(RunId run, const core::RunReading& reading,
                                       const core::AuditEntry& entry);
  [[nodiscard]] Status remove(RunId run);
  [[nodiscard]] Status set_label(JobId job, const std::string& label);
  [[nodiscard]] Status set_note(RunId run, const std::string& note);
  // Ends every run that was under way as `interrupted`; returns their number.
  [[nodiscard]] Result<std::int64_t> interrupt_begun_runs();

 private:
  [[nodiscard]] Status insert_job(const JobSpec& spec, uid_t owner, WallTime now);
  // All pending, one for each slot, in order.
  [[nodiscard]] Result<std::vector<RunId>> insert_runs(JobId job, const JobSpec& spec,
                                                       const std::vector<Slot>& slots);
  [[nodiscard]] Result<RunState> state_of(RunId run);
  [[nodiscard]] Status expect_transition(RunId run, RunState to);
  [[nodiscard]] Status write_record(const RunRecord& record, std::size_t early);
  [[nodiscard]] Status count_growth(std::string_view table, std::int64_t row, const Growth& growth);
  [[nodiscard]] Status digest_bundle(const std::vector<core::NewJob>& jobs, const DigestParts& parts);
  [[nodiscard]] Status share_growth(const std::vector<core::NewJob>& jobs, const Growth& growth);
  [[nodiscard]] Status update_run(const RunRecord& record);
  [[nodiscard]] Status insert_documents(const RunRecord& record);
  [[nodiscard]] Result<std::vector<JobId>> jobs_that_confirm(JobId job);
  void return_space();  // of deleted rows, to the file system
  [[nodiscard]] Status insert_traffic(RunId run, const TrafficCount& traffic);

  Connection& connection_;
};

}  // namespace netperfd::store
