// SPDX-License-Identifier: GPL-2.0-or-later
// The processes that make traffic.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// Receives the events of one workload, on the loop thread, never from inside prepare(), release() or stop().
class WorkloadListener {
 public:
  virtual ~WorkloadListener() = default;
  // Everything is ready and waits for release(). Called at most once.
  virtual void workload_prepared() = 0;
  // The client is connected and its test begins. Told only by a workload that tells_begin().
  virtual void workload_begun() {}
  // A live interval (the sum of one direction), if this iperf3 can report it before its end.
  virtual void workload_interval(const Interval& interval) = 0;
  // A phase of the run begins (kLatencyPhases). Only a workload with probes has phases.
  virtual void workload_phase(std::string_view /*phase*/) {}
  // The measurement is over. Processes that only served it may still end, and what they wrote is still being
  // read; workload_ended follows. Called at most once.
  // The listener must not destroy the workload inside it.
  virtual void workload_stopped() = 0;
  // The last call, made exactly once: no process is left. The listener may destroy the workload inside it.
  virtual void workload_ended(WorkloadResult result) = 0;
};

// The processes of one run. Destroying it kills those that are left.
class ActiveWorkload {
 public:
  virtual ~ActiveWorkload() = default;
  // Starts the prepared client: the moment when the measurement begins.
  virtual void release() = 0;
  // Ends the workload early, first with a request and then by force; workload_ended follows. After
  // workload_stopped it only limits the time to read what is left.
  virtual void stop() = 0;
  // The workload's processes on this host, from workload_prepared on; may be empty.
  [[nodiscard]] virtual std::vector<pid_t> pids() const = 0;
  // Whether it calls workload_begun if its test begins.
  [[nodiscard]] virtual bool tells_begin() const { return false; }
  // Whether it calls workload_interval while it runs.
  [[nodiscard]] virtual bool reports_intervals() const = 0;
};

class Workload {
 public:
  virtual ~Workload() = default;
  // Before a job is accepted: unsupported if this host can run no such workload.
  [[nodiscard]] virtual Status check(const JobSpec& spec) = 0;
  // What `spec` needs and this host does not have now, such as a network namespace or a program: a sentence
  // for each, with what makes or has it. prepare() then fails with not_found.
  [[nodiscard]] virtual std::vector<std::string> missing(const JobSpec& spec) = 0;
  // Starts everything that `spec` needs, so that only release() is missing. `listener` must outlive the
  // result. An error means that nothing was started, not_found that something on this host does not
  // exist, which a further run would lack too. Later failures come through workload_ended.
  [[nodiscard]] virtual Result<std::unique_ptr<ActiveWorkload>> prepare(const JobSpec& spec,
                                                                        WorkloadListener& listener) = 0;
};

}  // namespace netperfd::core
