// SPDX-License-Identifier: GPL-2.0-or-later
// Executes the runs of a job, one when it is told to.
//
// If the job's design has commands, each run waits until the machine is on the run's side. If the job traces
// functions, they are chosen before its first run.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "daemon/core/queue/job_queue.hpp"
#include "daemon/core/queue/live_job.hpp"
#include "daemon/core/run/function_choice.hpp"
#include "daemon/core/run/run_controller.hpp"
#include "daemon/core/sides/sides.hpp"

namespace netperfd::core {

// Called from the loop. The listener may destroy the execution inside both.
class JobListener {
 public:
  virtual ~JobListener() = default;
  // What comes before the next run has ended, perhaps early: it can be started, unless `status` is an error.
  virtual void run_is_ready(LiveJob& job, const Status& status) = 0;
  virtual void run_ended(LiveJob& job, const RunController& run, RunState state,
                         const std::string& error) = 0;
};

class JobExecution final : private RunListener {
 public:
  // How often the progress of a run is reported: rarely, since each report wakes the host that is being
  // measured.
  static constexpr std::chrono::seconds kProgressPeriod{1};

  // All must outlive the execution. `queue` has the job and is told of its changes.
  JobExecution(const RunPorts& ports, LiveJob& job, JobQueue& queue, JobListener& listener);
  JobExecution(const JobExecution&) = delete;
  JobExecution& operator=(const JobExecution&) = delete;
  ~JobExecution() override = default;

  // Does what comes before the next run, then run_is_ready(); a run that needs nothing is started. Must not
  // be called while is_busy().
  void go_on();
  void start_run();
  // Ends what is under way. A run ends as canceled; interrupt() ends it as interrupted. Switching the machine
  // back to its original side is not cut short.
  void cancel(const std::string& reason);
  void interrupt(const std::string& reason);
  // At the end of the job: brings the machine to where it was before, if has_sides().
  void leave(Sides::Done done);
  // Before the daemon ends and leaves the job to the next one, if has_sides().
  void suspend(Sides::Done done) { sides_->suspend(std::move(done)); }
  [[nodiscard]] Status hold(bool held) { return sides_ ? sides_->hold(held) : Status{}; }

  [[nodiscard]] bool is_busy() const { return run_ || choice_ || (sides_ && sides_->busy()); }
  // Whether the machine was brought to a side, or on its way to one.
  [[nodiscard]] bool has_sides() const { return sides_ != nullptr; }
  // Absent: the job needs no reboots, or none of its runs has begun.
  [[nodiscard]] std::optional<BootState> boot_state() const;
  // What a command of a side wrote that failed; empty: none did.
  [[nodiscard]] std::string failed_output() const { return sides_ ? sides_->failed_output() : std::string{}; }
  // Whether the machine has been booted for the next run.
  [[nodiscard]] bool is_booted() const { return sides_ && sides_->is_booted_for(job_.next_slot()); }
  // The run under way; null: there is none.
  [[nodiscard]] RunController* run() const { return run_.get(); }
  // Adds what is known of the moment.
  void complete(JobStatus& status) const;

 private:
  void run_changed() override { queue_.announce(job_); }
  void run_interval(const Interval& interval) override;
  void run_trace(const TraceProgress& progress) override;
  void run_ended(RunState state, const std::string& error) override;

  void bring_side();
  void choose_functions();
  [[nodiscard]] Status keep_choice(const FunctionChoice& choice);
  void end_step(const Status& reached);
  void give_up_step();
  void tick();

  const RunPorts& ports_;
  LiveJob& job_;
  JobQueue& queue_;
  JobListener& listener_;
  std::unique_ptr<Sides> sides_;            // from the first run on, if the job has commands
  std::unique_ptr<FunctionChoice> choice_;  // while the functions are chosen
  std::unique_ptr<RunController> run_;
  Timer progress_;
};

}  // namespace netperfd::core
