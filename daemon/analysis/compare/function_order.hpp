// SPDX-License-Identifier: GPL-2.0-or-later
// The order in which a comparison lists functions, by the rule of dbus/rows/found.hpp.
#pragma once

#include <vector>

#include "daemon/model/comparison.hpp"
#include "dbus/rows/found.hpp"

namespace netperfd::analysis {

// By the figures of the trace. The larger, the further up.
[[nodiscard]] rows::Rank traced_rank(const FunctionDelta& function);

// A function is listed by the figures of the trace or, if it is not traced, by those of the samples. First
// are those of which these show a difference, then the others; the traced ones are first among both.
void order_functions(std::vector<FunctionDelta>& functions);

}  // namespace netperfd::analysis
