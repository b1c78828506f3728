// SPDX-License-Identifier: GPL-2.0-or-later
// One attempt at a run: the workload, its trace and all that is measured beside it. A further attempt of the
// run is a new object.
//
//   prepare()            tracefs is claimed and set if the job asks for a trace; the children wait
//   attempt_prepared()   the listener calls begin(): counters are read, tracing on, the client is released
//   attempt_stopped()    tracing off first, the counters are read again; the output is being read
//   attempt_ended()      the output was read, and tracefs is as before
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/core/run/run_ports.hpp"

namespace netperfd::core {

// Called by one attempt, always from the loop, never from inside its calls.
class AttemptListener {
 public:
  virtual ~AttemptListener() = default;
  virtual void attempt_prepared() = 0;
  // The job's deadline is over, and the workload has not stopped.
  virtual void attempt_is_late() = 0;
  virtual void attempt_interval(const Interval& interval) = 0;
  virtual void attempt_trace(const TraceProgress& progress) = 0;
  // No process of the workload is left.
  virtual void attempt_stopped() = 0;
  // The last call. The listener may destroy the attempt inside it.
  virtual void attempt_ended() = 0;
};

// What an attempt leaves.
struct AttemptResult {
  RunRecord record;                 // without what concerns the run: its number, state and error
  std::optional<HostChanges> host;  // absent: the host was not watched
};

class Attempt final : private WorkloadListener, private TraceListener {
 public:
  // All must outlive the attempt.
  Attempt(const RunPorts& ports, const JobSpec& spec, bool traced, AttemptListener& listener);
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  // Call it first. After an error nothing was started, and nothing of the attempt ends.
  [[nodiscard]] Status prepare();
  // Call it within attempt_prepared(), before begin().
  void take_fingerprint() { record_.fingerprint = ports_.fingerprints.take(spec_, workload_->pids()); }
  // Releases the client. After an error it must be stopped.
  [[nodiscard]] Status begin();
  // Asks the workload to stop. attempt_stopped() and attempt_ended() follow, unless prepare() has failed.
  void stop();
  [[nodiscard]] Status mark(const std::string& text) { return trace_->mark(text, true); }

  // As Clock::since_boot(); absent: the client was not released.
  [[nodiscard]] std::optional<std::chrono::microseconds> released() const { return released_; }
  // Whether the workload could not be prepared, or not be released, because something on this host does not
  // exist.
  [[nodiscard]] bool lacks_something() const { return lacks_something_; }
  [[nodiscard]] bool is_traced() const { return trace_ != nullptr; }
  // Whether the workload has ended, and what it wrote was read.
  [[nodiscard]] bool workload_has_ended() const { return workload_ended_; }
  // Whether tracefs is as before, as far as this attempt is concerned.
  [[nodiscard]] bool has_restored() const { return restored_; }
  [[nodiscard]] ServerAbsence server() const { return record_.workload.server; }
  // Call it once, after the end or a failed prepare().
  [[nodiscard]] AttemptResult take();

 private:
  void workload_prepared() override { listener_.attempt_prepared(); }
  void workload_begun() override;
  void workload_interval(const Interval& interval) override { listener_.attempt_interval(interval); }
  void workload_phase(std::string_view phase) override;
  void workload_stopped() override;
  void workload_ended(WorkloadResult result) override;
  void trace_progress(const TraceProgress& progress) override { listener_.attempt_trace(progress); }
  void trace_ended(TraceRecord record, std::vector<QualityFlag> flags) override;

  [[nodiscard]] Status prepare_trace();
  [[nodiscard]] Status start_trace();
  [[nodiscard]] Status go_on_without_trace(const Error& error);
  bool abandon_trace();  // false: tracefs was not restored
  void start_sampling();
  void finish_readings();
  void add_flags(std::vector<QualityFlag> flags);
  void end_if_complete();

  const RunPorts& ports_;
  const JobSpec& spec_;
  bool traced_;
  AttemptListener& listener_;

  RunRecord record_;  // what is known so far
  std::optional<std::chrono::microseconds> released_;
  std::optional<HostChanges> host_changes_;
  bool lacks_something_ = false;
  bool restored_ = true;
  bool loading_ = false;           // with probes beside it, iperf3 was released and has not ended its test
  bool workload_stopped_ = false;  // its measurement is over
  bool workload_ended_ = false;    // and its part of the record is complete
  bool trace_ended_ = false;       // the trace's part of the record is complete
  Timer deadline_;
  Timer omitted_;
  std::unique_ptr<ActiveHostWatch> host_;
  std::unique_ptr<ActivePacketCount> packets_;
  std::unique_ptr<ActiveCounters> counting_;
  std::unique_ptr<ActiveSampling> sampling_;
  std::unique_ptr<ActiveTrace> trace_;  // outlives the workload, whose tasks it follows
  std::unique_ptr<ActiveWorkload> workload_;
};

}  // namespace netperfd::core
