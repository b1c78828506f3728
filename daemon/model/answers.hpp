// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the percentiles among a job's figures can have enough answers.
#pragma once

#include <string>
#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd {

// A sentence, with the change that makes it possible, for each percentile that no run of the job can have:
// even if each request is answered, there are too few (are_enough()). `spec` has passed check(). A workload
// that answers as often as it can has no limit that is known, and neither has a test limited by its bytes.
[[nodiscard]] std::vector<std::string> too_few_answers(const JobSpec& spec);

}  // namespace netperfd
