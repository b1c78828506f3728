// The rules of a job's trace. What passes can be written into tracefs as it is.
#pragma once

#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd {

// The part of check() that is about `trace` alone; `spec` may be absurd in any way.
[[nodiscard]] std::vector<JobProblem> check_trace(const TraceSpec& spec);

}  // namespace netperfd
