// SPDX-License-Identifier: GPL-2.0-or-later
// The port core::CounterSource, reading this machine's kernel.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/counter_source.hpp"

namespace netperfd::counters {

// For the network namespaces of the client and of a local server: /proc/net/snmp, netstat and snmp6, and the
// devices' counters. For the whole machine: softnet_stat, softirqs, interrupts, CPU time and perf events. For
// the client's TCP connections and the queues of the devices that the packets leave by: samples twice per
// second. Also the noise of the host. A workload without processes
// is counted in the host's own namespace.
class RunCounters final : public core::CounterSource {
 public:
  // `clock` must outlive the result of open(). Tests pass other directories as `proc` and `sys`.
  explicit RunCounters(core::Clock& clock, std::string proc = "/proc", std::string sys = "/sys");

  [[nodiscard]] std::unique_ptr<core::ActiveCounters> open(const JobSpec& spec,
                                                           const std::vector<pid_t>& workload) override;

 private:
  core::Clock& clock_;
  std::string proc_, sys_;
};

}  // namespace netperfd::counters
