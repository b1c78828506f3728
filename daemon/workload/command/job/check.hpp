// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd::workload {

[[nodiscard]] std::vector<JobProblem> check_command(const JobSpec& spec);

}  // namespace netperfd::workload
