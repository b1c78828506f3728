// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the noise of the host around a run: the figures of daemon/model/noise.hpp that the kernel has. It
// reads twice, before the release and after the workload has ended. In between it reads CPU times only, where
// the part begins and ends that iperf3 counts (counted_part.hpp).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/core/ports/clock.hpp"
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

// What has ended where the counted part has: iperf3's test, or the load of a run with probes.
enum class ReadAtEnd { test, load };

class HostNoise {
 public:
  // Takes the first reading. `processes`: the workload's, which have not begun their work. Tests pass other
  // directories than /proc and /sys.
  HostNoise(core::Clock& clock, std::string proc, std::string sys, const std::vector<pid_t>& processes);
  // iperf3 begins to count just now, later than the release. It has ended just now, while its processes or,
  // of the load of a run with probes, the probes go on.
  void count_begins();
  // iperf3's client has told just now that its test begins.
  void test_begins();
  void count_ends(ReadAtEnd end);
  // The run has ended where its test has: there is nothing behind it.
  void ends_with_run() { ended_with_run_ = true; }
  // Takes the second one.
  void read_again();
  // Adds figures and, for what is unknown, clauses.
  void add_to(Counters& counters) const;

 private:
  struct CpuReading {
    std::chrono::microseconds time{};  // since the boot
    std::optional<TaskTimes> tasks;
    std::uint64_t own_ns = 0;
    std::optional<Readings> cpus;
    std::vector<std::uint64_t> clocks;
  };
  struct Reading : CpuReading {
    std::vector<std::optional<std::uint64_t>> throttled_ns;
    std::optional<std::uint64_t> heat, pressure_us, reclaims;
    std::optional<IrqPlaces> irqs;
  };
  // What was between two readings, in ns. Absent: unknown.
  struct Part {
    std::uint64_t window = 0, busy = 0, steal = 0, netperfd = 0;
    std::optional<std::uint64_t> others;
  };
  static void add_part(Part& sum, const Part& part);

  [[nodiscard]] std::optional<std::string> text_of(const char* name) const;  // of a file in /proc
  [[nodiscard]] CpuReading read_cpu() const;
  [[nodiscard]] Reading read() const;
  [[nodiscard]] std::optional<Part> between(const CpuReading& from, const CpuReading& to) const;
  [[nodiscard]] std::optional<std::uint64_t> workload_between(const CpuReading& from,
                                                              const CpuReading& to) const;
  void add_uncounted(Counters& counters) const;
  void add_tasks(Counters& counters) const;
  void add_cpu_times(Counters& counters) const;
  void add_busy(Counters& counters) const;
  void add_machine(Counters& counters) const;

  core::Clock& clock_;
  std::string proc_, sys_;
  std::vector<pid_t> processes_;
  std::vector<std::uint32_t> cpus_;
  CgroupLimits limits_;
  TaskClocks clocks_;
  Reading before_, after_;
  std::optional<CpuReading> counted_from_, counted_to_;
  ReadAtEnd end_ = ReadAtEnd::test;  // what `counted_to_` is of
  std::optional<std::chrono::microseconds> test_from_;
  bool ended_with_run_ = false;
};

}  // namespace netperfd::counters
