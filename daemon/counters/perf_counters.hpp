// SPDX-License-Identifier: GPL-2.0-or-later
// Counters of the CPUs, by perf events on every CPU, for all tasks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/counters/readings.hpp"

namespace netperfd::counters {

// "0-3,8": the numbers of the CPUs; empty if the text is not such a list.
[[nodiscard]] std::vector<std::uint32_t> parse_cpu_list(std::string_view text);

// Counts cycles, instructions, context-switches and cpu-migrations (perf's names) from its creation on.
// Counting costs nothing while the workload runs; each event needs one file descriptor per CPU.
class PerfCounters {
 public:
  explicit PerfCounters(const std::vector<std::uint32_t>& cpus);

  // Counts since the creation. An event that had to share its CPU's counters with others on the machine is
  // scaled to the whole time, as perf does it.
  [[nodiscard]] Readings read() const;
  // "perf: not available here: cycles, instructions (No such file or directory)"; empty if all are available.
  [[nodiscard]] const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  struct Counter {
    std::string name;
    std::uint32_t cpu = 0;
    Fd event;
  };
  std::vector<Counter> counters_;
  std::vector<std::string> unknown_;
};

}  // namespace netperfd::counters
