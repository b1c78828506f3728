// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the numbers of tasks here are those of the kernel's tracing.
#pragma once

#include <sys/stat.h>

#include <string>

namespace netperfd::trace {

// include/linux/proc_ns.h: PROC_PID_INIT_INO.
inline constexpr ino_t kInitialPidNamespace = 0xEFFFFFFC;

// Tracing has the numbers of the initial PID namespace. True if that cannot be found out.
[[nodiscard]] inline bool is_initial_pid_namespace(const std::string& proc) {
  struct stat own{};
  return stat((proc + "/self/ns/pid").c_str(), &own) != 0 || own.st_ino == kInitialPidNamespace;
}

}  // namespace netperfd::trace
