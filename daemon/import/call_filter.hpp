// The system calls that are left to a process which reads a file that a user brought.
#pragma once

#include "daemon/base/error.hpp"

namespace netperfd::import {

// From here on every other call fails with EPERM, and so does mapping memory that can be executed. Needs
// no_new_privs. Without effect on machines other than x86-64 and arm64, where the numbers of calls differ.
[[nodiscard]] Status filter_calls();

}  // namespace netperfd::import
