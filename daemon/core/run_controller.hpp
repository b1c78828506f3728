// One run, from its preparation to its stored record.
//
//   start()              pending -> preparing: the workload starts its children, which wait
//   workload_prepared()  preparing -> running: stored first, then the client is released
//   workload_ended()     running -> collecting -> finished | failed | canceled: stored in one transaction,
//   then announced
//
// A failure, the deadline and cancel() only ever ask the workload to stop: whatever happened, the way to the
// end leads through workload_ended(), so that no child is left when the record is stored. What changes the
// machine for a run is to be applied in start() and undone in workload_ended(), before the record is made.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "daemon/core/ports.hpp"

namespace netperfd::core {

// Told by one controller, always from the loop, never from inside start() or cancel().
class RunListener {
 public:
  virtual ~RunListener() = default;
  virtual void run_changed() = 0;  // state() has changed
  virtual void run_interval(const Interval& interval) = 0;
  // The last call, exactly once; the record is stored. The listener may destroy the controller inside it.
  virtual void run_ended(RunState state, const std::string& error) = 0;
};

// Where a run's outside comes from; all must outlive the controller.
struct RunPorts {
  Workload& workload;
  RunStore& store;
  Clock& clock;
};

class RunController final : private WorkloadListener {
 public:
  RunController(RunPorts ports, RunId run, const JobSpec& spec, RunListener& listener);
  RunController(const RunController&) = delete;
  RunController& operator=(const RunController&) = delete;

  void start();
  // Ends the run as canceled with this reason; only the first reason counts, and none once the workload has
  // ended.
  void cancel(const std::string& reason);

  [[nodiscard]] RunId id() const { return run_; }
  [[nodiscard]] RunState state() const { return state_; }
  [[nodiscard]] std::optional<WallTime> started() const { return started_; }

 private:
  // Why the run ends before its workload does by itself.
  struct EarlyEnd {
    RunState state;
    std::string error;
  };

  void workload_prepared() override;
  void workload_interval(const Interval& interval) override;
  void workload_ended(WorkloadResult result) override;

  [[nodiscard]] Status step_to(RunState state);
  void end_early(RunState state, const std::string& error);
  [[nodiscard]] RunRecord make_record(WorkloadResult result) const;
  void finish(WorkloadResult result);

  RunPorts ports_;
  RunId run_;
  const JobSpec& spec_;
  RunListener& listener_;

  RunState state_ = RunState::pending;
  std::optional<WallTime> started_;
  std::optional<WallTime> ended_;
  std::optional<EarlyEnd> early_end_;
  Timer deadline_;
  Timer failed_start_;
  std::unique_ptr<ActiveWorkload> workload_;
};

}  // namespace netperfd::core
