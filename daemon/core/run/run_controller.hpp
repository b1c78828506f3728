// SPDX-License-Identifier: GPL-2.0-or-later
// One run, from its preparation to its stored record.
//
//   start()              pending -> preparing: tracefs is claimed and set if the job asks for a trace, the
//                        workload starts its children, which wait
//   workload_prepared()  preparing -> running: stored first, then tracing on, then the client is released
//   workload_stopped()   running -> collecting: tracing off first; what iperf3 wrote is being read
//   workload_ended() and trace_ended(), in either order
//                        tracefs is as before: finished | failed | canceled, stored in one transaction, then
//                        announced
//
// If the server is busy or absent, the attempt leaves nothing behind, and the run goes back to preparing for
// another one, within the job's server_wait. Only the last attempt counts: its times, counters and trace are
// the run's. The deadline is that of each attempt.
//
// A failure, the deadline and cancel() only ask the workload to stop. The run always ends through
// workload_ended() and trace_ended(), so that no child and no change of the machine is left when the record
// is stored.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/core/ports/boot_journal.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/command_runner.hpp"
#include "daemon/core/ports/counter_source.hpp"
#include "daemon/core/ports/fingerprint_source.hpp"
#include "daemon/core/ports/host_watch.hpp"
#include "daemon/core/ports/packet_counter.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/core/ports/sampler.hpp"
#include "daemon/core/ports/side_journal.hpp"
#include "daemon/core/ports/tracer.hpp"
#include "daemon/core/ports/workload.hpp"
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

// The ports that a run uses; all must outlive the controller.
struct RunPorts {
  Workload& workload;
  Tracer& tracer;
  RunStore& store;
  Clock& clock;
  PacketCounter& packets;
  CounterSource& counters;
  FingerprintSource& fingerprints;
  CommandRunner& commands;
  SideJournal& sides;
  BootJournal& boots;
  Sampler* sampler = nullptr;  // null: nothing is sampled
  HostWatch* host = nullptr;   // null: faults of the host are not noticed
};

class RunController final : private WorkloadListener, private TraceListener {
 public:
  // `traced`: false leaves out the job's trace, if it has one. `spec` must outlive the controller.
  RunController(RunPorts ports, RunId run, const JobSpec& spec, bool traced, RunListener& listener);
  RunController(const RunController&) = delete;
  RunController& operator=(const RunController&) = delete;

  void start();
  // Call it before start(): the run fails with its first attempt that meets no free server.
  void waive_server_wait() { wait_.give_up(); }
  // Ends the run as canceled with this reason. Only the first reason counts, and none once the workload has
  // ended, which includes the reading of its output. A run that its caller has to end (WorkloadKind::none)
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
    return started_ ? std::optional{started_since_boot_} : std::nullopt;
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

  void workload_prepared() override;
  void workload_interval(const Interval& interval) override;
  void workload_phase(std::string_view phase) override;
  void workload_stopped() override;
  void workload_ended(WorkloadResult result) override;
  void trace_progress(const TraceProgress& progress) override;
  void trace_ended(TraceRecord record, std::vector<QualityFlag> flags) override;

  void begin_attempt();
  [[nodiscard]] bool wait_for_server();  // false: the run ends
  void forget_attempt();
  void add_wait();  // to the result
  [[nodiscard]] Status step_to(RunState state);
  [[nodiscard]] Status prepare();
  [[nodiscard]] Status prepare_trace();
  [[nodiscard]] Status start_trace();
  void start_sampling();
  [[nodiscard]] Status go_on_without_trace(const Error& error);
  bool abandon_trace();  // false: tracefs was not restored
  void end_on_request(RunState state, const std::string& reason);
  void end_early(RunState state, const std::string& error);
  void finish_if_complete();
  [[nodiscard]] RunRecord make_record();
  void finish();

  RunPorts ports_;
  RunId run_;
  const JobSpec& spec_;
  bool traced_;
  RunListener& listener_;

  RunState state_ = RunState::pending;
  ServerWait wait_;
  std::optional<WallTime> started_;
  std::chrono::microseconds started_since_boot_{0};
  std::optional<WallTime> ended_;
  std::optional<EarlyEnd> early_end_;
  Timer deadline_;
  Timer failed_start_;
  Timer omitted_;
  bool lacks_something_ = false;
  bool loading_ = false;           // with probes beside it, iperf3 was released and has not ended its test
  bool workload_stopped_ = false;  // no process of it is left
  bool workload_ended_ = false;    // and result_ is complete
  WorkloadResult result_;
  std::vector<QualityFlag> flags_;
  std::optional<TraceRecord> trace_record_;
  bool trace_ended_ = false;  // trace_record_ is complete
  std::unique_ptr<ActiveHostWatch> host_;
  std::optional<HostChanges> host_changes_;
  std::unique_ptr<ActivePacketCount> packets_;
  std::optional<PacketCount> packet_count_;
  std::unique_ptr<ActiveCounters> counting_;
  std::optional<Counters> counters_;
  std::unique_ptr<ActiveSampling> sampling_;
  std::optional<SampleProfile> samples_;
  std::optional<Fingerprint> fingerprint_;
  std::unique_ptr<ActiveTrace> trace_;  // outlives the workload, whose tasks it follows
  std::unique_ptr<ActiveWorkload> workload_;
};

}  // namespace netperfd::core
