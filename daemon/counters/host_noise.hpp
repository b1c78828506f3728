// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the noise of the host around a run: the figures of daemon/model/noise.hpp that the kernel has. It
// reads twice, before the release and after the workload has ended, so it costs nothing in between.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/counters/cpu_limits.hpp"
#include "daemon/counters/readings.hpp"
#include "daemon/counters/task_times.hpp"
#include "daemon/model/counters.hpp"

namespace netperfd::counters {

// The task clock (perf) of processes and of all that they start, on each CPU.
class TaskClocks {
 public:
  TaskClocks() = default;
  TaskClocks(const std::vector<pid_t>& processes, const std::vector<std::uint32_t>& cpus);
  // ns by CPU since the creation, as in `cpus`; empty if the kernel refuses an event.
  [[nodiscard]] std::vector<std::uint64_t> read() const;
  [[nodiscard]] const std::string& refused() const { return refused_; }

 private:
  struct Clock {
    std::size_t cpu = 0;  // index
    Fd event;
  };
  std::vector<Clock> clocks_;
  std::size_t cpus_ = 0;
  std::string refused_;
};

class HostNoise {
 public:
  // Takes the first reading. `processes`: the workload's, which have not begun their work. Tests pass other
  // directories than /proc and /sys.
  HostNoise(std::string proc, std::string sys, const std::vector<pid_t>& processes);
  // Takes the second one.
  void read_again();
  // Adds figures and, for what is unknown, clauses.
  void add_to(Counters& counters) const;

 private:
  struct Reading {
    std::chrono::steady_clock::time_point time;
    std::optional<TaskTimes> tasks;
    std::uint64_t own_ns = 0;
    std::optional<std::string> stat;
    std::vector<std::optional<std::uint64_t>> throttled_ns;
    std::optional<std::uint64_t> heat, pressure_us, reclaims;
    std::optional<IrqPlaces> irqs;
    std::vector<std::uint64_t> clocks;
  };

  [[nodiscard]] Reading read() const;
  void add_tasks(Counters& counters) const;
  void add_cpu_times(Counters& counters) const;
  void add_busy(Counters& counters) const;
  void add_machine(Counters& counters) const;

  std::string proc_, sys_;
  std::vector<std::uint32_t> cpus_;
  CgroupLimits limits_;
  TaskClocks clocks_;
  Reading before_, after_;
};

}  // namespace netperfd::counters
