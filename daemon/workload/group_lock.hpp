// SPDX-License-Identifier: GPL-2.0-or-later
// Who owns the cgroup of a run: the process that holds the lock on a file in it. Unlike a process number in
// the name, the lock also tells a netperfd in another PID namespace, whose processes are not seen here, that
// the owner lives; and it ends with the owner, however that ends.
//
// Only root may enter the directory of the cgroup: whoever can open a file can also lock it, and so keep what
// is left for ever.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/base/process_lock.hpp"

namespace netperfd::workload {

inline constexpr std::string_view kGroupPrefix = "netperfd-workload-";  // PID-NUMBER follows

// Absent if a process has the lock, perhaps this one, or the cgroup is gone.
[[nodiscard]] Result<std::optional<ProcessLock>> lock_group(const std::string& path);

// Kills all processes in the cgroup and below it, and removes it. Returns whether it is gone; a killed
// process takes a moment to end, so call it again.
[[nodiscard]] bool end_group(const std::string& path);

}  // namespace netperfd::workload
