// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/run_group.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <sstream>
#include <utility>

#include "daemon/workload/group_lock.hpp"

namespace netperfd::workload {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

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

// A netperfd that starts takes a group without a lock for one that was left, and may be faster than this one.
Result<RunGroup> RunGroup::make(const std::string& directory) {
  constexpr int kTurns = 100;
  static std::uint64_t made = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    std::string path = fmt::format("{}/{}{}-{}", directory, kGroupPrefix, ::getpid(), ++made);
    // Others than root cannot enter it. A process of another PID namespace, or a dead one, may have the same
    // number.
    if (::mkdir(path.c_str(), 0700) != 0) {
      if (errno == EEXIST) continue;
      return fail_errno("mkdir " + path, errno);
    }
    auto lock = lock_group(path);
    if (lock && *lock) return RunGroup(std::move(path), std::move(**lock));
    if (lock) continue;
    (void)::rmdir(path.c_str());
    return std::unexpected(std::move(lock.error()));
  }
  return fail(ErrorKind::busy, fmt::format("{}: no name for a cgroup is free there", directory));
}

RunGroup::RunGroup(std::string path, ProcessLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}

RunGroup::RunGroup(RunGroup&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

RunGroup::~RunGroup() {
  if (!path_.empty()) (void)end_group(path_);
}

std::vector<pid_t> RunGroup::members() const {
  std::vector<pid_t> members;
  const auto text = read_file(path_ + "/cgroup.procs", kMostBytes);
  if (!text) return members;
  std::istringstream lines(*text);
  for (pid_t pid = 0; lines >> pid;) members.push_back(pid);
  return members;
}

std::size_t RunGroup::size() const {
  return members().size();
}

bool RunGroup::end() {
  if (path_.empty()) return true;
  if (!end_group(path_)) return false;
  lock_ = {};
  path_.clear();
  return true;
}

}  // namespace netperfd::workload
