// SPDX-License-Identifier: GPL-2.0-or-later
// The Workload port for jobs with probes, alone or beside iperf3.
#pragma once

#include <memory>
#include <utility>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/latency_reading.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/workload/latency_run.hpp"

namespace netperfd::workload {

class LatencyWorkload final : public core::Workload {
 public:
  // `loop`, `iperf3` and `reports` must outlive this object and all results of prepare().
  LatencyWorkload(EventLoop& loop, core::Workload& iperf3, core::LatencyReading& reports,
                  LatencySettings settings)
      : loop_(loop), iperf3_(iperf3), reports_(reports), settings_(std::move(settings)) {}

  // As of iperf3; not_found too if there is no netperfd-echo.
  [[nodiscard]] Result<std::unique_ptr<core::ActiveWorkload>> prepare(
      const JobSpec& spec, core::WorkloadListener& listener) override;

 private:
  EventLoop& loop_;
  core::Workload& iperf3_;
  core::LatencyReading& reports_;
  LatencySettings settings_;
};

}  // namespace netperfd::workload
