// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd::workload {

// With the rules of probes beside it.
[[nodiscard]] std::vector<JobProblem> check_iperf3(const JobSpec& spec);

}  // namespace netperfd::workload
