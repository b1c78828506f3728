// SPDX-License-Identifier: GPL-2.0-or-later
// One run, from its preparation to its stored record.
//
//   start()              pending -> preparing: an attempt is prepared
//   attempt_prepared()   preparing -> running: stored first, then the attempt begins
//   attempt_stopped()    running -> collecting: what iperf3 wrote is being read
//   attempt_ended()      finished | failed | canceled, stored (record_storing.hpp), then announced
//
// If the server is busy or absent, the attempt leaves nothing behind, and the run goes back to preparing for
// another one, within the job's server_wait. Only the last attempt counts: its times, counters and trace are
// the run's. The deadline is that of each attempt.
//
// A failure, the deadline and cancel() only ask the workload to stop. The run always ends through
// attempt_ended(), so that no child and no change of the machine is left when the record is stored.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "daemon/core/record_storing.hpp"
#include "daemon/core/run/attempt.hpp"
#include "daemon/core/run/run_ports.hpp"
#include "daemon/core/run/server_wait.hpp"

namespace netperfd::core {

// Called by one controller, always from the loop, never from inside start() or cancel().
class RunListener {
 public:
  virtual ~RunListener() = default;
  virtual void run_changed() = 0;  // state() has changed
  virtual void run_interval(const Interval& interval) = 0;
  virtual void run_trace(const TraceProgress& progress) = 0;
  // The last call, made exactly once; the record is stored. The listener may destroy the controller inside
  // it.
  virtual void run_ended(RunState state, const std::string& error) = 0;
};

class RunController final : private AttemptListener {
 public:
  // `traced`: false leaves out the job's trace, if it has one.
  RunController(RunPorts ports, RunId run, JobSpec spec, bool traced, RunListener& listener);
  RunController(const RunController&) = delete;
  RunController& operator=(const RunController&) = delete;

  void start();
  // Call it before start(): the run fails with its first attempt that meets no free server.
  void waive_server_wait() { wait_.give_up(); }
  // Ends the run as canceled with this reason. Only the first reason counts, and none once the workload has
  // ended, which includes the reading of its output. A run that its caller has to end
  // becomes finished.
  void cancel(const std::string& reason);
  // As cancel(), but the run ends as interrupted: the daemon is ending.
  void interrupt(const std::string& reason);
  // Writes a caller's line into the trace; not_running if nothing is being traced at the moment.
  [[nodiscard]] Status mark(const std::string& text);

  [[nodiscard]] RunId id() const { return run_; }
  [[nodiscard]] RunState state() const { return state_; }
  // When its workload was let go, as Clock::since_boot().
  [[nodiscard]] std::optional<std::chrono::microseconds> started() const {
    return attempt_ ? attempt_->released() : std::nullopt;
  }
  // Whether it failed because something does not exist that each run of the job needs. A server that was
  // absent for all of the wait is such a thing.
  [[nodiscard]] bool lacks_something() const { return lacks_something_; }
  // Whether it failed after all of the wait for its server.
  [[nodiscard]] bool waited_in_vain() const { return wait_.in_vain(); }
  // What it waits for until the next attempt; empty: it does not wait.
  [[nodiscard]] std::string waiting() const { return wait_.pending() ? wait_.progress_words() : ""; }

 private:
  // Why the run ends before its workload ends by itself.
  struct EarlyEnd {
    RunState state;
    std::string error;
  };

  void attempt_prepared() override;
  void attempt_is_late() override;
  void attempt_interval(const Interval& interval) override { listener_.run_interval(interval); }
  void attempt_trace(const TraceProgress& progress) override { listener_.run_trace(progress); }
  void attempt_stopped() override;
  void attempt_ended() override;

  void begin_attempt();
  [[nodiscard]] Status prepare();
  [[nodiscard]] bool wait_for_server();  // false: the run ends
  [[nodiscard]] Status step_to(RunState state);
  // Whether the run lasts until its caller ends it, and has begun.
  [[nodiscard]] bool waits_for_caller() const;
  void end_on_request(RunState state, const std::string& reason);
  void end_early(RunState state, const std::string& error);
  void finish_later();
  [[nodiscard]] RunRecord make_record();
  void add_wait(RunRecord& record) const;
  void finish();

  RunPorts ports_;
  RunId run_;
  const JobSpec spec_;
  bool traced_;
  RunListener& listener_;

  RunState state_ = RunState::pending;
  ServerWait wait_;
  std::optional<EarlyEnd> early_end_;
  std::string failed_preparation_;  // why
  bool lacks_something_ = false;
  Timer finish_;
  std::optional<RecordStoring> storing_;
  std::unique_ptr<Attempt> attempt_;  // absent before start() and between two attempts
  AttemptResult left_;                // of the attempt before the wait
};

}  // namespace netperfd::core
