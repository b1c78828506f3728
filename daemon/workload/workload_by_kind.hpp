// SPDX-License-Identifier: GPL-2.0-or-later
// Passes each job to the workload of its kind.
#pragma once

#include <memory>

#include "daemon/core/ports/workload.hpp"

namespace netperfd::workload {

class WorkloadByKind final : public core::Workload {
 public:
  // Both must outlive this object and all results of prepare().
  WorkloadByKind(core::Workload& iperf3, core::Workload& none) : iperf3_(iperf3), none_(none) {}

  [[nodiscard]] Result<std::unique_ptr<core::ActiveWorkload>> prepare(
      const JobSpec& spec, core::WorkloadListener& listener) override {
    return (spec.workload == WorkloadKind::none ? none_ : iperf3_).prepare(spec, listener);
  }

 private:
  core::Workload& iperf3_;
  core::Workload& none_;
};

}  // namespace netperfd::workload
