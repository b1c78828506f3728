// SPDX-License-Identifier: GPL-2.0-or-later
// What the busy time of a host's CPUs consists of. /proc/stat has the time of all tasks of the machine,
// /proc/PID the tasks that netperfd may see. What only the first one has is a task too, and it is told as
// unknown: one in another PID namespace, one that hidepid hides, or one that nobody waited for.
#pragma once

#include <cstdint>

namespace netperfd::core {

// What was read, in ns, over the same window.
struct CpuReading {
  std::uint64_t busy = 0;            // /proc/stat: user, nice, system, irq and softirq of all CPUs
  std::uint64_t interrupts = 0;      // /proc/stat: irq and softirq, without ksoftirqd's own time
  std::uint64_t tasks = 0;           // /proc/PID/stat: those that serve no packets
  std::uint64_t packet_threads = 0;  // /proc/PID/stat: kernel threads that do
  std::uint64_t own = 0;             // the workload's and netperfd's, to 1 us
};

// The terms of the busy time. own + others + kernel + unknown = busy, exactly.
struct CpuSplit {
  // The reading. The scheduler measures the time of a task, and the timer tick only samples that of a CPU: if
  // the tasks that were seen took longer, it is their time.
  std::uint64_t busy = 0;
  // Other tasks of /proc, with the helpers of netperfd that answer queries: these do not serve the run.
  // Each task is known to a tick of 10 ms for its user and one for its system time.
  std::uint64_t others = 0;
  // Kernel threads that serve packets and, at most, the interrupts. An interrupt that came over a task is
  // in that task's time too, unless the kernel has CONFIG_IRQ_TIME_ACCOUNTING, and /proc does not tell which
  // did: this term is an upper bound.
  std::uint64_t kernel = 0;
  // The rest: a lower bound of what unseen tasks took, because of `kernel`. CpuReading has no steal; the time
  // of a seen task may contain some, which also makes this less. Its error is unknown_error_ns().
  std::uint64_t unknown = 0;
};

[[nodiscard]] CpuSplit split_cpu_time(const CpuReading& reading);

// Three standard deviations of CpuSplit::unknown where no unseen task ran, and at least 50 ms. `tasks_ns` is
// the user and system time of the CPUs, which the kernel samples at least every 10 ms, `all_ns` their whole
// time. `moved`: number of tasks whose time grew, each by two values that are cut to 10 ms at both readings.
[[nodiscard]] std::uint64_t unknown_error_ns(std::uint64_t tasks_ns, std::uint64_t all_ns,
                                             std::uint64_t moved);

}  // namespace netperfd::core
