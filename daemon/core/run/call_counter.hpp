// SPDX-License-Identifier: GPL-2.0-or-later
// Counts the calls of a job's functions before its runs: executes the workload for a moment, which is not
// stored, and traces all of the functions for a second of it.
//
//   count()              tracefs is claimed and set, the workload starts its children, which wait
//   workload_prepared()  the client is released; tracing starts kWarmUp later, and ends after kWindow
//   workload_ended() and trace_ended(), in either order
//                        no process and no change of tracefs is left: the result is told
//
// A failure, the deadline and cancel() only ask the workload to stop, as in a run. For a server that is busy
// or absent, it waits as a run does.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/analysis/compare/budget_choice.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/counter_source.hpp"
#include "daemon/core/ports/tracer.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/core/run/server_wait.hpp"

namespace netperfd::core {

class CallCounter final : private WorkloadListener, private TraceListener {
 public:
  // Connections have left slow start on most paths.
  static constexpr std::chrono::milliseconds kWarmUp{1'000};
  static constexpr std::chrono::milliseconds kWindow{1'000};
  // From the preparation of the workload to its end.
  static constexpr std::chrono::seconds kDeadline{30};

  // All must outlive the object.
  struct Ports {
    Workload& workload;
    Tracer& tracer;
    CounterSource& counters;
    Clock& clock;
  };
  // An error says why the calls were not counted.
  using Done = std::function<void(Result<analysis::CallCount> count)>;

  // `job` traces functions and has the workload iperf3.
  CallCounter(Ports ports, const JobSpec& job);
  CallCounter(const CallCounter&) = delete;
  CallCounter& operator=(const CallCounter&) = delete;

  // `done` is called once, never inside this call or cancel(), and may destroy this object.
  void count(Done done);
  void cancel();
  // Whether the server was busy or absent for all of the wait.
  [[nodiscard]] bool missed_server() const { return wait_.in_vain(); }
  [[nodiscard]] std::string waiting() const;

 private:
  void workload_prepared() override;
  void workload_interval(const Interval& /*interval*/) override {}
  void workload_stopped() override;
  void workload_ended(WorkloadResult result) override;
  void trace_progress(const TraceProgress& /*progress*/) override {}
  void trace_ended(TraceRecord record, std::vector<QualityFlag> flags) override;

  void begin_attempt();
  [[nodiscard]] Status prepare();
  void begin_window();
  void end_window();
  void end(const std::string& reason);  // early; only the first reason counts
  void end_trace();                     // unless it has ended
  void finish_if_complete();
  void finish();

  Ports ports_;
  JobSpec job_;  // shortened
  ServerWait wait_;
  Done done_;
  Timer deadline_, next_;
  std::string failure_;  // empty: none so far
  std::chrono::microseconds window_began_{0};
  std::chrono::duration<double> window_{0};
  bool workload_ended_ = false;
  bool tracing_ = false;  // started, and trace_ended() has not come
  bool trace_stopped_ = false;
  ServerAbsence server_ = ServerAbsence::none;
  std::unique_ptr<ActiveCounters> counting_;
  std::optional<Counters> counters_;
  std::optional<TraceRecord> record_;
  std::unique_ptr<ActiveTrace> trace_;  // outlives the workload, whose tasks it follows
  std::unique_ptr<ActiveWorkload> workload_;
};

}  // namespace netperfd::core
