// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/left_groups.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/workload/group_lock.hpp"

namespace netperfd::workload {
namespace {

constexpr std::size_t kMostProcBytes = std::size_t{1} << 20;
// Of a netperfd that held no locks yet; PID-START-NUMBER follows.
constexpr std::string_view kOldPrefix = "netperfd-run-";

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename());
  }
  return names;
}

// Start of the process in clock ticks since the boot.
std::string start_of(const std::string& process) {
  constexpr int kFieldsBehindName = 20;  // from the state, the third, to the start, the 22nd
  const auto text = read_file(process + "/stat", kMostProcBytes);
  const auto name_end = text ? text->rfind(')') : std::string::npos;
  if (name_end == std::string::npos) return "";
  std::istringstream words(text->substr(name_end + 1));
  std::string word;
  for (int i = 0; i < kFieldsBehindName; ++i) words >> word;
  return words ? word : "";
}

// Its number in its own PID namespace.
std::string own_number_of(const std::string& process) {
  const auto text = read_file(process + "/status", kMostProcBytes);
  const auto line = text ? text->find("\nNSpid:") : std::string::npos;
  if (line == std::string::npos) return "";
  const auto first = line + std::string_view("\nNSpid:").size();
  std::istringstream words(text->substr(first, text->find('\n', first) - first));
  std::string word;
  while (words >> word) {
  }
  return word;
}

// The owner of a cgroup of an older netperfd may live in this PID namespace or in one below it, where it is
// seen here. In any other one, its processes are not seen either: they are numbered 0.
bool is_left_old(const std::string& path, std::string_view rest, const std::string& proc) {
  const std::string pid(rest.substr(0, rest.find('-')));
  const std::string_view behind = rest.substr(std::min(pid.size() + 1, rest.size()));
  const std::string start(behind.substr(0, behind.find('-')));
  for (const std::string& process : names_in(proc)) {
    if (process.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string place = proc + "/" + process;
    if (start_of(place) == start && own_number_of(place) == pid) return false;
  }
  const auto members = read_file(path + "/cgroup.procs", kMostProcBytes);
  return members && !members->starts_with("0\n") && members->find("\n0\n") == std::string::npos;
}

// Killed processes take a moment: waits until the group has none, for a second at most.
void await_empty(const std::string& path) {
  const Fd events{::open((path + "/cgroup.events").c_str(), O_RDONLY | O_CLOEXEC)};
  if (!events) return;
  constexpr std::chrono::milliseconds kLongest{1000};
  const auto deadline = std::chrono::steady_clock::now() + kLongest;
  std::array<char, 256> text{};
  for (;;) {
    // Each read arms the next notification of a change.
    const ssize_t got = ::pread(events.get(), text.data(), text.size(), 0);
    const std::string_view lines(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    if (lines.find("populated 1") == std::string_view::npos) return;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd change{events.get(), POLLPRI, 0};
    if (left.count() <= 0 || ::poll(&change, 1, static_cast<int>(left.count())) <= 0) return;
  }
}

}  // namespace

std::size_t remove_left_groups(const std::string& directory, const std::string& proc) {
  std::size_t removed = 0;
  for (const std::string& name : names_in(directory)) {
    const std::string path = directory + "/" + name;
    std::optional<ProcessLock> owned;  // until it is removed, so that no other netperfd does the same
    if (name.starts_with(kGroupPrefix)) {
      auto locked = lock_group(path);
      if (!locked || !*locked) continue;
      owned = std::move(*locked);
    } else if (!name.starts_with(kOldPrefix) ||
               !is_left_old(path, std::string_view(name).substr(kOldPrefix.size()), proc)) {
      continue;
    }
    ++removed;
    if (end_group(path)) continue;
    await_empty(path);
    (void)end_group(path);
  }
  return removed;
}

}  // namespace netperfd::workload
