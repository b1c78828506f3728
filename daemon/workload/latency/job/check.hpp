// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of a job's probes, alone or beside another workload. Probes that pass can be put into an argument
// vector as they are.
#pragma once

#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd::workload {

// Empty for a job without probes.
[[nodiscard]] std::vector<JobProblem> check_latency(const JobSpec& spec);

// The port of the server that answers the probes, if they need one.
void add_port_of_probes(const JobSpec& spec, std::vector<PortOfJob>& ports);

}  // namespace netperfd::workload
