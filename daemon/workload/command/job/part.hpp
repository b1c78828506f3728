// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "daemon/model/job_spec.hpp"
#include "daemon/workload/job/part.hpp"

namespace netperfd::workload {

[[nodiscard]] JobPart command_part();

// The programs of JobSpec::command, client first, and those that clean up.
[[nodiscard]] std::vector<std::string> programs_of_command(const JobSpec& spec);

}  // namespace netperfd::workload
