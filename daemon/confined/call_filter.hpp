// SPDX-License-Identifier: GPL-2.0-or-later
// Limits the system calls of a confined process.
#pragma once

#include "daemon/base/error.hpp"
#include "daemon/confined/confinement.hpp"

namespace netperfd::confined {

// Afterwards every other call fails with EPERM, and so does mapping executable memory. Needs no_new_privs.
[[nodiscard]] Status filter_calls(Task task);

}  // namespace netperfd::confined
