// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of a job's probes. Probes that pass can be put into an argument vector as they are.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd {

// "workload.latency" or, beside iperf3, "with.latency".
[[nodiscard]] std::string_view latency_prefix(const JobSpec& spec);

// The part of check() for the latency workload; empty for a job without probes.
[[nodiscard]] std::vector<JobProblem> check_latency(const JobSpec& spec);

}  // namespace netperfd
