// Limits the system calls of a process that reads an imported file.
#pragma once

#include "daemon/base/error.hpp"

namespace netperfd::import {

// Afterwards every other call fails with EPERM, and so does mapping executable memory. Needs no_new_privs.
[[nodiscard]] Status filter_calls();

}  // namespace netperfd::import
