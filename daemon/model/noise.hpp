// SPDX-License-Identifier: GPL-2.0-or-later
// The noise of the host during a run: figures beside the workload that change what it reaches.
//
// The figures are counters of the source `noise`. A figure that could not be read is absent, and
// Counters::unknown has a clause. docs/noise.md says where the kernel has each one and what it
// cannot tell.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/counters.hpp"

namespace netperfd::noise {

inline constexpr std::string_view kSource = "noise";

// ---- Figures. CPU time is in ns, and summed over the CPUs.

// Time between the two readings, just before the release and after the end of the workload.
inline constexpr std::string_view kWindow = "window";
// The part of kWindow that iperf3 does not count: its own start and end, the omitted part and, with probes,
// the idle phases before and after. Of that part: CPU time of all CPUs (/proc/stat), and what is not the
// workload's in it, as kSteal, kOthers and kNetperfd are of the whole. All are absent if nothing tells where
// it begins.
inline constexpr std::string_view kUncountedWindow = "uncounted_window";
inline constexpr std::string_view kUncountedBusy = "uncounted_busy";
inline constexpr std::string_view kUncountedSteal = "uncounted_steal";
inline constexpr std::string_view kUncountedOthers = "uncounted_others";
inline constexpr std::string_view kUncountedNetperfd = "uncounted_netperfd";
// Time from the first reading to the begin of iperf3's test; absent if its client does not tell that, and
// with probes. Samples of the run begin there.
inline constexpr std::string_view kUncountedStart = "uncounted_start";
// What of kUncountedWindow is behind iperf3's test. Absent if nothing tells where the test ends, or what the
// end took.
inline constexpr std::string_view kUncountedEnd = "uncounted_end";
// Number of CPUs on which the workload spent at least 1 % of its time; all CPUs, if perf events are refused.
inline constexpr std::string_view kCpus = "cpus";
inline constexpr std::string_view kOnlineCpus = "online_cpus";
// /proc/PID/stat: all processes, with the children that they waited for, and those kernel threads that do not
// serve packets. The kernel counts in sum_exec_runtime, so interrupts over a process are in its time, unless
// the kernel has CONFIG_IRQ_TIME_ACCOUNTING. A process is missed if it began and ended between the readings
// and its parent ignores SIGCHLD; each is known to 10 ms.
inline constexpr std::string_view kTasks = "tasks";
// The same of ksoftirqd, napi, irq and kworker threads, which serve packets, though not only these.
inline constexpr std::string_view kPacketThreads = "packet_threads";
inline constexpr std::string_view kNetperfd = "netperfd";  // getrusage(2) of the daemon itself
inline constexpr std::string_view kWorkload = "workload";  // wait4(2) of its processes
// kTasks without kNetperfd and kWorkload. Those of netperfd's processes that answer queries are in it: they
// do not serve the run.
inline constexpr std::string_view kOthers = "others";
// At least so much of kOthers was on the workload's CPUs: user and system time of these CPUs in /proc/stat
// without the workload's task clock (perf) there. Equal to kOthers if the workload used all CPUs.
inline constexpr std::string_view kOthersThere = "others_on_its_cpus";
// What the CPUs' time that was not idle consists of: kBusy = kWorkload + kNetperfd + kOthers + kKernel +
// kUnknown. kBusy is from /proc/stat, without steal. daemon/core/run/cpu_split.hpp has each term and its
// error.
inline constexpr std::string_view kBusy = "busy";
inline constexpr std::string_view kKernel = "kernel";
inline constexpr std::string_view kUnknown = "unknown";
inline constexpr std::string_view kUnknownError = "unknown_error";
// At least so much of both kOthers and kUnknown was on the workload's CPUs, without kOthersThere.
inline constexpr std::string_view kUnknownThere = "unknown_on_its_cpus";
// Time of interrupts and softirqs in /proc/stat, without that of ksoftirqd.
inline constexpr std::string_view kInterrupts = "interrupts";
// /proc/stat, in ticks of 10 ms; only a hypervisor that tells its guests has it (KVM, Xen).
inline constexpr std::string_view kSteal = "steal";
inline constexpr std::string_view kStealThere = "steal_on_its_cpus";
// cpu.stat of the workload's cgroup and of those above: time in which their limit held a CPU's tasks.
inline constexpr std::string_view kThrottled = "throttled";
// thermal_throttle of the CPUs: number of times that heat slowed one. x86 of Intel only.
inline constexpr std::string_view kHeat = "heat_throttles";
// Cycles per second of busy time, in Hz, over all CPUs; only if perf counts cycles.
inline constexpr std::string_view kFrequency = "frequency";
// Interrupts that came, and whose effective affinity differs between the readings. A move and its undoing in
// between is missed.
inline constexpr std::string_view kMovedIrqs = "moved_irqs";
// /proc/pressure/memory: time in which some task waited for memory. Absent if the kernel has PSI off.
inline constexpr std::string_view kMemoryStall = "memory_stall";
// /proc/vmstat allocstall_*: number of times that a task had to free memory before it got some.
inline constexpr std::string_view kReclaims = "direct_reclaims";
// Bytes that the client's device counted, both ways, beyond what the workload's own can be: at least so many
// are others'. `device_bytes` is all.
inline constexpr std::string_view kForeignBytes = "foreign_bytes";
inline constexpr std::string_view kDeviceBytes = "device_bytes";
// Bits per second, of the direction that fell farthest behind: `bitrate` times streams, and what was sent.
inline constexpr std::string_view kAskedRate = "asked_rate";
inline constexpr std::string_view kSentRate = "sent_rate";

// ---- Quality flags, by docs/quality-flags.md.

inline constexpr std::string_view kForeignLoad = "foreign-load";
inline constexpr std::string_view kUnknownLoad = "unknown-load";
inline constexpr std::string_view kStolen = "cpu-stolen";
inline constexpr std::string_view kSlowed = "cpu-throttled";
inline constexpr std::string_view kForeignTraffic = "foreign-traffic";
inline constexpr std::string_view kIrqsMoved = "irqs-moved";
inline constexpr std::string_view kMemoryPressure = "memory-pressure";
inline constexpr std::string_view kRateMissed = "rate-not-reached";
inline constexpr std::string_view kSuspended = "host-suspended";
inline constexpr std::string_view kCpusChanged = "cpus-changed";
inline constexpr std::string_view kClockSet = "clock-set";
// Those of the host. A rate that was not reached may be what the change did, and the wall clock is in no
// figure.
inline constexpr std::array kFlags{kForeignLoad, kUnknownLoad,    kStolen,    kSlowed,     kForeignTraffic,
                                   kIrqsMoved,   kMemoryPressure, kSuspended, kCpusChanged};

[[nodiscard]] inline bool is_flag(std::string_view code) {
  return std::ranges::find(kFlags, code) != kFlags.end();
}

[[nodiscard]] inline std::optional<std::uint64_t> figure(const std::vector<CounterDelta>& counters,
                                                         std::string_view name) {
  const auto found = std::ranges::find_if(
      counters, [&](const CounterDelta& each) { return each.source == kSource && each.name == name; });
  return found == counters.end() ? std::nullopt : std::optional{found->delta};
}

// CPU time of all CPUs that were not idle, also that of others; /proc/stat.
[[nodiscard]] inline std::optional<std::uint64_t> busy_ns(const std::vector<CounterDelta>& counters) {
  const auto found = std::ranges::find_if(
      counters, [](const CounterDelta& each) { return each.source == "cpu" && each.name == "busy"; });
  return found == counters.end() ? std::nullopt : std::optional{found->delta};
}

[[nodiscard]] inline CounterDelta counter_of(std::string_view name, std::uint64_t value,
                                             std::string_view unit) {
  return {.source = std::string{kSource},
          .netns = "",
          .name = std::string{name},
          .delta = value,
          .unit = std::string{unit}};
}

}  // namespace netperfd::noise
