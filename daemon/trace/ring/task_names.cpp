// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/task_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <ranges>

#include "daemon/trace/ring/tally_marks.hpp"

namespace netperfd::trace {
namespace {

constexpr std::string_view kIdleLine = "0 <idle>\n";
constexpr std::size_t kLongestTaskName = 64;  // four times the kernel's TASK_COMM_LEN

}  // namespace

std::map<std::int32_t, std::string> parse_task_names(std::string_view lines) {
  std::map<std::int32_t, std::string> names;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    auto line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    std::int32_t pid = 0;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), pid);
    if (error != std::errc{}) continue;
    line.remove_prefix(static_cast<std::size_t>(rest - line.data()));
    if (line.size() > 1 && line != " <...>") names[pid] = one_line(line.substr(1, kLongestTaskName));
  }
  names[0] = "<idle>";
  return names;
}

std::string shown_task_names(std::string_view lines, const TaskScreen& tasks) {
  std::string shown(kIdleLine);
  const auto names = parse_task_names(lines);
  const auto pids = names | std::views::keys;
  tasks.expect({pids.begin(), pids.end()});
  for (const auto& [pid, name] : names) {
    if (pid != 0 && !tasks.hides(pid)) shown += fmt::format("{} {}\n", pid, name);
  }
  return shown;
}

bool lists_shown_tasks(std::string_view lines) {
  return lines.starts_with(kIdleLine);
}

}  // namespace netperfd::trace
