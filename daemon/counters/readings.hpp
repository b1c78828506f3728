// SPDX-License-Identifier: GPL-2.0-or-later
// Parses the kernel's counters from its text files in /proc.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd::counters {

// A counter at one moment.
struct Reading {
  std::string name;                  // as the kernel has it
  std::optional<std::uint32_t> cpu;  // absent: not of a single CPU
  std::uint64_t value = 0;

  bool operator==(const Reading&) const = default;
};

// Values that cannot be parsed are left out. If a name occurs twice, its values are to be added.
using Readings = std::vector<Reading>;

// /proc/net/snmp and /proc/net/netstat: a line of names and a line of values, both after "Tcp:", become
// TcpRetransSegs. Settings and gauges such as TcpCurrEstab are left out.
[[nodiscard]] Readings parse_snmp(std::string_view text);
// /proc/net/snmp6: a complete name and a value in each line.
[[nodiscard]] Readings parse_snmp6(std::string_view text);

// /proc/net/softnet_stat: one line for each online CPU, with hexadecimal columns whose number depends on the
// kernel:
//    9  old ones: processed, dropped, time_squeeze, five that are 0, cpu_collision
//   10  from 2.6.35 on: and received_rps
//   11  from 3.11 on: and flow_limit_count
//   13  from 5.10 on: and the length of the backlog, and the number of the CPU
//   15  from 6.4 on: and the two parts of that length
// If the CPU's number is missing, the number of the line is used, which is wrong if an earlier CPU is
// offline. cpu_collision, which newer kernels always report as 0, and the lengths, which are gauges, are left
// out.
[[nodiscard]] Readings parse_softnet(std::string_view text);

// /proc/softirqs: one column for each CPU.
[[nodiscard]] Readings parse_softirqs(std::string_view text);
// /proc/interrupts: the same. An interrupt is named after its handlers ("eth0-TxRx-1"), since its number may
// change with the next boot. Without handlers it is named by its number, or by its letters if it has no
// number ("LOC").
[[nodiscard]] Readings parse_interrupts(std::string_view text);

// /proc/stat, nanoseconds of each CPU: user (with nice), system, irq, softirq, steal; idle includes the wait
// for I/O; busy is the rest of `up`, the time since the boot at which `text` was read, and grows like the sum
// of the first five. A kernel that stops the tick of an idle CPU (NO_HZ) measures idle and steal. The other
// times are what the tick found, and a timer in step with it makes them too long or too short by up to half:
// never take a small difference of them. `ticks_a_second` is sysconf(_SC_CLK_TCK).
[[nodiscard]] Readings parse_cpu_times(std::string_view text, std::uint64_t ticks_a_second,
                                       std::chrono::nanoseconds up);

}  // namespace netperfd::counters
