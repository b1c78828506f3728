// SPDX-License-Identifier: GPL-2.0-or-later
// The budgets of jobs; core::RunStore and core::RunQueries document the calls.
#pragma once

#include <optional>

#include "daemon/model/budget.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

[[nodiscard]] Status insert_budget(Connection& connection, JobId job, const JobBudget& budget);
[[nodiscard]] Result<std::optional<JobBudget>> read_budget(Connection& connection, JobId job);

}  // namespace netperfd::store
