// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/perf_counters.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "daemon/counters/proc_file.hpp"

namespace netperfd::counters {
namespace {

struct Event {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
};

constexpr std::array<Event, 4> kEvents{
    {{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
     {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
     {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
     {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS}}};

// A wrong CPU number in a list must not cause a huge allocation.
constexpr std::uint32_t kMostCpus = 65536;

Fd open_event(const Event& event, std::uint32_t cpu) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return Fd{static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, -1, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC))};
}

// The daemon needs descriptors for other purposes: half of its limit must stay free.
bool fits_into_limit(std::size_t descriptors) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && descriptors <= limit.rlim_cur / 2;
}

struct Count {
  std::uint64_t value, enabled, running;
};

std::optional<std::uint64_t> scaled(const Count& count) {
  if (count.running == 0) return std::nullopt;
  if (count.running >= count.enabled) return count.value;
  const double part = static_cast<double>(count.enabled) / static_cast<double>(count.running);
  return static_cast<std::uint64_t>(static_cast<double>(count.value) * part);
}

}  // namespace

std::vector<std::uint32_t> parse_cpu_list(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  std::vector<std::uint32_t> cpus;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(range.size() + 1, text.size()));
    const std::size_t dash = range.find('-');
    const auto first = parse_number<std::uint32_t>(range.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : parse_number<std::uint32_t>(range.substr(dash + 1));
    if (!first || !last || *last >= kMostCpus) return {};
    for (std::uint32_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

PerfCounters::PerfCounters(const std::vector<std::uint32_t>& cpus) {
  if (cpus.empty() || !fits_into_limit(cpus.size() * kEvents.size())) {
    unknown_.push_back(fmt::format("perf: not available here: {}",
                                   cpus.empty()
                                       ? "the CPUs are not known"
                                       : "too few file descriptors are allowed for an event on every CPU"));
    return;
  }
  std::map<int, std::string> refused;  // names by errno
  for (const Event& event : kEvents) {
    std::vector<Counter> counters;
    for (const std::uint32_t cpu : cpus) {
      Fd opened = open_event(event, cpu);
      if (!opened) break;
      counters.push_back({event.name, cpu, std::move(opened)});
    }
    // Counts from only some of the CPUs would be misleading.
    if (counters.size() == cpus.size()) {
      std::ranges::move(counters, std::back_inserter(counters_));
    } else {
      std::string& names = refused[errno];
      names += (names.empty() ? "" : ", ") + std::string{event.name};
    }
  }
  for (const auto& [error, names] : refused) {
    unknown_.push_back(
        fmt::format("perf: not available here: {} ({})", names, std::generic_category().message(error)));
  }
}

Readings PerfCounters::read() const {
  Readings readings;
  for (const Counter& counter : counters_) {
    Count count{};
    if (::read(counter.event.get(), &count, sizeof count) != static_cast<ssize_t>(sizeof count)) continue;
    if (const auto value = scaled(count)) readings.push_back({counter.name, counter.cpu, *value});
  }
  return readings;
}

}  // namespace netperfd::counters
