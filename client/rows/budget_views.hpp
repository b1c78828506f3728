// SPDX-License-Identifier: GPL-2.0-or-later
// The budget of a job's function trace, as plain data like the rest of client/rows/views.hpp.
#pragma once

#include <vector>

#include "dbus/rows/budget.hpp"

namespace netperfctl {

using BudgetView = netperfd::rows::Budget;
using BudgetFunctionView = netperfd::rows::BudgetFunction;

struct BudgetDetails {
  BudgetView budget;
  std::vector<BudgetFunctionView> functions;  // those left out first, then the most calls first
};

}  // namespace netperfctl
