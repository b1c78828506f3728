// SPDX-License-Identifier: GPL-2.0-or-later
// Turns counts by address into a function profile.
#pragma once

#include "daemon/analysis/calls/call_returns.hpp"
#include "daemon/analysis/calls/call_tracker.hpp"
#include "daemon/analysis/calls/call_tree.hpp"
#include "daemon/analysis/calls/function_table.hpp"
#include "daemon/model/function_profile.hpp"

namespace netperfd::analysis {

// Its functions, edges and tree. A function whose calls all stayed open is included, with 0 hits, only if a
// call that it made has ended.
[[nodiscard]] FunctionProfile make_profile(const FunctionTable& table, const CallTree& tree,
                                           const FunctionNamer& name);

// Of ends of calls alone: hits and total times. Self times and callers are unknown.
[[nodiscard]] FunctionProfile make_profile(const CallReturns& returns, const FunctionNamer& name);

}  // namespace netperfd::analysis
