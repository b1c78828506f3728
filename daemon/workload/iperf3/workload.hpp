// SPDX-License-Identifier: GPL-2.0-or-later
// The Workload port, implemented with iperf3.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/report_reading.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/workload/iperf3/features.hpp"
#include "daemon/workload/program_settings.hpp"
#include "daemon/workload/site.hpp"

namespace netperfd::workload {

// Whether the network namespaces of both ends exist; not_found, with what makes it, if one does not.
[[nodiscard]] Status expect_namespaces(const TestSpec& place);
// A sentence for each that does not exist, and for each program that is not there: as Workload::missing().
[[nodiscard]] std::vector<std::string> missing_of(const TestSpec& place,
                                                  const std::vector<std::string>& programs);

// Why a socket of somebody without rights of root cannot take this congestion control; empty: it can.
// `allowed` is what tcp_allowed_congestion_control has: Linux loads no other for such a socket
// (net/ipv4/tcp_cong.c).
[[nodiscard]] std::string unusable_congestion(const std::string& name, const std::string& allowed);

class Iperf3Workload final : public core::Workload {
 public:
  // `loop` and `reports` must outlive this object and all results of prepare(). `features` are those of
  // settings.path.
  Iperf3Workload(EventLoop& loop, core::ReportReading& reports, ProgramSettings settings,
                 Iperf3Features features);

  // unsupported if this iperf3 lacks an option that `spec` needs.
  [[nodiscard]] Status check(const JobSpec& spec) override;
  [[nodiscard]] std::vector<std::string> missing(const JobSpec& spec) override;
  // As check(); not_found, with what makes it, if a network namespace does not exist, or iperf3 may not use
  // the congestion control.
  [[nodiscard]] Result<std::unique_ptr<core::ActiveWorkload>> prepare(
      const JobSpec& spec, core::WorkloadListener& listener) override;

 private:
  EventLoop& loop_;
  core::ReportReading& reports_;
  ProgramSettings settings_;
  Iperf3Features features_;
};

// With probes beside it if the job has them.
[[nodiscard]] std::unique_ptr<core::Workload> make_iperf3(const WorkloadSite& site);

}  // namespace netperfd::workload
