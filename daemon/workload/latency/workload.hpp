// SPDX-License-Identifier: GPL-2.0-or-later
// The Workload port for jobs with probes, alone or beside a workload that makes traffic.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/latency_reading.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/workload/latency/run.hpp"
#include "daemon/workload/site.hpp"

namespace netperfd::workload {

class LatencyWorkload final : public core::Workload {
 public:
  // `loop` and `reports` must outlive this object and all results of prepare().
  LatencyWorkload(EventLoop& loop, core::LatencyReading& reports, LatencySettings settings)
      : loop_(loop), reports_(reports), settings_(std::move(settings)) {}

  [[nodiscard]] Status check(const JobSpec& /*spec*/) override { return {}; }
  [[nodiscard]] std::vector<std::string> missing(const JobSpec& spec) override;
  // As of iperf3; not_found too if there is no netperfd-echo.
  [[nodiscard]] Result<std::unique_ptr<core::ActiveWorkload>> prepare(
      const JobSpec& spec, core::WorkloadListener& listener) override;

 private:
  EventLoop& loop_;
  core::LatencyReading& reports_;
  LatencySettings settings_;
};

// `load`, with probes beside it if the job has them.
class LoadedWorkload final : public core::Workload {
 public:
  // `loop` and `reports` must outlive this object and all results of prepare().
  LoadedWorkload(EventLoop& loop, std::unique_ptr<core::Workload> load, core::LatencyReading& reports,
                 LatencySettings settings)
      : loop_(loop), load_(std::move(load)), reports_(reports), settings_(std::move(settings)) {}

  [[nodiscard]] Status check(const JobSpec& spec) override { return load_->check(spec); }
  [[nodiscard]] std::vector<std::string> missing(const JobSpec& spec) override;
  [[nodiscard]] Result<std::unique_ptr<core::ActiveWorkload>> prepare(
      const JobSpec& spec, core::WorkloadListener& listener) override;

 private:
  EventLoop& loop_;
  std::unique_ptr<core::Workload> load_;
  core::LatencyReading& reports_;
  LatencySettings settings_;
};

[[nodiscard]] std::unique_ptr<core::Workload> make_latency(const WorkloadSite& site);
[[nodiscard]] std::unique_ptr<core::Workload> with_probes(const WorkloadSite& site,
                                                          std::unique_ptr<core::Workload> load);

}  // namespace netperfd::workload
