// SPDX-License-Identifier: GPL-2.0-or-later
// `netperfd --child`: the few steps between the daemon's posix_spawn and the workload's exec, in a process of
// their own.
//
// The daemon may not fork and then run arbitrary code (other threads, other locks), and the steps here change
// the whole process (network namespace, user). So the daemon spawns its own program again. That process
// executes one LaunchOrder, sends LaunchReports over its control socket, waits there for one byte and becomes
// the workload:
//
//   launcher                                            daemon
//     cgroup, namespace, CPUs, limits, user, directory, death signal
//     {ready} ------------------------------------------->    tells its owner that everything is ready
//     <---------------------------------------- one byte      Child::release(): the moment of the start
//     execv: the socket closes itself ------------------->    end of file: the workload runs
//     or {the step that failed, errno} and exit 127 ------>    an error with its reason
//
// End of file instead of the byte means that the daemon is gone: the launcher then exits without running
// anything.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd::workload {

inline constexpr std::string_view kLauncherFlag = "--child";
inline constexpr int kControlFd = 3;         // the launcher's end of the control socket (SOCK_SEQPACKET)
inline constexpr int kLauncherFailed = 127;  // exit code after a failed step was reported

// What the launcher opens for ServerGuard. Both ends of a guarded test have a socket that asks the kernel
// about the sockets of their network namespace. The server also has its calls that take in connections
// stopped, each until the daemon answers it; the descriptor for that comes first.
enum class Guarding : std::uint8_t { none, server, client };

struct LaunchOrder {
  std::vector<std::string> argv;    // the program to run; argv[0] is an absolute path
  std::string netns;                // a name under /run/netns; empty: the daemon's own namespace
  std::vector<std::uint32_t> cpus;  // none: those of the daemon
  uid_t uid = 0;
  gid_t gid = 0;
  std::string group = {};  // the directory of the cgroup to run in; empty: the daemon's own
  std::vector<std::string> environment = {};  // NAME=VALUE, beside those of all workloads
  // Descriptors of these come with LaunchStep::ready.
  Guarding guarding = Guarding::none;
  std::string directory = {};         // to work in, entered as the user; empty: /
  bool waits_with_select = true;      // so that it cannot have more than FD_SETSIZE files open
  std::uint64_t most_file_bytes = 0;  // of a file that it writes; 0: no limit
  // With capabilities, it runs in a unit of systemd, which has entered the namespace; user and group are
  // root's then.
  std::vector<std::string> capabilities = {};
  std::vector<std::string> cleanup = {};  // run when the unit ends; argv[0] is an absolute path
};

enum class LaunchStep : std::int32_t {
  ready,
  staying,  // unit_launcher.hpp
  ended,    // likewise
  read_order,
  enter_group,
  open_namespace,
  enter_namespace,
  set_affinity,
  set_limits,
  drop_groups,
  set_group,
  set_user,
  enter_directory,
  set_no_new_privileges,
  set_death_signal,
  reset_signals,
  close_files,
  exec,
};

// One packet on the control socket.
struct LaunchReport {
  LaunchStep step = LaunchStep::ready;
  std::int32_t error_number = 0;  // with `ready`: why no descriptors of the guard came with it, or 0
  bool stops_calls = false;       // with `ready`: GuardFds::stops_calls
  // CPU time that the launcher itself has used: exec does not reset it, so the workload's figures include it.
  // With `ended`: that of the program.
  std::int64_t user_us = 0;
  std::int64_t system_us = 0;
  std::int32_t wait_status = 0;  // with `ended`: as of waitpid()
  std::int32_t left_behind = 0;  // with `ended`: processes that the program left
};

// The launcher's command line for `order`. The launcher is killed when the process `parent` dies; kInUnit: it
// has none.
[[nodiscard]] std::vector<std::string> launcher_argv(const LaunchOrder& order, pid_t parent);

// All of its environment, which the program gets too.
[[nodiscard]] std::vector<std::string> launcher_environment(const LaunchOrder& order);

// Words for a step: `enter network namespace "left"`.
[[nodiscard]] std::string describe(LaunchStep step, const LaunchOrder& order);

// The body of a launcher process. main calls it before anything else if argv[1] is kLauncherFlag:
//   return run_launcher(argc, argv);
// It never returns: the process becomes the workload, or exits with kLauncherFailed, without exit handlers.
[[noreturn]] int run_launcher(int argc, char** argv);

}  // namespace netperfd::workload
