// SPDX-License-Identifier: GPL-2.0-or-later
// The CPU time of all tasks of the machine, from /proc/PID/stat.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace netperfd::counters {

// In ticks of sysconf(_SC_CLK_TCK).
struct TaskTime {
  std::uint64_t began = 0;      // since the boot; tells a new process from an earlier one of the same number
  std::uint64_t own = 0;        // of all its threads, ended ones too
  std::uint64_t waited = 0;     // of the children that it waited for, and of theirs
  bool serves_packets = false;  // a kernel thread that does (ksoftirqd, napi, irq, kworker)
  bool softirqs = false;        // ksoftirqd, whose time /proc/stat has as softirq

  bool operator==(const TaskTime&) const = default;
};
using TaskTimes = std::unordered_map<pid_t, TaskTime>;

// Reading a process takes about 15 us. A machine with more gets no figure, so that the daemon does
// not stall.
inline constexpr std::size_t kMostTasks = 4096;

// The text of /proc/PID/stat.
[[nodiscard]] std::optional<std::pair<pid_t, TaskTime>> parse_task_stat(std::string_view text);

// Absent if `proc` cannot be read or has more than `most` processes. A process that ends meanwhile may be
// missing.
// Any process can hold it up: see daemon/base/aside.hpp.
[[nodiscard]] std::optional<TaskTimes> read_task_times(const std::string& proc,
                                                       std::size_t most = kMostTasks);
// The same by a look_aside(): absent, too, if a process holds it up.
[[nodiscard]] std::optional<TaskTimes> look_at_task_times(const std::string& proc);

struct TaskTicks {
  std::uint64_t tasks = 0;           // of all others
  std::uint64_t packet_threads = 0;  // of TaskTime::serves_packets
  std::uint64_t ksoftirqd = 0;       // of them, of TaskTime::softirqs
  std::uint64_t moved = 0;           // number of tasks with any
};

// The time between two readings. If a process has ended, its time of before is within what its parent waited
// for, unless the parent does not wait: then nothing is known of its end.
[[nodiscard]] TaskTicks ticks_between(const TaskTimes& before, const TaskTimes& after);

}  // namespace netperfd::counters
