// SPDX-License-Identifier: GPL-2.0-or-later
// Looks at processes of others without waiting for them for long.
//
// While a process is inside exec(), the kernel lets everybody wait who reads its /proc/PID/stat, exe, fd, ns
// or maps (exec_update_lock). Any user can draw that out for ever: exec() closes his files, and closing one
// of a file system in user space waits for its server. A signal ends the wait of the reader. So each look has
// a process of its own, with a time limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd {

inline constexpr std::chrono::seconds kLookPatience{1};
// Each function can cost its caller 1.5 s (the patience and half a second for processes to begin and end),
// and then nothing until it has rested.
inline constexpr std::chrono::seconds kLookRest{20};

// Runs in another process. Returns what it saw.
using Look = std::string (*)(std::string_view about);

// Starts the process that starts those of the looks. Call it while there is one thread, and before files of
// others are open here: a new process would wait when it closes them.
[[nodiscard]] Status begin_looks();
// Of all looks until the next begin_looks(): another one than kLookPatience.
void set_look_patience(std::chrono::seconds patience);

// Calls `tell` once, when the process that starts the looks is found to have ended. From then on all looks
// are absent.
void tell_end_of_looks(std::function<void()> tell);

// Absent if the look took longer than its patience, or failed. After one that took longer, all of the same
// function are absent for `rest`, at once. If the kernel cannot end one, all are absent until it has
// ended. Without begin_looks(), this process itself looks.
[[nodiscard]] std::optional<std::string> look_aside(Look look, std::string_view about,
                                                    std::chrono::seconds rest = kLookRest);

// CPU time of the processes of all looks so far.
[[nodiscard]] std::uint64_t looks_cpu_ns();

}  // namespace netperfd
