// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/job/table.hpp"

#include <string>

#include "daemon/workload/command/job/part.hpp"
#include "daemon/workload/iperf3/job/part.hpp"
#include "daemon/workload/latency/job/part.hpp"
#include "daemon/workload/netperf/job/part.hpp"
#include "daemon/workload/none/job/part.hpp"
#include "daemon/workload/sockperf/job/part.hpp"

namespace netperfd::workload {

// A workload has one line here, and one in daemon/workload/workloads.cpp.
const std::vector<JobPart>& job_parts() {
  static const std::vector<JobPart> parts = {
      iperf3_part(), latency_part(), netperf_part(), sockperf_part(), command_part(), none_part(),
  };
  return parts;
}

WorkloadTraits traits_of(std::string_view name) {
  for (const JobPart& part : job_parts()) {
    if (part.traits.name == name) return part.traits;
  }
  if (const WorkloadTraits files = imported_files(); files.name == name) return files;
  return unknown_workload(std::string(name));
}

}  // namespace netperfd::workload
