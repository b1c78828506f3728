// The system calls that are left to a process which reads a file that a user brought.
#pragma once

#include "daemon/base/error.hpp"

namespace netperfd::import {

// From here on every other call fails with EPERM, and so does mapping memory that can be executed. Needs
// no_new_privs. unsupported on machines other than x86-64, arm64 and riscv64: they have other calls.
[[nodiscard]] Status filter_calls();

}  // namespace netperfd::import
