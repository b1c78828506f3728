// SPDX-License-Identifier: GPL-2.0-or-later
// What holds back the CPUs of a run: limits of cgroups, heat, and the interrupts that somebody moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/fd.hpp"

namespace netperfd::counters {

// The cgroup of a process and those above it, as far as they can have a limit of CPU time. The open files
// keep their figures after the process is gone.
class CgroupLimits {
 public:
  CgroupLimits() = default;
  // `cgroup` is the text of /proc/PID/cgroup, `mount` is /sys/fs/cgroup. Version 2, version 1 and both.
  CgroupLimits(std::string_view cgroup, const std::string& mount);

  // ns in which a limit held the tasks of a CPU, summed over the CPUs, up to now: for each cgroup. Absent if
  // it has no limits, or is gone.
  [[nodiscard]] std::vector<std::optional<std::uint64_t>> throttled_ns() const;

 private:
  std::vector<Fd> files_;
};

// The growth of the cgroups that both readings have; absent if there is none. A cgroup of the run itself may
// be gone.
[[nodiscard]] std::optional<std::uint64_t> growth_of(const std::vector<std::optional<std::uint64_t>>& before,
                                                     const std::vector<std::optional<std::uint64_t>>& after);

// cpu.stat: throttled_usec of version 2, or throttled_time (ns) of version 1.
[[nodiscard]] std::optional<std::uint64_t> parse_throttled_ns(std::string_view text);

// How often heat slowed a CPU, up to now: each core's count, and the highest of the packages'. Absent if no
// CPU of `cpus` (/sys/devices/system/cpu) counts that.
[[nodiscard]] std::optional<std::uint64_t> heat_throttles(const std::string& cpus,
                                                          const std::vector<std::uint32_t>& online);

struct IrqPlace {
  std::uint64_t count = 0;
  std::string cpus;  // effective_affinity_list
};
using IrqPlaces = std::map<std::uint32_t, IrqPlace>;  // by the interrupt's number
inline constexpr std::size_t kMostIrqs = 1024;

// Of /proc/interrupts and /proc/irq; only the first kMostIrqs.
[[nodiscard]] std::optional<IrqPlaces> read_irq_places(const std::string& proc);
// Interrupts that came between the readings, and whose CPUs are others.
[[nodiscard]] std::uint64_t moved_irqs(const IrqPlaces& before, const IrqPlaces& after);

// The first `total=` of a file of /proc/pressure, in microseconds. Absent if PSI is off.
[[nodiscard]] std::optional<std::uint64_t> parse_pressure_us(std::string_view text);
// Sum of /proc/vmstat's allocstall_*; absent if there is none.
[[nodiscard]] std::optional<std::uint64_t> parse_reclaims(std::string_view text);

}  // namespace netperfd::counters
