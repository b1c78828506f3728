// Limits the system calls of a process that reads an imported file.
#pragma once

#include "daemon/base/error.hpp"

namespace netperfd::import {

// Afterwards every other call fails with EPERM, and so does mapping executable memory. Needs no_new_privs.
// unsupported on machines other than x86-64, arm64 and riscv64: they have other calls.
[[nodiscard]] Status filter_calls();

}  // namespace netperfd::import
