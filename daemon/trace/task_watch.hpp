// SPDX-License-Identifier: GPL-2.0-or-later
// Finds out which tasks of a traced run its owner may see: those of its workload, the kernel's threads, and
// the owner's own.
//
// A number belongs to one task after the other. So the answer for a task that is not the workload's holds
// only for one that lived before tracing began and still lives when it is asked for.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemon/core/ports/clock.hpp"
#include "daemon/trace/ring/task_screen.hpp"

namespace netperfd::trace {

class TaskWatch {
 public:
  // `clock` must outlive this object. `proc`: "/proc". `viewer`: the owner.
  TaskWatch(core::Clock& clock, std::string proc, uid_t viewer);
  TaskWatch(const TaskWatch&) = delete;
  TaskWatch& operator=(const TaskWatch&) = delete;

  // Call it when tracing begins. From then on the threads of the workload's processes are read: often at
  // first, when iperf3 creates them, and then once a second.
  void start(const std::vector<pid_t>& workload);
  // Call it when the workload has ended: its numbers may be given to other tasks.
  void stop() { timer_.reset(); }

  // For the tasks of the whole run. This object must outlive the result.
  [[nodiscard]] TaskScreen screen() const;

 private:
  void read_threads();
  using Seen = std::map<std::int32_t, bool>;  // tasks, and whether they may be shown
  void look_at(const std::set<std::int32_t>& pids, Seen& seen) const;

  core::Clock& clock_;
  std::string proc_;
  uid_t viewer_;
  bool numbers_are_ours_;          // false: in a PID namespace, where the kernel's tracing has other numbers
  std::uint64_t began_ticks_ = 0;  // since the boot, in the unit of /proc/PID/stat
  std::vector<pid_t> workload_;
  std::set<std::int32_t> own_;
  std::chrono::milliseconds period_;
  core::Timer timer_;
};

}  // namespace netperfd::trace
