// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of the key `figures`.
#pragma once

#include <vector>

#include "daemon/model/figure.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd {

// The part of check() for `figures`.
[[nodiscard]] std::vector<JobProblem> check_figures(const JobSpec& spec);

[[nodiscard]] MeasuredByJob measured_by(const JobSpec& spec);

}  // namespace netperfd
