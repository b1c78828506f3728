// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/task_watch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "daemon/base/aside.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/trace/pid_namespace.hpp"

namespace netperfd::trace {
namespace {

constexpr std::chrono::milliseconds kFirstPeriod{25};
constexpr std::chrono::milliseconds kLastPeriod{1000};

constexpr std::uint64_t kKernelThread = 0x0020'0000;  // PF_KTHREAD

struct TaskStat {
  std::uint64_t flags = 0;
  std::uint64_t start_ticks = 0;  // since the boot
};

std::optional<std::uint64_t> to_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Empty if it cannot be read.
std::string text_of_stat(std::string_view path) {
  constexpr std::size_t kLongestStat = 4096;
  return read_file(std::string(path), kLongestStat).value_or("");
}

// "4711 (name) S 1 ...": the name may hold anything, so the fields are counted from the last bracket.
std::optional<TaskStat> read_stat(const std::string& path) {
  constexpr int kFlags = 9, kStart = 22;  // proc_pid_stat(5)
  const std::string text = text_of_stat(path);
  const auto bracket = text.rfind(") ");
  if (bracket == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(text).substr(bracket + 2);
  TaskStat stat;
  for (int field = 3; field <= kStart; ++field) {
    const auto word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (field != kFlags && field != kStart) continue;
    const auto number = to_number(word);
    if (!number) return std::nullopt;
    (field == kFlags ? stat.flags : stat.start_ticks) = *number;
  }
  return stat;
}

bool may_show(const std::string& directory, uid_t viewer, std::uint64_t began_ticks) {
  const auto stat = read_stat(directory + "/stat");
  if (!stat || stat->start_ticks >= began_ticks) return false;
  if ((stat->flags & kKernelThread) != 0) return true;
  // A process that made itself undumpable is shown as root's.
  struct stat owner{};
  return ::stat(directory.c_str(), &owner) == 0 && owner.st_uid == viewer;
}

// `about`: the viewer, when tracing began, the tasks; in another line, the directory. Returns those of the
// tasks that the viewer may see.
std::string look_at_tasks(std::string_view about) {
  const auto end = std::min(about.find('\n'), about.size());
  const std::string_view proc = about.substr(std::min(end + 1, about.size()));
  std::istringstream words{std::string(about.substr(0, end))};
  uid_t viewer = 0;
  std::uint64_t began_ticks = 0;
  words >> viewer >> began_ticks;
  std::string shown;
  for (std::int32_t pid = 0; words >> pid;) {
    if (may_show(fmt::format("{}/{}", proc, pid), viewer, began_ticks)) shown += fmt::format("{} ", pid);
  }
  return shown;
}

std::uint64_t ticks_since_boot() {
  timespec now{};
  const long per_second = ::sysconf(_SC_CLK_TCK);
  if (::clock_gettime(CLOCK_BOOTTIME, &now) != 0 || per_second <= 0) return 0;
  constexpr std::uint64_t kNanoseconds = 1'000'000'000;
  const auto ticks = static_cast<std::uint64_t>(per_second);
  return static_cast<std::uint64_t>(now.tv_sec) * ticks +
         static_cast<std::uint64_t>(now.tv_nsec) * ticks / kNanoseconds;
}

}  // namespace

TaskWatch::TaskWatch(core::Clock& clock, std::string proc, uid_t viewer)
    : clock_(clock),
      proc_(std::move(proc)),
      viewer_(viewer),
      numbers_are_ours_(is_initial_pid_namespace(proc_)),
      period_(kFirstPeriod) {}

void TaskWatch::start(const std::vector<pid_t>& workload) {
  began_ticks_ = ticks_since_boot();
  workload_ = workload;
  own_.insert(workload.begin(), workload.end());
  read_threads();
}

void TaskWatch::read_threads() {
  for (const pid_t pid : workload_) {
    std::error_code error;
    std::filesystem::directory_iterator thread(fmt::format("{}/{}/task", proc_, pid), error);
    for (; !error && thread != std::filesystem::directory_iterator{}; thread.increment(error)) {
      if (const auto number = to_number(thread->path().filename().native())) {
        own_.insert(static_cast<std::int32_t>(*number));
      }
    }
  }
  if (workload_.empty()) return;
  timer_ = clock_.after(period_, [this] { read_threads(); });
  period_ = std::min(2 * period_, kLastPeriod);
}

TaskScreen TaskWatch::screen() const {
  auto seen = std::make_shared<Seen>();
  return TaskScreen(
      [this, seen](std::int32_t pid) {
        look_at({pid}, *seen);
        return seen->at(pid);
      },
      [this, seen](const std::set<std::int32_t>& pids) { look_at(pids, *seen); });
}

// Each look takes a process, and somebody who forks can fill a trace with tasks.
void TaskWatch::look_at(const std::set<std::int32_t>& pids, Seen& seen) const {
  constexpr std::size_t kAtOnce = 4096;
  std::vector<std::int32_t> asked;
  for (const std::int32_t pid : pids) {
    const bool is_own = numbers_are_ours_ && own_.contains(pid);
    if (seen.try_emplace(pid, is_own).second && numbers_are_ours_ && !is_own) asked.push_back(pid);
  }
  for (std::size_t at = 0; at < asked.size(); at += kAtOnce) {
    const auto some = std::span(asked).subspan(at, std::min(kAtOnce, asked.size() - at));
    // Absent if one of the tasks lets its readers wait.
    std::istringstream shown(look_aside(&look_at_tasks, fmt::format("{} {} {}\n{}", viewer_, began_ticks_,
                                                                    fmt::join(some, " "), proc_))
                                 .value_or(""));
    for (std::int32_t pid = 0; shown >> pid;) seen[pid] = true;
  }
}

}  // namespace netperfd::trace
