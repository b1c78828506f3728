// Starting processes of our own program.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"

namespace netperfd {

// posix_spawn's parameters for a process that inherits nothing of the daemon but what it is given: signals as
// they are by default, a process group of its own, / as its directory, nothing to read on its standard input.
// A failure to fill them (ENOMEM) is kept and told by spawn().
class SpawnPlan {
 public:
  SpawnPlan();
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan();

  // The process gets `fd` as its `target`. Steps are taken one after the other: `fd` is one of
  // out_of_the_way() where more than one is given.
  void give(const Fd& fd, int target);
  void give_nothing(int target);  // /dev/null
  // Instead of a process group alone.
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

// A copy of `fd` with a number beyond all that a plan gives to a process.
[[nodiscard]] Result<Fd> out_of_the_way(const Fd& fd);

// "signal 9 (Killed)".
[[nodiscard]] std::string signal_text(int number);

}  // namespace netperfd
