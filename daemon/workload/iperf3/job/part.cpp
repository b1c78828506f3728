// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/job/part.hpp"

#include "daemon/core/run/iperf3_facts.hpp"
#include "daemon/workload/iperf3/job/check.hpp"
#include "daemon/workload/iperf3/job/keys.hpp"
#include "daemon/workload/latency/job/check.hpp"

namespace netperfd::workload {
namespace {

std::optional<std::chrono::milliseconds> planned_iperf3(const JobSpec& spec) {
  if (!spec.test.traffic.duration) return std::nullopt;
  const auto load = *spec.test.traffic.duration + spec.test.traffic.omit;
  return spec.latency ? load + 2 * spec.latency->idle : load;
}

std::vector<PortOfJob> ports_of_iperf3(const JobSpec& spec) {
  std::vector<PortOfJob> ports{{"workload.iperf3.port", spec.test.iperf3.port}};
  add_port_of_probes(spec, ports);
  return ports;
}

std::vector<Fact> facts_of_iperf3(const JobSpec& spec, std::string_view version) {
  return core::iperf3_facts(spec.test, version);
}

}  // namespace

JobPart iperf3_part() {
  return {.traits = {.name = "iperf3",
                     .measures_path = true,
                     .makes_traffic = true,
                     .takes_probes = true,
                     .runs_processes = true,
                     .ends_by_itself = true,
                     .of_files = false,
                     .of_root = false,
                     .check = check_iperf3,
                     .planned_duration = planned_iperf3,
                     .ports = ports_of_iperf3,
                     .programs = nullptr,
                     .facts = facts_of_iperf3},
          .meaning = "the traffic to make",
          .timed_by = {"workload.iperf3.duration", "workload.iperf3.omit"},
          .make_keys = make_iperf3_keys};
}

}  // namespace netperfd::workload
