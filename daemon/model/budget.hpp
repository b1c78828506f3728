// SPDX-License-Identifier: GPL-2.0-or-later
// Which functions the runs of a job trace, so that the tracer takes no more than a share of their CPU time.
// It is chosen once per job, before its first run, and stored.
#pragma once

#include <string>
#include <vector>

#include "dbus/rows/budget.hpp"

namespace netperfd {

struct JobBudget {
  rows::Budget budget;
  std::vector<rows::BudgetFunction> functions;  // those left out first, then the most calls first
};

// The names of the functions that it leaves out.
[[nodiscard]] inline std::vector<std::string> over_budget(const JobBudget& job) {
  std::vector<std::string> names;
  for (const rows::BudgetFunction& function : job.functions) {
    if (!function.traced) names.push_back(function.function);
  }
  return names;
}

}  // namespace netperfd
