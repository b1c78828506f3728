// SPDX-License-Identifier: GPL-2.0-or-later
// What pages say of the budget of a job's function trace.
#pragma once

#include <string>
#include <vector>

#include "client/rows/budget_views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

// "at most 20 % of the CPU time: 18 % predicted, 17 % and 19 % measured; ...", with the functions that are
// left out. `measured`: what tracing took, of one run, or of both sides. Only ASCII, for `compare`.
[[nodiscard]] std::string budget_words(const BudgetDetails& details, const std::vector<double>& measured);
// All functions that were counted; empty if there are none.
[[nodiscard]] std::string budget_table(const Screen& screen, const BudgetDetails& details);

}  // namespace netperfctl::show
