// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <functional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "daemon/trace/tracefs/apply.hpp"
#include "daemon/trace/tracefs/filter_check.hpp"
#include "daemon/trace/tracefs/undo.hpp"

namespace netperfd::trace {
namespace {

constexpr std::uint32_t kMaskBits = 32;
constexpr const char* kCpuMask = "tracing_cpumask";

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
}

// Chooses one clock for all CPUs: nanoseconds of CLOCK_MONOTONIC if available. Setting the clock empties the
// ring even if it stays the same, so it is set only if it changes.
Status set_clock(Hold& hold, Applied& applied) {
  const auto text = hold.read("trace_clock");
  if (!text) return std::unexpected(text.error());
  std::vector<std::string> clocks;
  std::string current;
  std::istringstream words(*text);
  for (std::string word; words >> word;) {
    if (word.size() > 2 && word.front() == '[') {
      word = word.substr(1, word.size() - 2);
      current = word;
    }
    clocks.push_back(word);
  }
  constexpr std::array<const char*, 3> kWanted{"mono", "global", "local"};
  for (const char* clock : kWanted) {
    if (std::ranges::find(clocks, clock) == clocks.end()) continue;
    applied.clock = clock;
    return current == clock ? Status{} : hold.set("trace_clock", clock);
  }
  return fail(ErrorKind::unsupported,
              fmt::format("trace_clock: none of mono, global and local in \"{}\"", *text));
}

// Records the ring sizes of the CPUs if somebody made them different.
Status remember_cpu_buffers(Hold& hold) {
  const auto cpus = hold.tracefs().list(hold.path("per_cpu"));
  if (!cpus) return std::unexpected(cpus.error());
  for (const auto& cpu : *cpus) {
    if (const auto status = hold.remember("per_cpu/" + cpu + "/buffer_size_kb"); !status) return status;
  }
  return {};
}

// A new instance copies the options of the top instance, which somebody may have changed. Without marks, or
// with a ring that stops when it is full, a trace would not be what the job asked for.
Status set_options(Hold& hold) {
  constexpr std::array<std::pair<const char*, const char*>, 4> kOptions{{
      {"options/markers", "1"},
      {"options/overwrite", "1"},
      {"options/stacktrace", "0"},
      {"options/userstacktrace", "0"},
  }};
  for (const auto& [file, value] : kOptions) {
    const auto text = hold.read(file);
    if (!text && text.error().kind == ErrorKind::not_found) continue;
    if (text && *text == value) continue;
    if (auto status = hold.set(file, value); !status) return status;
  }
  return {};
}

// Clears the tasks that somebody selected or excluded in the top instance.
Status empty_task_lists(Hold& hold) {
  if (!hold.at_top()) return {};
  for (const char* file :
       {"set_event_pid", "set_event_notrace_pid", "set_ftrace_pid", "set_ftrace_notrace_pid"}) {
    const auto text = hold.read(file);
    if (!text && text.error().kind == ErrorKind::not_found) continue;
    if (text && list_items(file, *text).empty()) continue;
    if (auto status = hold.empty_shared_list(file); !status) return status;
  }
  return {};
}

Status set_buffers(Hold& hold, std::uint64_t bytes, Applied& applied) {
  constexpr std::uint64_t kKib = 1024;
  if (bytes > 0) {
    const auto before = hold.read("buffer_size_kb");
    if (!before) return std::unexpected(before.error());
    if (*before == "X") {
      if (const auto status = remember_cpu_buffers(hold); !status) return status;
    }
    const auto status = hold.set("buffer_size_kb", std::to_string((bytes + kKib - 1) / kKib));
    if (!status) return status;
  }
  const auto text = hold.read("buffer_size_kb");
  if (!text) return std::unexpected(text.error());
  // "7 (expanded: 1408)": the ring gets the second size when it is first used.
  const auto expanded = text->find("expanded: ");
  const auto figure = std::string_view(*text).substr(expanded == std::string::npos ? 0 : expanded + 10);
  std::uint64_t kb = 0;
  (void)std::from_chars(figure.data(), figure.data() + figure.size(), kb);
  applied.buffer_bytes = kb * kKib;
  return {};
}

// "3", or groups of 32 bits if there are more CPUs: "1,00000000".
std::string to_mask(const std::vector<std::uint32_t>& cpus) {
  std::vector<std::uint32_t> groups(std::ranges::max(cpus) / kMaskBits + 1);
  for (const auto cpu : cpus) groups[cpu / kMaskBits] |= std::uint32_t{1} << (cpu % kMaskBits);
  std::string mask = fmt::format("{:x}", groups.back());
  for (std::size_t i = groups.size() - 1; i-- > 0;) mask += fmt::format(",{:08x}", groups[i]);
  return mask;
}

// Somebody may have left a mask in the top instance; a new instance has all CPUs.
Status set_all_cpus(Hold& hold) {
  if (!hold.at_top()) return {};
  const auto names = hold.tracefs().list("per_cpu");
  if (!names) return std::unexpected(names.error());
  std::vector<std::uint32_t> cpus;
  for (const std::string_view name : *names) {
    std::uint32_t cpu = 0;
    if (!name.starts_with("cpu")) continue;
    const auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), cpu);
    if (error == std::errc{} && end == name.data() + name.size()) cpus.push_back(cpu);
  }
  const auto mask = hold.read(kCpuMask);
  if (!mask) return std::unexpected(mask.error());
  if (cpus.empty() || *mask == to_mask(cpus)) return {};
  return hold.set(kCpuMask, to_mask(cpus));
}

// Sets the fill level at which poll() on a ring's pipe wakes the reader: rarely enough to cost nothing, early
// enough to leave three quarters of the ring until the reader gets a CPU. Linux has the file since 5.0. On
// some kernels it is read-only, which stops a root without CAP_DAC_OVERRIDE. The reader then wakes by its
// timer.
Status set_wake_up(Hold& hold) {
  constexpr const char* kFile = "buffer_percent";
  constexpr const char* kQuarter = "25";
  const auto text = hold.read(kFile);
  if (!text && text.error().kind == ErrorKind::not_found) return {};
  if (text && *text == kQuarter) return {};
  auto status = hold.set(kFile, kQuarter);
  if (!status && status.error().kind == ErrorKind::access_denied) return {};
  return status;
}

Status set_cpus(Hold& hold, const std::vector<std::uint32_t>& cpus) {
  if (cpus.empty()) return set_all_cpus(hold);
  for (const auto cpu : cpus) {
    if (!hold.exists(fmt::format("per_cpu/cpu{}", cpu))) {
      return fail(ErrorKind::invalid_argument, fmt::format("cpus: this machine has no CPU {}.", cpu));
    }
  }
  return hold.set(kCpuMask, to_mask(cpus));
}

// If error_log explains the refusal of a write, the filter is wrong, whatever the errno. Older entries in
// error_log belong to other writes.
Status write_filter(const Hold& hold, const EventSpec& event, const std::function<Status()>& write) {
  const auto before = hold.read("error_log");
  Status status = write();
  if (status) return status;
  const auto after = hold.read("error_log");
  const bool explained = after && !after->empty() && (!before || *before != *after);
  if (!explained && status.error().kind != ErrorKind::invalid_argument) return status;
  return fail(ErrorKind::invalid_argument,
              fmt::format("{}: filter \"{}\": {}", event.name, event.filter,
                          explained ? newest_error(*after) : status.error().message));
}

Status apply_event(Hold& hold, const EventSpec& event) {
  const auto directory = event_directory(event.name);
  if (!directory) return std::unexpected(directory.error());
  if (!hold.exists(*directory + "/enable")) {
    return fail(ErrorKind::invalid_argument, fmt::format("{}: this kernel has no such event.", event.name));
  }
  if (!event.filter.empty()) {
    if (auto allowed = check_filter(event, hold.tracefs(), hold.path(*directory)); !allowed) return allowed;
    auto status = write_filter(hold, event, [&] { return hold.set(*directory + "/filter", event.filter); });
    if (!status) return status;
  }
  if (event.stacktrace) {
    // A trigger checks only its own condition: without one it would also record the stack of events that the
    // filter drops.
    const std::string condition = event.filter.empty() ? "" : " if " + event.filter;
    auto status = write_filter(
        hold, event, [&] { return hold.set_trigger(*directory + "/trigger", "stacktrace" + condition); });
    if (!status) return status;
  }
  return hold.set(*directory + "/enable", "1");
}

}  // namespace

Result<std::string> event_directory(const std::string& name) {
  const auto colon = name.find(':');
  const std::string system = name.substr(0, colon);
  const std::string event = colon == std::string::npos ? "" : name.substr(colon + 1);
  if (!is_name(system) || !is_name(event)) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("\"{}\" is no event: expected SYSTEM:EVENT, such as skb:kfree_skb.", name));
  }
  return fmt::format("events/{}/{}", system, event);
}

Status apply_ring(Hold& hold, const TraceSpec& spec, std::uint64_t buffer_bytes, Applied& applied) {
  // A new instance starts with tracing on.
  auto status = hold.set("tracing_on", "0");
  if (status) status = set_clock(hold, applied);
  if (status) status = set_options(hold);
  if (status) status = empty_task_lists(hold);
  if (status) status = set_buffers(hold, spec.buffer_bytes.value_or(buffer_bytes), applied);
  if (status) status = set_wake_up(hold);
  if (status) status = set_cpus(hold, spec.cpus);
  if (!spec.workload_only) return status;
  if (status) status = hold.set("options/event-fork", "1");
  if (status && spec.function_graph) status = hold.set("options/function-fork", "1");
  return status;
}

Status apply_events(Hold& hold, const std::vector<EventSpec>& events) {
  for (const auto& event : events) {
    if (const auto status = apply_event(hold, event); !status) return status;
  }
  return {};
}

}  // namespace netperfd::trace
