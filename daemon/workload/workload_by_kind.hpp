// Hands each job to the workload that its kind names.
#pragma once

#include <memory>

#include "daemon/core/ports.hpp"

namespace netperfd::workload {

class WorkloadByKind final : public core::Workload {
 public:
  // Both must outlive this and all that prepare() gives.
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
