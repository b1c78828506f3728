// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "daemon/workload/job/part.hpp"
#include "daemon/workload/job/traits.hpp"

namespace netperfd::workload {

// All workloads that a job can ask for, in the order of docs/scenarios.md.
[[nodiscard]] const std::vector<JobPart>& job_parts();

}  // namespace netperfd::workload
