// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/run_group.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"

namespace netperfd::workload {
namespace {

constexpr std::string_view kPrefix = "netperfd-run-";  // PID-START-NUMBER follows
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

// Start of the process in clock ticks since the boot: with its number, it names a process for good.
std::optional<std::uint64_t> start_of(const std::string& proc, std::string_view pid) {
  constexpr int kFieldsBehindName = 20;  // from the state, the third, to the start, the 22nd
  const auto text = read_file(fmt::format("{}/{}/stat", proc, pid), kMostBytes);
  if (!text) return std::nullopt;
  const auto name_end = text->rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream words(text->substr(name_end + 1));
  std::string word;
  for (int i = 0; i < kFieldsBehindName; ++i) words >> word;
  std::uint64_t start = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), start);
  return words && error == std::errc{} && end == word.data() + word.size() ? std::optional(start)
                                                                           : std::nullopt;
}

// "12 0:31 / /sys/fs/cgroup rw,... - cgroup2 cgroup2 rw": the root within the hierarchy, and where it is.
struct CgroupMount {
  std::string root;
  std::string place;
};

std::optional<CgroupMount> find_mount(const std::string& proc) {
  const auto text = read_file(proc + "/self/mountinfo", kMostBytes);
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos || !line.substr(dash).starts_with(" - cgroup2 ")) continue;
    std::istringstream words(line);
    std::string id, parent, device;
    CgroupMount mount;
    if (words >> id >> parent >> device >> mount.root >> mount.place) return mount;
  }
  return std::nullopt;
}

// Path of this process's cgroup in the hierarchy, from the line "0::/system.slice/netperfd.service".
std::optional<std::string> own_path(const std::string& proc) {
  const auto text = read_file(proc + "/self/cgroup", kMostBytes);
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return std::nullopt;
}

Status write_file(const std::string& path, std::string_view text) {
  const Fd file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (!file) return fail_errno(path, errno);
  if (::write(file.get(), text.data(), text.size()) < 0) return fail_errno(path, errno);
  return {};
}

// Whether the group is gone.
bool end_group(const std::string& path) {
  (void)write_file(path + "/cgroup.kill", "1");
  // A process may have made cgroups below it only as root; rmdir says so, and the group stays.
  return ::rmdir(path.c_str()) == 0 || errno == ENOENT;
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

GroupSite missing(std::string why) {
  return {{}, std::move(why)};
}

}  // namespace

GroupSite find_group_site(const std::string& proc) {
  const auto mount = find_mount(proc);
  if (!mount) return missing("no cgroup hierarchy of version 2 is mounted");
  auto path = own_path(proc);
  if (!path) return missing("netperfd is in no cgroup of version 2");
  // systemd runs --cleanup beside the service's own processes.
  constexpr std::string_view kControl = "/.control";
  if (path->ends_with(kControl)) path->resize(path->size() - kControl.size());
  if (mount->root != "/") {
    if (!path->starts_with(mount->root)) return missing("the cgroup of netperfd is not mounted");
    path->erase(0, mount->root.size());
  }
  std::string directory = mount->place + *path;
  while (directory.ends_with('/')) directory.pop_back();
  auto tried = RunGroup::make(directory);
  if (!tried) return missing(tried.error().message);
  if (::access((tried->path() + "/cgroup.kill").c_str(), W_OK) != 0) {
    return missing("this kernel has no cgroup.kill; Linux 5.14 has");
  }
  return {std::move(directory), {}};
}

std::size_t remove_left_groups(const std::string& directory, const std::string& proc) {
  std::vector<std::string> left;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (!name.starts_with(kPrefix)) continue;
    const std::string_view rest = std::string_view(name).substr(kPrefix.size());
    const auto pid = rest.substr(0, rest.find('-'));
    const auto start = rest.substr(std::min(pid.size() + 1, rest.size()));
    const auto alive = start_of(proc, pid);
    if (!alive || std::to_string(*alive) != start.substr(0, start.find('-'))) left.push_back(entry->path());
  }
  for (const std::string& path : left) {
    if (end_group(path)) continue;
    await_empty(path);
    (void)end_group(path);
  }
  return left.size();
}

Result<RunGroup> RunGroup::make(const std::string& directory) {
  static std::atomic<std::uint64_t> made = 0;
  static const std::uint64_t start = start_of("/proc", "self").value_or(0);
  std::string path = fmt::format("{}/{}{}-{}-{}", directory, kPrefix, ::getpid(), start, ++made);
  if (::mkdir(path.c_str(), 0755) != 0) return fail_errno("mkdir " + path, errno);
  return RunGroup(std::move(path));
}

RunGroup::RunGroup(RunGroup&& other) noexcept : path_(std::exchange(other.path_, {})) {}

RunGroup::~RunGroup() {
  if (!path_.empty()) (void)end_group(path_);
}

std::size_t RunGroup::size() const {
  const auto text = read_file(path_ + "/cgroup.procs", kMostBytes);
  return text ? static_cast<std::size_t>(std::ranges::count(*text, '\n')) : 0;
}

bool RunGroup::end() {
  if (path_.empty()) return true;
  if (!end_group(path_)) return false;
  path_.clear();
  return true;
}

}  // namespace netperfd::workload
