// SPDX-License-Identifier: GPL-2.0-or-later
// Ends processes that iperf3 left behind, where no cgroup can be made. netperfd then adopts them: whatever
// they do, they become its children once their parent has died.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "daemon/base/error.hpp"

namespace netperfd::workload {

// Makes this process the one that adopts orphans among its descendants. Call it once.
[[nodiscard]] Status adopt_orphans();

// Kills the adopted processes of user `uid`, which must not be root, and reaps all adopted ones that have
// ended. Returns how many of the user's are left; call it again until there are none. Without adopt_orphans()
// there are none.
[[nodiscard]] std::size_t end_orphans(uid_t uid);

}  // namespace netperfd::workload
