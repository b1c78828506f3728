// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/foreign_tracers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "daemon/base/aside.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/trace/tracefs/session.hpp"

namespace netperfd::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInstances = "instances/";
constexpr const char* kOurName = "netperfd";
// Naming more of them would not help.
constexpr std::size_t kNamed = 3;
// The kernel enables it when it loads a BPF program that may print, and never again disables it
// (kernel/trace/bpf_trace.c, __set_printk_clr_event).
constexpr std::string_view kOfBpf = "bpf_trace:bpf_trace_printk";

std::string first_line(Result<std::string> text) {
  return text ? text->substr(0, text->find('\n')) : "";
}

std::string command_of(const fs::path& process) {
  return first_line(read_file((process / "comm").string(), 4096));
}

std::optional<long> to_pid(std::string_view text) {
  long pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc{} || end != text.data() + text.size() || pid <= 0) return std::nullopt;
  return pid;
}

// The path below tracefs, wherever the process sees it mounted; empty for any other file.
std::string_view in_tracefs(std::string_view target) {
  constexpr std::array<std::string_view, 2> kMounts{"/sys/kernel/tracing/", "/sys/kernel/debug/tracing/"};
  for (const auto mount : kMounts) {
    if (const auto at = target.find(mount); at != std::string_view::npos) {
      return target.substr(at + mount.size());
    }
  }
  return {};
}

bool holds(std::string_view file, const std::string& directory) {
  if (file.empty() || file.ends_with("trace_marker") || file.ends_with("trace_marker_raw")) return false;
  if (directory.empty()) return !file.starts_with(kInstances);
  return file.starts_with(directory + "/");
}

bool holds_any(const fs::path& process, const std::string& directory) {
  std::error_code error;
  fs::directory_iterator entry(process / "fd", error);
  for (; !error && entry != fs::directory_iterator{}; entry.increment(error)) {
    std::error_code gone;
    const std::string target = fs::read_symlink(entry->path(), gone).string();
    if (!gone && holds(in_tracefs(target), directory)) return true;
  }
  return false;
}

// `about`: the number of the daemon, the place of proc and the directory, a line each.
std::string look_for_holders(std::string_view about) {
  std::istringstream lines{std::string(about)};
  std::string own, proc, directory;
  std::getline(std::getline(std::getline(lines, own), proc), directory);
  std::vector<std::pair<long, std::string>> holders;
  std::error_code error;
  fs::directory_iterator process(proc, error);
  for (; !error && process != fs::directory_iterator{}; process.increment(error)) {
    const auto pid = to_pid(process->path().filename().string());
    if (!pid || pid == to_pid(own) || !holds_any(process->path(), directory)) continue;
    holders.emplace_back(*pid, fmt::format("{} (pid {})", command_of(process->path()), *pid));
  }
  std::ranges::sort(holders);
  std::string text;
  for (const auto& [pid, name] : holders) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string with_holders(std::string clause, const std::string& proc, const std::string& directory) {
  const std::string holders = holders_of(proc, directory);
  return holders.empty() ? clause : fmt::format("{}; {} has its files open", clause, holders);
}

bool has_events(Tracefs& tracefs, const std::string& prefix) {
  const std::string enabled = first_line(tracefs.read(prefix + "events/enable"));
  return enabled == "1" || enabled == "X";
}

// Absent: not known.
std::optional<std::vector<std::string>> enabled_events(Tracefs& tracefs, const std::string& prefix) {
  const auto text = tracefs.read(prefix + "set_event");
  if (!text) return std::nullopt;
  std::vector<std::string> events;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line != kOfBpf) events.push_back(line);
  }
  return events;
}

std::string names_of(std::vector<std::string> events) {
  const std::size_t count = events.size();
  if (count > kNamed) {
    events.resize(kNamed);
    events.push_back(fmt::format("and {} more", count - kNamed));
  }
  return count == 0 ? "" : fmt::format(" ({})", fmt::join(events, ", "));
}

void top_obstacles(Tracefs& tracefs, const std::string& proc, std::vector<std::string>& found) {
  const std::string tracer = first_line(tracefs.read("current_tracer"));
  if (!tracer.empty() && tracer != "nop") {
    found.push_back(with_holders(fmt::format("the tracer {} is on in the top instance", tracer), proc, ""));
  }
  if (!has_events(tracefs, "")) return;
  const auto events = enabled_events(tracefs, "");
  if (events && events->empty()) return;
  found.push_back(with_holders(fmt::format("events are enabled in the top instance{}",
                                           names_of(events.value_or(std::vector<std::string>{}))),
                               proc, ""));
}

}  // namespace

std::string holders_of(const std::string& proc, const std::string& directory) {
  return look_aside(&look_for_holders, fmt::format("{}\n{}\n{}", ::getpid(), proc, directory))
      .value_or("perhaps a process that cannot be looked at");
}

long instance_owner(const std::string& instance) {
  constexpr std::string_view kPrefix = "netperfd-";
  if (!instance.starts_with(kPrefix)) return 0;
  const auto rest = std::string_view(instance).substr(kPrefix.size());
  return to_pid(rest.substr(0, rest.find('-'))).value_or(0);
}

bool is_alive(const std::string& proc, long pid, const std::string& name) {
  return command_of(fs::path(proc) / std::to_string(pid)) == name;
}

std::vector<std::string> foreign_tracers(Tracefs& tracefs, const std::string& proc,
                                         const std::string& own_instance) {
  std::vector<std::string> found;
  top_obstacles(tracefs, proc, found);
  const auto instances = tracefs.list("instances");
  if (!instances) return found;
  for (const auto& instance : *instances) {
    if (instance == own_instance) continue;
    const std::string directory = std::string(kInstances) + instance;
    if (const long owner = instance_owner(instance); owner != 0 && is_alive(proc, owner, kOurName)) {
      found.push_back(fmt::format("netperfd (pid {}) traces in {}", owner, directory));
      continue;
    }
    const std::string tracer = first_line(tracefs.read(directory + "/current_tracer"));
    if (!tracer.empty() && tracer != "nop") {
      found.push_back(
          with_holders(fmt::format("the tracer {} is on in {}", tracer, directory), proc, directory));
    }
  }
  return found;
}

std::vector<std::string> neighbouring_tracers(Tracefs& tracefs, const std::string& own_instance) {
  std::vector<std::string> found;
  const auto instances = tracefs.list("instances");
  if (!instances) return found;
  for (const auto& instance : *instances) {
    const std::string prefix = std::string(kInstances) + instance + "/";
    if (instance == own_instance || !has_events(tracefs, prefix)) continue;
    found.push_back(
        fmt::format("events are enabled in instances/{}{}", instance,
                    names_of(enabled_events(tracefs, prefix).value_or(std::vector<std::string>{}))));
  }
  return found;
}

}  // namespace netperfd::trace
