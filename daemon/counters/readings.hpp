// The kernel's counters as its text files in /proc give them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd::counters {

// A counter at one moment.
struct Reading {
  std::string name;                  // the kernel's own words
  std::optional<std::uint32_t> cpu;  // absent: it is not of one CPU
  std::uint64_t value = 0;

  bool operator==(const Reading&) const = default;
};

// What cannot be read of a text is left out. Where a name comes twice, its values belong together.
using Readings = std::vector<Reading>;

// /proc/net/snmp and /proc/net/netstat: a line of names and a line of values, both behind "Tcp:", become
// TcpRetransSegs. Settings and gauges such as TcpCurrEstab are left out.
[[nodiscard]] Readings parse_snmp(std::string_view text);
// /proc/net/snmp6: a name and a value a line, already joined.
[[nodiscard]] Readings parse_snmp6(std::string_view text);

// /proc/net/softnet_stat: a line an online CPU, hexadecimal columns whose number tells the kernel:
//    9  old ones: processed, dropped, time_squeeze, five that are 0, cpu_collision
//   10  from 2.6.35 on: and received_rps
//   11  from 3.11 on: and flow_limit_count
//   13  from 5.10 on: and the length of the backlog, and the number of the CPU
//   15  from 6.4 on: and the two parts of that length
// Without the number of the CPU the line's own is taken, which is wrong where a CPU before it is offline.
// cpu_collision, which newer kernels always give as 0, and the lengths, which are gauges, are left out.
[[nodiscard]] Readings parse_softnet(std::string_view text);

// /proc/softirqs: a column a CPU.
[[nodiscard]] Readings parse_softirqs(std::string_view text);
// /proc/interrupts: the same. An interrupt goes by the name of what asked for it ("eth0-TxRx-1"), since its
// number may be another after the next boot; without one by its number, and what has no number by its letters
// ("LOC").
[[nodiscard]] Readings parse_interrupts(std::string_view text);

// /proc/stat, nanoseconds of each CPU: user (with nice), system, irq, softirq, steal; busy is all of these;
// idle is with the wait for I/O. `ticks_a_second` is sysconf(_SC_CLK_TCK).
[[nodiscard]] Readings parse_cpu_times(std::string_view text, std::uint64_t ticks_a_second);

}  // namespace netperfd::counters
