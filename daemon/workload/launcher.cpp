// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/launcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <grp.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <optional>

#include "daemon/base/fd.hpp"
#include "daemon/workload/guard_fds.hpp"
#include "daemon/workload/job/programs.hpp"
#include "daemon/workload/unit_launcher.hpp"

namespace netperfd::workload {
namespace {

// The command line: program, kLauncherFlag, these ten, then the workload's own argv.
enum Position {
  parent_at = 2,
  uid_at,
  gid_at,
  netns_at,
  cpus_at,
  group_at,
  guarding_at,
  directory_at,
  select_at,
  file_bytes_at,
  argv_at
};

constexpr std::string_view kAnyCpu = "-";

// FD_SETSIZE: select() cannot handle more descriptors.
constexpr rlim_t kMaxSelected = 1024;
constexpr rlim_t kMaxFiles = 65'536;

struct Failure {
  LaunchStep step = LaunchStep::ready;
  int error_number = 0;
};
using Outcome = std::optional<Failure>;

// Names `step` as failed, with errno.
Outcome failed(LaunchStep step) {
  return Failure{step, errno};
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// "2,3"
bool read_cpus(std::string_view text, std::vector<std::uint32_t>& cpus) {
  if (text == kAnyCpu) return true;
  for (;;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (!read_number(text.substr(0, comma), cpus.emplace_back())) return false;
    if (comma == text.size()) return true;
    text.remove_prefix(comma + 1);
  }
}

struct Received {
  pid_t parent = 0;
  LaunchOrder order;
};

std::optional<Received> read_order(int argc, char** argv) {
  if (argc <= argv_at) return std::nullopt;
  Received received;
  if (!read_number(argv[parent_at], received.parent)) return std::nullopt;
  if (!read_number(argv[uid_at], received.order.uid)) return std::nullopt;
  if (!read_number(argv[gid_at], received.order.gid)) return std::nullopt;
  received.order.netns = argv[netns_at];
  if (!read_cpus(argv[cpus_at], received.order.cpus)) return std::nullopt;
  received.order.group = argv[group_at];
  std::uint8_t guarding = 0;
  if (!read_number(argv[guarding_at], guarding)) return std::nullopt;
  received.order.guarding = static_cast<Guarding>(guarding);
  received.order.directory = argv[directory_at];
  std::uint8_t select = 0;
  if (!read_number(argv[select_at], select)) return std::nullopt;
  received.order.waits_with_select = select != 0;
  if (!read_number(argv[file_bytes_at], received.order.most_file_bytes)) return std::nullopt;
  received.order.argv.assign(argv + argv_at, argv + argc);
  return received;
}

void report(const Failure& failure, const GuardFds& guard = {}) {
  LaunchReport packet{
      .step = failure.step, .error_number = failure.error_number, .stops_calls = guard.stops_calls};
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) == 0) {
    constexpr std::int64_t kSecond = 1'000'000;
    packet.user_us = used.ru_utime.tv_sec * kSecond + used.ru_utime.tv_usec;
    packet.system_us = used.ru_stime.tv_sec * kSecond + used.ru_stime.tv_usec;
  }
  // If the daemon is gone, the send fails, and the end of file that follows ends this process.
  (void)send_report(kControlFd, packet, guard);
}

// First of all, so that nothing that follows is outside of it.
Outcome enter_group(const std::string& directory) {
  const Fd file{::open((directory + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC)};
  if (!file) return failed(LaunchStep::enter_group);
  if (::write(file.get(), "0", 1) != 1) return failed(LaunchStep::enter_group);  // 0: the writer
  return std::nullopt;
}

Outcome enter_namespace(const std::string& name) {
  if (name.find('/') != std::string::npos) return Failure{LaunchStep::open_namespace, EINVAL};
  const Fd netns{::open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC)};
  if (!netns) return failed(LaunchStep::open_namespace);
  if (::setns(netns.get(), CLONE_NEWNET) != 0) return failed(LaunchStep::enter_namespace);
  return std::nullopt;
}

Outcome set_affinity(const std::vector<std::uint32_t>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const std::uint32_t cpu : cpus) {
    if (cpu >= CPU_SETSIZE) return Failure{LaunchStep::set_affinity, EINVAL};
    CPU_SET(cpu, &set);
  }
  if (::sched_setaffinity(0, sizeof set, &set) != 0) return failed(LaunchStep::set_affinity);
  return std::nullopt;
}

Outcome set_limits(const LaunchOrder& order) {
  const rlimit no_core{0, 0};
  if (::setrlimit(RLIMIT_CORE, &no_core) != 0) return failed(LaunchStep::set_limits);
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return failed(LaunchStep::set_limits);
  files.rlim_cur = files.rlim_max =
      std::min(files.rlim_max, order.waits_with_select ? kMaxSelected : kMaxFiles);
  if (::setrlimit(RLIMIT_NOFILE, &files) != 0) return failed(LaunchStep::set_limits);
  const rlimit file{order.most_file_bytes, order.most_file_bytes};
  if (order.most_file_bytes > 0 && ::setrlimit(RLIMIT_FSIZE, &file) != 0)
    return failed(LaunchStep::set_limits);
  // The daemon may have nice values below 0 for its own threads.
  const rlimit no_priority{0, 0};
  if (::setrlimit(RLIMIT_NICE, &no_priority) != 0) return failed(LaunchStep::set_limits);
  // Workload and daemon share the memory of the unit, and the daemon is needed for longer.
  const Fd score{::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)};
  if (!score || ::write(score.get(), "500", 3) != 3) return failed(LaunchStep::set_limits);
  ::umask(077);
  return std::nullopt;
}

// Only root can drop supplementary groups. Any other user stays the same and can only be asked for itself.
Outcome become(uid_t uid, gid_t gid) {
  if (::geteuid() == 0 && ::setgroups(0, nullptr) != 0) return failed(LaunchStep::drop_groups);
  if (::setresgid(gid, gid, gid) != 0) return failed(LaunchStep::set_group);
  if (::setresuid(uid, uid, uid) != 0) return failed(LaunchStep::set_user);
  return std::nullopt;
}

// Must follow the change of user, which clears the death signal.
Outcome tie_to(pid_t parent) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed(LaunchStep::set_no_new_privileges);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return failed(LaunchStep::set_death_signal);
  // The parent may have died before the signal was set.
  if (::getppid() != parent) return Failure{LaunchStep::set_death_signal, ESRCH};
  return std::nullopt;
}

// exec keeps the signal mask and ignored signals: the daemon blocks SIGTERM, so iperf3 would never receive
// it.
Outcome reset_signals() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action{};
    action.sa_handler = SIG_DFL;
    // SIGKILL, SIGSTOP and the C library's own signals refuse this, but need no reset.
    (void)::sigaction(number, &action, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  if (const int error_number = ::pthread_sigmask(SIG_SETMASK, &none, nullptr); error_number != 0) {
    return Failure{LaunchStep::reset_signals, error_number};
  }
  return std::nullopt;
}

Outcome prepare(const Received& received) {
  const LaunchOrder& order = received.order;
  Outcome outcome;
  if (!order.group.empty()) outcome = enter_group(order.group);
  if (!outcome && !order.netns.empty()) outcome = enter_namespace(order.netns);
  if (!outcome && !order.cpus.empty()) outcome = set_affinity(order.cpus);
  if (!outcome) outcome = set_limits(order);
  const bool in_unit = received.parent == kInUnit;
  if (!outcome && !in_unit) outcome = become(order.uid, order.gid);
  if (!outcome && !order.directory.empty() && ::chdir(order.directory.c_str()) != 0)
    outcome = failed(LaunchStep::enter_directory);
  if (!outcome && !in_unit) outcome = tie_to(received.parent);
  if (!outcome) outcome = reset_signals();
  // From here on only stdin, stdout and stderr survive exec, even if somebody forgot O_CLOEXEC.
  if (!outcome && ::close_range(kControlFd, UINT_MAX, CLOSE_RANGE_CLOEXEC) != 0) {
    outcome = failed(LaunchStep::close_files);
  }
  return outcome;
}

bool wait_for_release() {
  char byte = 0;
  ssize_t got = 0;
  do {
    got = ::recv(kControlFd, &byte, sizeof byte, 0);
  } while (got < 0 && errno == EINTR);
  return got == 1;
}

}  // namespace

std::vector<std::string> launcher_argv(const LaunchOrder& order, pid_t parent) {
  std::vector<std::string> argv{
      "netperfd",
      std::string{kLauncherFlag},
      std::to_string(parent),
      std::to_string(order.uid),
      std::to_string(order.gid),
      order.netns,
      order.cpus.empty() ? std::string{kAnyCpu} : fmt::format("{}", fmt::join(order.cpus, ",")),
      order.group,
      std::to_string(static_cast<int>(order.guarding)),
      order.directory,
      order.waits_with_select ? "1" : "0",
      std::to_string(order.most_file_bytes)};
  argv.insert(argv.end(), order.argv.begin(), order.argv.end());
  return argv;
}

// TMPDIR is not set: iperf3 creates the (immediately unlinked) file for its buffer in /tmp, which every user
// may write and which PrivateTmp= keeps writable under ProtectSystem=strict.
std::vector<std::string> launcher_environment(const LaunchOrder& order) {
  std::vector<std::string> variables{
      fmt::format("PATH={}", kProgramPath), "LC_ALL=C",
      fmt::format("HOME={}", order.directory.empty() ? "/" : order.directory.c_str())};
  variables.insert(variables.end(), order.environment.begin(), order.environment.end());
  return variables;
}

std::string describe(LaunchStep step, const LaunchOrder& order) {
  switch (step) {
    case LaunchStep::ready:
    case LaunchStep::staying:
    case LaunchStep::ended:
      return "wait for the release";
    case LaunchStep::read_order:
      return "read the launch order";
    case LaunchStep::enter_group:
      return fmt::format("enter the cgroup {}", order.group);
    case LaunchStep::open_namespace:
      return fmt::format("open network namespace \"{}\"", order.netns);
    case LaunchStep::enter_namespace:
      return fmt::format("enter network namespace \"{}\"", order.netns);
    case LaunchStep::set_affinity:
      return fmt::format("bind to CPU {}", fmt::join(order.cpus, ", "));
    case LaunchStep::set_limits:
      return "set resource limits";
    case LaunchStep::drop_groups:
      return "drop supplementary groups";
    case LaunchStep::set_group:
      return fmt::format("become group {}", order.gid);
    case LaunchStep::set_user:
      return fmt::format("become user {}", order.uid);
    case LaunchStep::enter_directory:
      return fmt::format("enter the directory {}", order.directory);
    case LaunchStep::set_no_new_privileges:
      return "give up new privileges";
    case LaunchStep::set_death_signal:
      return "tie its life to the daemon's";
    case LaunchStep::reset_signals:
      return "reset signals";
    case LaunchStep::close_files:
      return "close inherited files";
    case LaunchStep::exec:
      return fmt::format("execute {}", order.argv.empty() ? "" : order.argv.front());
  }
  return "launch";
}

int run_launcher(int argc, char** argv) {
  const std::optional<Received> received = read_order(argc, argv);
  const bool in_unit = received && received->parent == kInUnit;
  if (in_unit && !take_streams()) ::_exit(kLauncherFailed);
  if (!received) {
    report({LaunchStep::read_order, EINVAL});
  } else if (const Outcome outcome = prepare(*received)) {
    report(*outcome);
  } else {
    if (in_unit) {
      report({LaunchStep::staying, 0});
      stay_beside_child();
    }
    // After close_files, so that these end with exec. What is missing is told to the daemon, which decides.
    const GuardFds guard = open_guard(received->order.guarding);
    report({LaunchStep::ready, guard.error_number}, guard);
    if (wait_for_release()) {
      ::execv(argv[argv_at], argv + argv_at);
      report({LaunchStep::exec, errno});
    }
  }
  // Without exit handlers: they belong to the daemon's program, which has not started anything here.
  ::_exit(kLauncherFailed);
}

}  // namespace netperfd::workload
