// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/missing_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/workload/job/programs.hpp"

namespace netperfd {

std::vector<std::string> missing_programs(core::ScenarioSource& scenarios) {
  std::vector<std::string> missing;
  for (const core::ScenarioRow& row : scenarios.list()) {
    const auto spec = row.error.empty() ? scenarios.load(row.name, {}) : Result<JobSpec>{};
    if (!spec || !spec->workload.programs) continue;
    for (const std::string& program : spec->workload.programs(*spec)) {
      if (workload::expect_program(program)) continue;
      const std::string package = workload::package_of(program);
      std::string clause = fmt::format("{} needs {}{}", row.name, program,
                                       package.empty() ? "" : fmt::format(" (package {})", package));
      // Client and server may be one program.
      if (std::ranges::find(missing, clause) == missing.end()) missing.push_back(std::move(clause));
    }
  }
  return missing;
}

}  // namespace netperfd
