// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3_workload.hpp"

#include <utility>

#include "daemon/workload/iperf3_run.hpp"

namespace netperfd::workload {

Iperf3Workload::Iperf3Workload(EventLoop& loop, core::ReportReading& reports, Iperf3Settings settings,
                               Iperf3Features features)
    : loop_(loop), reports_(reports), settings_(std::move(settings)), features_(std::move(features)) {}

Result<std::unique_ptr<core::ActiveWorkload>> Iperf3Workload::prepare(const JobSpec& spec,
                                                                      core::WorkloadListener& listener) {
  if (Status supported = check_supported(spec.iperf3, features_); !supported) {
    return std::unexpected(std::move(supported.error()));
  }
  auto run = std::make_unique<Iperf3Run>(loop_, reports_, settings_, features_, spec.iperf3, listener);
  if (Status begun = run->begin(); !begun) return std::unexpected(std::move(begun.error()));
  return run;
}

}  // namespace netperfd::workload
