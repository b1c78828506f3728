// SPDX-License-Identifier: GPL-2.0-or-later
// Passes each job to the workload of its kind.
#pragma once

#include <memory>

#include "daemon/core/ports/workload.hpp"

namespace netperfd::workload {

class WorkloadByKind final : public core::Workload {
 public:
  // All must outlive this object and all results of prepare().
  WorkloadByKind(core::Workload& iperf3, core::Workload& latency, core::Workload& none)
      : iperf3_(iperf3), latency_(latency), none_(none) {}

  [[nodiscard]] Result<std::unique_ptr<core::ActiveWorkload>> prepare(
      const JobSpec& spec, core::WorkloadListener& listener) override {
    if (spec.workload == WorkloadKind::none) return none_.prepare(spec, listener);
    return (spec.latency ? latency_ : iperf3_).prepare(spec, listener);
  }

 private:
  core::Workload& iperf3_;
  core::Workload& latency_;
  core::Workload& none_;
};

}  // namespace netperfd::workload
