// SPDX-License-Identifier: GPL-2.0-or-later
// The cgroups of runs that netperfds left which died. Those of living ones stay, in whatever PID namespace
// their owner is.
#pragma once

#include <cstddef>
#include <string>

namespace netperfd::workload {

// Ends the processes in these cgroups below `directory`, and removes the cgroups. Returns their number.
[[nodiscard]] std::size_t remove_left_groups(const std::string& directory, const std::string& proc = "/proc");

}  // namespace netperfd::workload
