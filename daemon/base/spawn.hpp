// SPDX-License-Identifier: GPL-2.0-or-later
// Starts processes that inherit nothing from the daemon but what they are given.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"

namespace netperfd {

// posix_spawn's parameters for such a process: default signal handling, a process group of its own, / as its
// directory and an empty standard input. An error while filling them (ENOMEM) is kept and returned by
// spawn().
class SpawnPlan {
 public:
  SpawnPlan();
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan();

  // The process gets `fd` as its `target`. Steps run one after the other: if more than one descriptor is
  // given, each must come from out_of_the_way().
  void give(const Fd& fd, int target);
  void give_nothing(int target);  // /dev/null
  // A session of its own instead of only a process group.
  void in_own_session();

  // 0 or an errno. `environment` has words like "HOME=/".
  [[nodiscard]] int spawn(pid_t& pid, const std::string& path, std::vector<std::string> argv,
                          std::vector<std::string> environment);

 private:
  void note(int error_number);
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  short flags_ = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
  int error_number_ = 0;
};

// Those of `children`, all processes that have this one as their parent, that no SpawnPlan has spawned: they
// were adopted when their own parent died.
[[nodiscard]] std::set<pid_t> adopted_of(const std::set<pid_t>& children);

// A copy of `fd` with a higher number than any target of a plan.
[[nodiscard]] Result<Fd> out_of_the_way(const Fd& fd);

// "signal 9 (Killed)".
[[nodiscard]] std::string signal_text(int number);

}  // namespace netperfd
