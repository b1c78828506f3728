// How a process gives up all it could do harm with, before it looks at a file that a user brought.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "daemon/base/error.hpp"

namespace netperfd::import {

struct Confinement {
  uid_t uid = 0;
  gid_t gid = 0;
  pid_t parent = 0;                // it dies with this process, which started it
  std::uint64_t memory_bytes = 0;  // of its address space, the program itself included
  std::uint64_t cpu_seconds = 0;
};

// Afterwards this process has standard input, output and error and can open nothing further; it is that user
// alone, without capabilities, groups or a way to new privileges; it can start no process and write no file,
// and the kernel refuses it every system call but those that reading, writing and memory need. It has a CPU
// only where nobody else wants it, and is the first to go where memory is short. io with the step that
// failed, unsupported where filter_calls() is. In a build with sanitizers, which need more of both, the limit
// of memory and the filter of system calls are left out.
[[nodiscard]] Status confine(const Confinement& confinement);
[[nodiscard]] bool is_built_with_sanitizers();

}  // namespace netperfd::import
