// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of a job's trace. A trace that passes can be written into tracefs as it is.
#pragma once

#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd {

// The part of check() for `trace` alone; `spec` may contain anything.
[[nodiscard]] std::vector<JobProblem> check_trace(const TraceSpec& spec);

// The rules of the key `trace.budget`.
[[nodiscard]] std::vector<JobProblem> check_budget(const JobSpec& spec);

// The rules of the key `sample`.
[[nodiscard]] std::vector<JobProblem> check_sample(const JobSpec& spec);

}  // namespace netperfd
