// SPDX-License-Identifier: GPL-2.0-or-later
// Decides which job goes on: one run at a time on this host, all runs of a job in a row, jobs in the order of
// their acceptance.
//
// If a job's design has commands, the next job waits until the machine is back on its original side. If that
// failed, it is tried again before each later job, and when somebody asks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/run_observer.hpp"
#include "daemon/core/queue/admission.hpp"
#include "daemon/core/queue/job_execution.hpp"
#include "daemon/core/queue/job_queue.hpp"
#include "daemon/core/queue/live_job.hpp"
#include "daemon/core/run/run_ports.hpp"
#include "daemon/core/sides/left_sides.hpp"

namespace netperfd::core {

class Scheduler final : private JobListener {
 public:
  static constexpr std::chrono::seconds kLinger = JobQueue::kLinger;
  static constexpr std::ptrdiff_t kLingerLimit = JobQueue::kLingerLimit;

  using SeedSource = std::function<std::uint64_t()>;
  // From the system's randomness; 32 bits, which a person can read out and every JSON reader keeps.
  [[nodiscard]] static std::uint64_t random_seed();

  // `queue_limit`: maximum number of live jobs. `draw_seed`: for designs without a seed. The ports must
  // outlive the scheduler.
  Scheduler(RunPorts ports, std::uint32_t queue_limit, SeedSource draw_seed = random_seed);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Must outlive the scheduler or the last job, whichever ends first.
  void add_observer(RunObserver& observer) { queue_.add_observer(observer); }
  void set_queue_limit(std::uint32_t limit) { admission_.set_queue_limit(limit); }
  // They hold for new jobs and for the next runs of accepted ones.
  void set_user_limits(const UserLimits& limits) { admission_.set_user_limits(limits); }

  // Stores the job and queues it; nothing starts inside this call. busy if the queue is full (not for root)
  // or the daemon is stopping; quota_exceeded if the owner has too much already; the error of Tracer::check
  // if the job requires its trace; infeasible if the job cannot end in an answer and is not forced.
  [[nodiscard]] Result<JobId> submit(JobSpec spec, uid_t owner);
  // Queues a job that was accepted before, behind the others; the limit of the queue does not matter. If its
  // first run cannot even be prepared, the others are canceled: what it needs may be gone since a reboot.
  void resume(ResumedJob resumed);
  // Whether the user may store more: quota_exceeded or the store's error.
  [[nodiscard]] Status check_stored(uid_t user) { return admission_.check_stored(user); }
  // Cancels the job's runs that have not ended, with `reason`; returns before that is done. Switching the
  // machine back to its original side is not cut short.
  [[nodiscard]] Status stop(JobId job, const std::string& reason);
  // Holds a job that reboots the machine: no reboot begins until it is let go on. Errors: not_found;
  // invalid_argument if it does not reboot the machine; not_running if it has ended, or reboots already; the
  // store's, if only this daemon knows of it.
  [[nodiscard]] Status hold(JobId job, bool held);
  // Writes a caller's line into the trace of the job's run. Errors: not_found, not_running if nothing of the
  // job is being traced, io.
  [[nodiscard]] Status mark(JobId job, const std::string& text);
  // What ended jobs left changed on the machine, the oldest first.
  [[nodiscard]] Result<std::vector<LeftSide>> left_sides() const;
  // Whether the job is one of them, or that cannot be known.
  [[nodiscard]] bool has_left_side(JobId job) const;
  // Brings back what an ended job left, and calls `done` once, never inside this call. An error of `done`
  // says why it could not be brought back; the errors of the call are not_found if the job left nothing, and
  // busy while a job is under way.
  [[nodiscard]] Status bring_back(JobId job, LeftSides::Done done);
  // Refuses new jobs, interrupts the run under way with `reason`, and calls `done` once the machine is as it
  // was before. Runs to come stay pending in the store, for resume(). Call it only once.
  void shut_down(const std::string& reason, std::function<void()> done);

  // Whether no job has begun: waiting ones may begin in the next turn.
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] std::vector<JobStatus> jobs() const { return queue_.statuses(); }
  [[nodiscard]] std::optional<JobStatus> job(JobId job) const { return queue_.status(job); }

 private:
  void run_is_ready(LiveJob& job, const Status& status) override;
  void run_ended(LiveJob& job, const RunController& run, RunState state, const std::string& error) override;

  void schedule_turn();
  void take_turn();
  void cancel_stopped_jobs();
  void go_on(LiveJob& job);
  // Before the job: tries to bring back what earlier ones left. Whether that is under way now.
  [[nodiscard]] bool brings_back(LiveJob& job);
  // Whether the comparison of its sides is decided by the blocks that have ended. Asked before a block
  // begins, so a job that was resumed asks again.
  [[nodiscard]] bool look_at(LiveJob& job);
  // Fails the current run and cancels the rest. `why` completes "not measured, since run 7".
  void give_up(LiveJob& job, const std::string& error, std::string_view why);
  // Both: the job may be forgotten on return.
  void cancel_rest(LiveJob& job, const std::string& reason);
  void leave(LiveJob& job);  // all of its runs have ended
  void suspend();            // nothing is under way any more: switches the machine back
  [[nodiscard]] bool is_executing() const;
  [[nodiscard]] bool is_busy() const { return left_.busy() || is_executing(); }

  RunPorts ports_;
  SeedSource draw_seed_;
  JobQueue queue_;
  Admission admission_;
  LeftSides left_;
  Timer turn_;
  std::function<void()> shut_down_done_;
};

}  // namespace netperfd::core
