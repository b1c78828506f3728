// `netperfd --child`: the few steps between the daemon's posix_spawn and the workload's exec, in a process of
// their own.
//
// The daemon may not fork and then run code of its own choice (other threads, other locks), and the steps
// here change the whole process (network namespace, user). So it spawns its own program anew; that process
// obeys one LaunchOrder, reports LaunchReports over its control socket, waits there for one byte and becomes
// the workload:
//
//   launcher                                            daemon
//     namespace, CPU, limits, user, death signal
//     {ready} ------------------------------------------->    told its owner; everything is in place
//     <---------------------------------------- one byte      Child::release(): the moment of the start
//     execv: the socket closes itself ------------------->    end of file: the workload runs
//     or {the step that failed, errno} and exit 127 ------>    an error with its reason
//
// End of file instead of the byte means that the daemon is gone: the launcher ends without having run
// anything.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd::workload {

inline constexpr std::string_view kLauncherFlag = "--child";
inline constexpr int kControlFd = 3;         // the launcher's end of the control socket (SOCK_SEQPACKET)
inline constexpr int kLauncherFailed = 127;  // exit code after a report of a failed step

struct LaunchOrder {
  std::vector<std::string> argv;  // what to run; argv[0] is an absolute path
  std::string netns;              // a name under /run/netns; empty: the daemon's own
  std::optional<std::uint32_t> cpu;
  uid_t uid = 0;
  gid_t gid = 0;
};

enum class LaunchStep : std::int32_t {
  ready,
  read_order,
  open_namespace,
  enter_namespace,
  set_affinity,
  set_limits,
  drop_groups,
  set_group,
  set_user,
  set_no_new_privileges,
  set_death_signal,
  reset_signals,
  close_files,
  exec,
};

// One packet on the control socket.
struct LaunchReport {
  LaunchStep step = LaunchStep::ready;
  std::int32_t error_number = 0;
  // CPU time the launcher itself has used up to here: exec does not reset it, so the workload's figures
  // contain it.
  std::int64_t user_us = 0;
  std::int64_t system_us = 0;
};

// The launcher's command line for `order`; `parent` is the process it must not outlive.
[[nodiscard]] std::vector<std::string> launcher_argv(const LaunchOrder& order, pid_t parent);

// What was tried: `enter network namespace "left"`.
[[nodiscard]] std::string describe(LaunchStep step, const LaunchOrder& order);

// The whole life of a launcher process; main calls it before anything else where argv[1] is kLauncherFlag:
//   return run_launcher(argc, argv);
// It never returns: the process becomes the workload, or ends with kLauncherFailed and without exit handlers.
[[noreturn]] int run_launcher(int argc, char** argv);

}  // namespace netperfd::workload
