// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/host_noise.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <map>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

#include "daemon/base/aside.hpp"
#include "daemon/core/run/cpu_split.hpp"
#include "daemon/counters/perf_counters.hpp"
#include "daemon/counters/proc_file.hpp"
#include "daemon/model/noise.hpp"

namespace netperfd::counters {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
constexpr std::uint64_t kNsPerMicro = 1'000;

std::uint64_t ticks_a_second() {
  const long ticks = ::sysconf(_SC_CLK_TCK);
  return ticks > 0 ? static_cast<std::uint64_t>(ticks) : 100;
}

std::uint64_t own_cpu_ns() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const auto ns = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * kNsPerSecond +
           static_cast<std::uint64_t>(time.tv_usec) * kNsPerMicro;
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

Fd open_clock(pid_t process, std::uint32_t cpu) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.inherit = 1;
  return Fd{static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, process, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC))};
}

bool leaves_most_descriptors(std::size_t wanted) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && wanted <= limit.rlim_cur / 4;
}

std::uint64_t ns_between(std::chrono::microseconds from, std::chrono::microseconds to) {
  return static_cast<std::uint64_t>(std::chrono::nanoseconds{std::max(to - from, {})}.count());
}

// By name and CPU; what went back is 0.
std::map<std::pair<std::string_view, std::uint32_t>, std::uint64_t> moved(const Readings& before,
                                                                          const Readings& after) {
  std::map<std::pair<std::string_view, std::uint32_t>, std::uint64_t> found;
  for (const auto& now : after) found[{now.name, now.cpu.value_or(0)}] = now.value;
  for (auto& [key, value] : found) {
    const auto then = std::ranges::find_if(before, [&](const auto& each) {
      return each.name == key.first && each.cpu.value_or(0) == key.second;
    });
    value = then == before.end() || then->value > value ? 0 : value - then->value;
  }
  return found;
}

void add(Counters& counters, std::string_view name, std::uint64_t value, std::string_view unit) {
  counters.deltas.push_back(noise::counter_of(name, value, unit));
}

void say_unknown(Counters& counters, std::string_view name, std::string_view why) {
  counters.unknown.push_back(fmt::format("noise: {}: not available here: {}", name, why));
}

// Adds the growth of a figure, or says why there is none.
void add_growth(Counters& counters, std::string_view name, const std::optional<std::uint64_t>& before,
                const std::optional<std::uint64_t>& after, std::string_view unit, std::string_view why,
                std::uint64_t factor = 1) {
  if (before && after && *after >= *before) {
    add(counters, name, (*after - *before) * factor, unit);
  } else {
    say_unknown(counters, name, why);
  }
}

}  // namespace

TaskClocks::TaskClocks(const std::vector<pid_t>& processes, const std::vector<std::uint32_t>& cpus)
    : cpus_(cpus.size()) {
  if (processes.empty() || !leaves_most_descriptors(processes.size() * cpus.size())) return;
  for (const pid_t process : processes) {
    for (std::size_t i = 0; i < cpus.size(); ++i) {
      Fd event = open_clock(process, cpus[i]);
      if (!event) {
        refused_ = std::generic_category().message(errno);
        clocks_.clear();
        return;
      }
      clocks_.push_back({i, std::move(event)});
    }
  }
}

std::vector<std::uint64_t> TaskClocks::read() const {
  std::vector<std::uint64_t> ns(clocks_.empty() ? 0 : cpus_);
  for (const Clock& clock : clocks_) {
    std::uint64_t value = 0;
    if (::read(clock.event.get(), &value, sizeof value) != static_cast<ssize_t>(sizeof value)) return {};
    ns[clock.cpu] += value;
  }
  return ns;
}

HostNoise::HostNoise(core::Clock& clock, std::string proc, std::string sys,
                     const std::vector<pid_t>& processes)
    : clock_(clock),
      proc_(std::move(proc)),
      sys_(std::move(sys)),
      processes_(processes),
      cpus_(parse_cpu_list(read_file(sys_ + "/devices/system/cpu/online", kLargestText).value_or(""))) {
  if (!processes.empty()) {
    limits_ = CgroupLimits{
        read_file(fmt::format("{}/{}/cgroup", proc_, processes.front()), kLargestText).value_or(""),
        sys_ + "/fs/cgroup"};
    clocks_ = TaskClocks{processes, cpus_};
  }
  before_ = read();
}

std::optional<std::string> HostNoise::text_of(const char* name) const {
  auto found = read_file(proc_ + name, kLargestText);
  return found ? std::optional{std::move(*found)} : std::nullopt;
}

HostNoise::CpuReading HostNoise::read_cpu() const {
  CpuReading reading;
  reading.time = clock_.since_boot();
  if (const auto text = text_of("/stat"))
    reading.cpus = parse_cpu_times(*text, ticks_a_second(), reading.time);
  reading.clocks = clocks_.read();
  reading.own_ns = own_cpu_ns() + looks_cpu_ns();
  reading.tasks = look_at_task_times(proc_);
  return reading;
}

HostNoise::Reading HostNoise::read() const {
  Reading reading;
  static_cast<CpuReading&>(reading) = read_cpu();
  reading.throttled_ns = limits_.throttled_ns();
  reading.heat = heat_throttles(sys_ + "/devices/system/cpu", cpus_);
  if (const auto pressure = text_of("/pressure/memory")) reading.pressure_us = parse_pressure_us(*pressure);
  if (const auto vmstat = text_of("/vmstat")) reading.reclaims = parse_reclaims(*vmstat);
  reading.irqs = read_irq_places(proc_);
  return reading;
}

void HostNoise::count_begins() {
  counted_from_ = read_cpu();
}

void HostNoise::test_begins() {
  test_from_ = clock_.since_boot();
}

void HostNoise::count_ends(ReadAtEnd end) {
  counted_to_ = read_cpu();
  end_ = end;
}

void HostNoise::read_again() {
  after_ = read();
}

void HostNoise::add_to(Counters& counters) const {
  add(counters, noise::kWindow, ns_between(before_.time, after_.time), "ns");
  add(counters, noise::kOnlineCpus, cpus_.size(), "");
  add_tasks(counters);
  add_cpu_times(counters);
  add_busy(counters);
  add_machine(counters);
  add_uncounted(counters);
}

// By its clocks, which know processes that have ended, or by the processes that both readings have.
std::optional<std::uint64_t> HostNoise::workload_between(const CpuReading& from, const CpuReading& to) const {
  const auto sum = [](const std::vector<std::uint64_t>& clocks) {
    return std::accumulate(clocks.begin(), clocks.end(), std::uint64_t{0});
  };
  if (!from.clocks.empty() && !to.clocks.empty())
    return sum(to.clocks) - std::min(sum(from.clocks), sum(to.clocks));
  if (!from.tasks || !to.tasks) return std::nullopt;
  std::uint64_t ticks = 0;
  for (const pid_t process : processes_) {
    const auto then = from.tasks->find(process), now = to.tasks->find(process);
    if (then == from.tasks->end() || now == to.tasks->end()) return std::nullopt;
    const std::uint64_t before = then->second.own + then->second.waited;
    const std::uint64_t after = now->second.own + now->second.waited;
    ticks += after - std::min(before, after);
  }
  return ticks * (kNsPerSecond / ticks_a_second());
}

std::optional<HostNoise::Part> HostNoise::between(const CpuReading& from, const CpuReading& to) const {
  if (!from.cpus || !to.cpus) return std::nullopt;
  Part part;
  part.window = ns_between(from.time, to.time);
  for (const auto& [key, ns] : moved(*from.cpus, *to.cpus)) {
    if (key.first == "busy") part.busy += ns;
    if (key.first == "steal") part.steal += ns;
  }
  part.netperfd = to.own_ns - std::min(from.own_ns, to.own_ns);
  const auto workload = workload_between(from, to);
  if (!workload || !from.tasks || !to.tasks) return part;
  const std::uint64_t tasks = ticks_between(*from.tasks, *to.tasks).tasks * (kNsPerSecond / ticks_a_second());
  part.others = tasks - std::min(tasks, *workload + part.netperfd);
  return part;
}

void HostNoise::add_part(Part& sum, const Part& part) {
  sum.window += part.window;
  sum.busy += part.busy;
  sum.steal += part.steal;
  sum.netperfd += part.netperfd;
  sum.others = sum.others && part.others ? std::optional{*sum.others + *part.others} : std::nullopt;
}

void HostNoise::add_uncounted(Counters& counters) const {
  if (test_from_) add(counters, noise::kUncountedStart, ns_between(before_.time, *test_from_), "ns");
  if (!counted_from_) return;
  auto part = between(before_, *counted_from_);
  if (part && counted_to_) {
    const auto behind = between(*counted_to_, after_);
    if (!behind) return;
    // Without task clocks, nobody knows what iperf3 took to its end. It is short, so it may count, too.
    const bool may_count = end_ == ReadAtEnd::test && part->others && !behind->others;
    if (!may_count) {
      add_part(*part, *behind);
      if (end_ == ReadAtEnd::test) add(counters, noise::kUncountedEnd, behind->window, "ns");
    }
  }
  if (!part) return;
  if (ended_with_run_) add(counters, noise::kUncountedEnd, 0, "ns");
  add(counters, noise::kUncountedWindow, part->window, "ns");
  add(counters, noise::kUncountedBusy, part->busy, "ns");
  add(counters, noise::kUncountedSteal, part->steal, "ns");
  add(counters, noise::kUncountedNetperfd, part->netperfd, "ns");
  if (part->others) add(counters, noise::kUncountedOthers, *part->others, "ns");
}

void HostNoise::add_tasks(Counters& counters) const {
  if (!before_.tasks || !after_.tasks) {
    say_unknown(
        counters, noise::kTasks,
        fmt::format("{} cannot be read, has more than {} processes, or one that lets its readers wait", proc_,
                    kMostTasks));
    return;
  }
  const TaskTicks ticks = ticks_between(*before_.tasks, *after_.tasks);
  const std::uint64_t ns = kNsPerSecond / ticks_a_second();
  add(counters, noise::kTasks, ticks.tasks * ns, "ns");
  add(counters, noise::kPacketThreads, ticks.packet_threads * ns, "ns");
  add(counters, noise::kNetperfd, after_.own_ns - std::min(before_.own_ns, after_.own_ns), "ns");
}

void HostNoise::add_cpu_times(Counters& counters) const {
  constexpr std::uint64_t kLeastShare = 100;
  if (!before_.cpus || !after_.cpus || cpus_.empty()) {
    say_unknown(counters, noise::kSteal, proc_ + "/stat cannot be read");
    return;
  }
  const auto times = moved(*before_.cpus, *after_.cpus);
  const auto time = [&](std::string_view name, std::uint32_t cpu) {
    const auto found = times.find({name, cpu});
    return found == times.end() ? 0 : found->second;
  };
  std::vector<std::uint64_t> clocks(cpus_.size());
  const bool known = after_.clocks.size() == cpus_.size();
  for (std::size_t i = 0; known && i < cpus_.size(); ++i) {
    const std::uint64_t then = i < before_.clocks.size() ? before_.clocks[i] : 0;
    clocks[i] = after_.clocks[i] - std::min(then, after_.clocks[i]);
  }
  const std::uint64_t whole = std::accumulate(clocks.begin(), clocks.end(), std::uint64_t{0});
  std::uint64_t used = 0, steal = 0, steal_there = 0, others = 0;
  for (std::size_t i = 0; i < cpus_.size(); ++i) {
    const std::uint64_t stolen = time("steal", cpus_[i]);
    steal += stolen;
    if (whole > 0 && clocks[i] < whole / kLeastShare) continue;
    ++used;
    steal_there += stolen;
    const std::uint64_t tasks = time("user", cpus_[i]) + time("system", cpus_[i]);
    others += tasks - std::min(clocks[i], tasks);
  }
  add(counters, noise::kCpus, used, "");
  add(counters, noise::kSteal, steal, "ns");
  add(counters, noise::kStealThere, steal_there, "ns");
  if (whole > 0) {
    add(counters, noise::kOthersThere, others, "ns");
  } else {
    say_unknown(counters, noise::kOthersThere,
                clocks_.refused().empty() ? "no task clock" : "perf_event_open: " + clocks_.refused());
  }
}

void HostNoise::add_busy(Counters& counters) const {
  if (!before_.cpus || !after_.cpus || !before_.tasks || !after_.tasks) {
    say_unknown(counters, noise::kUnknown, "the times of the CPUs, or of all tasks, cannot be read");
    return;
  }
  std::uint64_t tasks = 0, interrupts = 0, apart = 0, busy = 0, steal = 0;
  for (const auto& [key, ns] : moved(*before_.cpus, *after_.cpus)) {
    const std::string_view name = key.first;
    if (name == "user" || name == "system") tasks += ns;
    if (name == "irq" || name == "softirq") interrupts += ns;
    if (name == "idle" || name == "steal") apart += ns;
    if (name == "busy") busy += ns;
    if (name == "steal") steal += ns;
  }
  const TaskTicks ticks = ticks_between(*before_.tasks, *after_.tasks);
  const std::uint64_t ksoftirqd = ticks.ksoftirqd * (kNsPerSecond / ticks_a_second());
  add(counters, noise::kBusy, busy - std::min(busy, steal), "ns");
  add(counters, noise::kInterrupts, interrupts - std::min(interrupts, ksoftirqd), "ns");
  add(counters, noise::kUnknownError, core::unknown_error_ns(tasks, tasks + interrupts + apart, ticks.moved),
      "ns");
}

void HostNoise::add_machine(Counters& counters) const {
  if (const auto throttled = growth_of(before_.throttled_ns, after_.throttled_ns)) {
    add(counters, noise::kThrottled, *throttled, "ns");
  } else {
    say_unknown(counters, noise::kThrottled, "no cgroup above the workload has a cpu.stat with limits");
  }
  add_growth(counters, noise::kHeat, before_.heat, after_.heat, "", "no thermal_throttle in " + sys_);
  add_growth(counters, noise::kMemoryStall, before_.pressure_us, after_.pressure_us, "ns",
             proc_ + "/pressure/memory cannot be read: PSI is off", kNsPerMicro);
  add_growth(counters, noise::kReclaims, before_.reclaims, after_.reclaims, "",
             "no allocstall in " + proc_ + "/vmstat");
  if (before_.irqs && after_.irqs) {
    add(counters, noise::kMovedIrqs, moved_irqs(*before_.irqs, *after_.irqs), "");
  } else {
    say_unknown(counters, noise::kMovedIrqs, proc_ + "/interrupts cannot be read");
  }
}

}  // namespace netperfd::counters
