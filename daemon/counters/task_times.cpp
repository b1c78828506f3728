// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/task_times.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <system_error>
#include <type_traits>
#include <vector>

#include "daemon/base/aside.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/counters/proc_file.hpp"

namespace netperfd::counters {
namespace {

constexpr std::uint64_t kKernelThread = 0x00200000;  // PF_KTHREAD of include/linux/sched.h
constexpr std::array<std::string_view, 4> kPacketThreadNames{"ksoftirqd/", "napi/", "irq/", "kworker/"};

// A comm may contain anything, blanks and parentheses too.
std::string_view comm_of(std::string_view text, std::size_t end) {
  const std::size_t begin = text.find('(');
  return begin < end ? text.substr(begin + 1, end - begin - 1) : std::string_view{};
}

// As a look returns it.
struct Row {
  pid_t pid = 0;
  TaskTime time;
};
static_assert(std::is_trivially_copyable_v<Row>);

// A row for each task, behind one byte; empty if they cannot be read.
std::string rows_of(std::string_view proc) {
  const auto times = read_task_times(std::string(proc));
  if (!times) return {};
  std::string rows(1 + times->size() * sizeof(Row), '+');
  char* next = rows.data() + 1;
  for (const auto& [pid, time] : *times) {
    const Row row{pid, time};
    std::memcpy(next, &row, sizeof row);
    next += sizeof row;
  }
  return rows;
}

}  // namespace

std::optional<std::pair<pid_t, TaskTime>> parse_task_stat(std::string_view text) {
  enum Column : std::uint8_t { flags = 6, user = 11, system, children_user, children_system, began = 19 };
  const std::size_t end = text.rfind(')');
  if (end == std::string_view::npos) return std::nullopt;
  const auto pid = parse_number<pid_t>(text.substr(0, text.find(' ')));
  const std::vector<std::string_view> words = words_of(text.substr(end + 1));
  if (!pid || words.size() <= Column::began) return std::nullopt;
  const auto number = [&](Column column) { return parse_number<std::uint64_t>(words[column]).value_or(0); };
  const bool of_kernel = (number(Column::flags) & kKernelThread) != 0;
  const std::string_view comm = comm_of(text, end);
  TaskTime time{.began = number(Column::began),
                .own = number(Column::user) + number(Column::system),
                .waited = number(Column::children_user) + number(Column::children_system),
                .serves_packets = of_kernel && std::ranges::any_of(kPacketThreadNames, [&](auto name) {
                                    return comm.starts_with(name);
                                  })};
  time.softirqs = time.serves_packets && comm.starts_with(kPacketThreadNames.front());
  return std::pair{*pid, time};
}

std::optional<TaskTimes> read_task_times(const std::string& proc, std::size_t most) {
  std::error_code error;
  std::filesystem::directory_iterator entry(proc, error);
  if (error) return std::nullopt;
  TaskTimes times;
  std::array<char, 1024> text{};  // longer than any line of the kernel
  for (; !error && entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
    const std::string& path = entry->path().native();
    const char first = path[path.rfind('/') + 1];
    if (first < '1' || first > '9') continue;
    if (times.size() == most) return std::nullopt;
    const Fd file = open_to_read(path + "/stat");
    const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
    if (size <= 0) continue;
    if (auto task = parse_task_stat({text.data(), static_cast<std::size_t>(size)})) times.insert(*task);
  }
  return times;
}

std::optional<TaskTimes> look_at_task_times(const std::string& proc) {
  const auto rows = look_aside(&rows_of, proc);
  if (!rows || rows->empty()) return std::nullopt;
  TaskTimes times;
  for (std::size_t at = 1; at + sizeof(Row) <= rows->size(); at += sizeof(Row)) {
    Row row;
    std::memcpy(&row, rows->data() + at, sizeof row);
    times.emplace(row.pid, row.time);
  }
  return times;
}

TaskTicks ticks_between(const TaskTimes& before, const TaskTimes& after) {
  TaskTicks ticks;
  std::uint64_t waited = 0;
  for (const auto& [pid, now] : after) {
    const auto found = before.find(pid);
    const bool same = found != before.end() && found->second.began == now.began;
    const TaskTime then = same ? found->second : TaskTime{};
    const std::uint64_t own = now.own - std::min(then.own, now.own);
    (now.serves_packets ? ticks.packet_threads : ticks.tasks) += own;
    if (now.softirqs) ticks.ksoftirqd += own;
    if (own > 0) ++ticks.moved;
    waited += now.waited - std::min(then.waited, now.waited);
  }
  std::vector<std::uint64_t> ended;
  for (const auto& [pid, then] : before) {
    const auto found = after.find(pid);
    if (found == after.end() || found->second.began != then.began) ended.push_back(then.own + then.waited);
  }
  // Nobody waited for a process whose earlier time is longer than all that was waited for.
  std::ranges::sort(ended, std::greater<>{});
  for (const std::uint64_t earlier : ended) {
    if (earlier <= waited) waited -= earlier;
  }
  ticks.tasks += waited;
  return ticks;
}

}  // namespace netperfd::counters
