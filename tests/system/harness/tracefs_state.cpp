// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/tracefs_state.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "daemon/base/fd.hpp"

namespace netperfd::system_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTracefs = "/sys/kernel/tracing";
// Settings of the top instance, as far as the kernel has them.
constexpr std::array kSettings{
    "buffer_total_size_kb", "current_tracer",     "dynamic_events",     "kprobe_events",
    "max_graph_depth",      "set_event",          "set_event_pid",      "set_ftrace_filter",
    "set_ftrace_pid",       "set_ftrace_notrace", "set_graph_function", "trace_clock",
    "trace_options",        "tracing_on",         "tracing_cpumask",    "tracing_thresh",
    "set_graph_notrace",    "uprobe_events",
};

// Uses read(2), since a tracefs file reports a refusal only there.
std::string text_of(const fs::path& path) {
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::string text;
  std::array<char, 4096> part{};
  ssize_t size = -1;
  while (file && (size = ::read(file.get(), part.data(), part.size())) > 0) {
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  return size < 0 ? fmt::format("error {}", errno) : text;
}

void write_into(const fs::path& path, std::string_view text) {
  std::ofstream file(path);
  file << text << std::flush;
  if (!file) throw std::runtime_error(fmt::format("cannot write {} into {}", text, path.string()));
}

}  // namespace

std::string tracefs_state() {
  const fs::path top = kTracefs;
  if (!fs::exists(top / "instances"))
    throw std::runtime_error("tracefs is not mounted at /sys/kernel/tracing");
  std::vector<std::string> lines;
  const auto add = [&](const fs::path& path) {
    lines.push_back(fmt::format("{}: {}", path.lexically_relative(top).string(), text_of(path)));
  };
  for (const char* name : kSettings) add(top / name);
  for (const auto& option : fs::directory_iterator(top / "options")) add(option.path());
  for (const auto& system : fs::directory_iterator(top / "events")) {
    if (!system.is_directory()) continue;
    for (const auto& event : fs::directory_iterator(system)) {
      if (!event.is_directory()) continue;
      for (const char* name : {"enable", "filter", "trigger"}) add(event.path() / name);
    }
  }
  for (const auto& instance : fs::directory_iterator(top / "instances")) {
    lines.push_back(fmt::format("instance {}", instance.path().filename().string()));
  }
  std::ranges::sort(lines);
  std::string state;
  for (const std::string& line : lines) state += line + "\n";
  return state;
}

bool tracefs_allows_function_graph() {
  const fs::path top = kTracefs;
  return (" " + text_of(top / "available_tracers")).contains(" function_graph") &&
         !text_of(top / "set_ftrace_filter").starts_with("error");
}

ForeignTracer::ForeignTracer(const std::string& event) {
  std::string path = event;
  std::ranges::replace(path, ':', '/');
  switch_ = fmt::format("{}/events/{}/enable", kTracefs, path);
  write_into(switch_, "1");
}

ForeignTracer::~ForeignTracer() {
  std::ofstream(switch_) << "0";
}

}  // namespace netperfd::system_test
