// The rules of a job's design. What passes can be executed and drawn as it is.
#pragma once

#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd {

// The part of check() that is about `design`; nothing for a job without one.
[[nodiscard]] std::vector<JobProblem> check_design(const JobSpec& spec);

}  // namespace netperfd
