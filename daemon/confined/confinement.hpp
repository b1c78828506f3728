// SPDX-License-Identifier: GPL-2.0-or-later
// Drops the privileges of a process before it works on what others wrote.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "daemon/base/error.hpp"

namespace netperfd::confined {

// What the process does afterwards.
enum class Task {
  read_file,      // its standard input; it gets a CPU only if no other process wants it
  read_report,    // its standard input; it gets a CPU like any process, since a run waits for it
  read_database,  // whose files it has open; it gets a small share of a CPU that others want too
};

struct Confinement {
  uid_t uid = 0;
  gid_t gid = 0;
  pid_t parent = 0;                // started this process, which dies with it
  std::uint64_t memory_bytes = 0;  // of its address space, the program itself included
  std::uint64_t cpu_seconds = 0;
};

// Afterwards this process has standard input, output and error, for read_database also the files that it
// opened before, and cannot open anything else. It runs as that user, without capabilities, groups or a way
// to gain privileges. It cannot start processes or write files. The kernel refuses all system calls except
// those that reading, writing and memory need. It is killed first if memory is short. The error is io with
// the step that failed, or that of filter_calls(). A build with sanitizers has no memory limit and no filter
// of system calls, since sanitizers need more of both.
[[nodiscard]] Status confine(const Confinement& confinement, Task task);
// Closes what it inherited besides standard input, output and error. confine() does so unless the task is
// read_database.
[[nodiscard]] Status close_inherited();
[[nodiscard]] bool is_built_with_sanitizers();

}  // namespace netperfd::confined
