// SPDX-License-Identifier: GPL-2.0-or-later
// The Workload port, implemented with iperf3.
#pragma once

#include <memory>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/report_reading.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/workload/iperf3_features.hpp"
#include "daemon/workload/iperf3_settings.hpp"

namespace netperfd::workload {

// Whether the network namespaces of both ends exist; not_found, with what makes it, if one does not.
[[nodiscard]] Status expect_namespaces(const TestSpec& place);

class Iperf3Workload final : public core::Workload {
 public:
  // `loop` and `reports` must outlive this object and all results of prepare(). `features` are those of
  // settings.path.
  Iperf3Workload(EventLoop& loop, core::ReportReading& reports, Iperf3Settings settings,
                 Iperf3Features features);

  // unsupported if this iperf3 lacks an option that `spec` needs; not_found, with what makes it, if a network
  // namespace does not exist.
  [[nodiscard]] Result<std::unique_ptr<core::ActiveWorkload>> prepare(
      const JobSpec& spec, core::WorkloadListener& listener) override;

 private:
  EventLoop& loop_;
  core::ReportReading& reports_;
  Iperf3Settings settings_;
  Iperf3Features features_;
};

}  // namespace netperfd::workload
