// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/latency/job/part.hpp"

#include "daemon/workload/latency/job/check.hpp"
#include "daemon/workload/latency/job/keys.hpp"

namespace netperfd::workload {
namespace {

std::optional<std::chrono::milliseconds> planned_latency(const JobSpec& spec) {
  return spec.latency ? spec.latency->duration : std::nullopt;
}

std::vector<PortOfJob> ports_of_latency(const JobSpec& spec) {
  std::vector<PortOfJob> ports;
  add_port_of_probes(spec, ports);
  return ports;
}

}  // namespace

JobPart latency_part() {
  return {.traits = {.name = "latency",
                     .measures_path = true,
                     .makes_traffic = false,
                     .takes_probes = true,
                     .runs_processes = true,
                     .ends_by_itself = true,
                     .of_files = false,
                     .of_root = false,
                     .check = check_latency,
                     .planned_duration = planned_latency,
                     .ports = ports_of_latency,
                     .programs = nullptr,
                     .facts = nullptr},
          .meaning = "for probes alone",
          .timed_by = {"workload.latency.duration", "with.latency.idle"},
          .make_keys = make_latency_keys};
}

}  // namespace netperfd::workload
