// SPDX-License-Identifier: GPL-2.0-or-later
// Reports on jobs and runs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/design.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/run_state.hpp"
#include "daemon/model/trace_record.hpp"

namespace netperfd::core {

enum class JobState { pending, running, finished, failed, canceled };
[[nodiscard]] std::string_view to_string(JobState state);
[[nodiscard]] inline bool has_ended(JobState state) {
  return state > JobState::running;
}

// A live job as others see it: a value, made anew for each call.
struct JobStatus {
  JobId id = 0;
  std::string scenario;
  std::string label;
  uid_t owner = 0;
  bool resumed = false;      // accepted by a daemon before this one
  std::uint32_t repeat = 1;  // as in JobSpec
  JobPurpose purpose = JobPurpose::measurement;
  std::optional<Design> design;  // with its seed
  std::vector<RunId> runs;
  std::vector<Slot> slots;                           // one for each run
  std::optional<std::chrono::milliseconds> planned;  // for one run, if all goes well
  // When ended: failed if the disk was full or a command of its design failed, otherwise canceled if any run
  // was, otherwise failed if any was.
  JobState state = JobState::pending;
  std::uint32_t runs_ended = 0;
  std::uint32_t runs_finished = 0;
  std::optional<RunId> current_run;
  RunState run_state = RunState::pending;  // of the current run, otherwise of the last
  std::string waiting;  // what the current run waits for before another attempt; empty: it does not
  std::string look;     // what the last look at its comparison found; empty: there was none
  double progress =
      0;  // of the job, 0 to 1; it never falls; a run of unknown length counts once it has ended
  std::uint32_t boots = 0;               // reboots that it has asked for
  std::uint32_t boots_planned = 0;       // boots that its design needs, all over; 0: it reboots nothing
  std::string side;                      // name of the side that the machine is on, if it reboots; or empty
  std::uint32_t queue_position = 0;      // live jobs before this one; 0 once it has begun
  std::optional<WallTime> expected_end;  // absent: unknown, or it has ended
  std::string error;  // of the last run that failed, and why the machine is not back on its original side
  std::string side_error;  // only the latter
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void job_added(const JobStatus& job) = 0;
  virtual void job_changed(const JobStatus& job) = 0;
  virtual void run_interval(JobId job, RunId run, const Interval& interval) = 0;
  virtual void run_trace(JobId job, RunId run, const TraceProgress& progress) = 0;
  // Called only after the record is stored, or after the disk has refused it: then `error` says so.
  virtual void run_ended(const JobStatus& job, RunId run, RunState state, const std::string& error) = 0;
  // The scheduler forgets the job; its runs stay in the store.
  virtual void job_removed(JobId job) = 0;
  // What earlier jobs left changed on the machine was tried to be brought back, before this job.
  virtual void left_sides_tried(JobId /*job*/, const Status& /*status*/) {}
};

}  // namespace netperfd::core
