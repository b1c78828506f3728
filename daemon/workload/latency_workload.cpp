// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/latency_workload.hpp"

#include "daemon/workload/iperf3_workload.hpp"
#include "daemon/workload/loaded_run.hpp"

namespace netperfd::workload {
namespace {

template <class Run>
Result<std::unique_ptr<core::ActiveWorkload>> begun(std::unique_ptr<Run> run) {
  if (Status begun = run->begin(); !begun) return std::unexpected(std::move(begun.error()));
  return run;
}

}  // namespace

Result<std::unique_ptr<core::ActiveWorkload>> LatencyWorkload::prepare(const JobSpec& spec,
                                                                       core::WorkloadListener& listener) {
  if (Status there = expect_namespaces(spec.test); !there) return std::unexpected(std::move(there.error()));
  if (spec.workload == WorkloadKind::iperf3) {
    return begun(std::make_unique<LoadedRun>(loop_, iperf3_, reports_, settings_, spec, listener));
  }
  return begun(
      std::make_unique<LatencyRun>(loop_, reports_, settings_, spec, listener, std::function<void()>{}));
}

}  // namespace netperfd::workload
