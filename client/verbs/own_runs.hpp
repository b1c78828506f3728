// SPDX-License-Identifier: GPL-2.0-or-later
// Runs that a verb draws a conclusion from, or changes: the caller's own, unless the words say whose.
#pragma once

#include <string>

#include "client/bus/daemon.hpp"

namespace netperfctl {

// All runs of filter.selection, at least one. `words` are what the caller typed. The error says whose runs
// fit.
[[nodiscard]] Outcome<RunPage> own_runs(Daemon& daemon, RunFilter filter, const std::string& words);

}  // namespace netperfctl
