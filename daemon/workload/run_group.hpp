// SPDX-License-Identifier: GPL-2.0-or-later
// The cgroup of one run: its processes and all their descendants, so that none outlives it. A process can
// leave its parent, its session and its process group, but an unprivileged one cannot leave its cgroup.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/process_lock.hpp"

namespace netperfd::workload {

// Where the cgroups of runs are made.
struct GroupSite {
  std::string directory;  // netperfd's own cgroup, version 2; empty if none can be made there
  std::string missing;    // then a clause that says why
};

// Tries it by making one. `proc`: "/proc".
[[nodiscard]] GroupSite find_group_site(const std::string& proc = "/proc");

// Destroying it ends what is in it. Should a process resist, the next start removes the cgroup. Groups are
// made and ended by the main thread only.
class RunGroup {
 public:
  [[nodiscard]] static Result<RunGroup> make(const std::string& directory);
  RunGroup(RunGroup&& other) noexcept;
  RunGroup& operator=(RunGroup&&) = delete;
  RunGroup(const RunGroup&) = delete;
  RunGroup& operator=(const RunGroup&) = delete;
  ~RunGroup();

  // For LaunchOrder::group.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::vector<pid_t> members() const;
  // Number of processes in it, without those that only wait for their parent.
  [[nodiscard]] std::size_t size() const;
  // Kills all of them, at once and for good. Returns whether the cgroup is gone; a killed process takes a
  // moment to end, so call it again.
  [[nodiscard]] bool end();

 private:
  RunGroup(std::string path, ProcessLock lock);
  std::string path_;  // empty: gone, or moved from
  ProcessLock lock_;  // group_lock.hpp: it says that the owner lives
};

}  // namespace netperfd::workload
