// What the CPUs themselves count, by perf events: each of every CPU, whatever runs there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/counters/readings.hpp"

namespace netperfd::counters {

// "0-3,8": the numbers of the CPUs; empty where the text is none such.
[[nodiscard]] std::vector<std::uint32_t> parse_cpu_list(std::string_view text);

// Counts cycles, instructions, context-switches and cpu-migrations, as perf calls them, from its creation on.
// Counting costs nothing while the workload runs; each event takes a file descriptor a CPU.
class PerfCounters {
 public:
  explicit PerfCounters(const std::vector<std::uint32_t>& cpus);

  // Since the creation. An event that shared its CPU's counters with others of the machine is scaled to the
  // whole time, as perf does it.
  [[nodiscard]] Readings read() const;
  // "perf: not available here: cycles, instructions (No such file or directory)"; none where all are.
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
