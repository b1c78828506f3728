// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's counters around a run.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/model/counters.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

using LiveRates = std::function<void(const Interval&)>;

// The counters around one run. It holds everything needed to read them again after the workload's processes
// and the last task of their namespaces are gone.
class ActiveCounters {
 public:
  virtual ~ActiveCounters() = default;
  // The workload was released just now: time 0 of the samples, which begin here. `live`, unless it is empty,
  // is called from the loop about once per second with the throughput of the client's TCP connections by the
  // kernel's own counts: the sum of one direction, never a single stream. It is meant to be shown; it is no
  // part of finish(). Never called for another protocol, nor after finish().
  virtual void released(LiveRates live) = 0;
  // With probes beside iperf3, its client is released later than the workload: just now.
  virtual void load_begun() = 0;
  // Without probes, a client that tells when its test begins has told so just now (workload_begun).
  virtual void test_begun() {}
  // With probes, what that client counts has ended just now, while they go on.
  virtual void load_ended() = 0;
  // Empty, or a clause about a figure of the job that is read from a counter which was not there at open().
  [[nodiscard]] virtual std::string lacking() const { return {}; }
  // Counts since open(); the last call. Takes about as long as open(), after the workload is gone.
  [[nodiscard]] virtual Counters finish() = 0;
};

class CounterSource {
 public:
  virtual ~CounterSource() = default;
  // Reads all counters for the first time. `workload` as in ActiveWorkload::pids(). Never null: counters that
  // cannot be read are listed in Counters::unknown.
  [[nodiscard]] virtual std::unique_ptr<ActiveCounters> open(const JobSpec& spec,
                                                             const std::vector<pid_t>& workload) = 0;
};

}  // namespace netperfd::core
