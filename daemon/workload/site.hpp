// SPDX-License-Identifier: GPL-2.0-or-later
// What the workloads are made of.
#pragma once

#include <string>

#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/figure_reading.hpp"
#include "daemon/core/ports/latency_reading.hpp"
#include "daemon/core/ports/report_reading.hpp"
#include "daemon/workload/iperf3/features.hpp"
#include "daemon/workload/program_settings.hpp"

namespace netperfd::workload {

// The references must outlive each workload.
struct WorkloadSite {
  EventLoop& loop;
  core::Clock& clock;
  core::ReportReading& reports;
  core::LatencyReading& latency_reports;
  core::FigureReading& figures;
  ProgramSettings iperf3;
  Iperf3Features features;  // of that iperf3
  std::string echo_path;    // as LatencySettings::path
};

}  // namespace netperfd::workload
