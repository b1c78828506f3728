// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of a job's design. A design that passes can be executed and drawn without further checks.
#pragma once

#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd {

// The part of check() for `design`; empty for a job without one.
[[nodiscard]] std::vector<JobProblem> check_design(const JobSpec& spec);

}  // namespace netperfd
