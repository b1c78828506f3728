// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/launcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
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

#include "daemon/base/fd.hpp"
#include "daemon/workload/guard_fds.hpp"

namespace netperfd::workload {
namespace {

// The command line: program, kLauncherFlag, these seven, then the workload's own argv.
enum Position { parent_at = 2, uid_at, gid_at, netns_at, cpu_at, group_at, guarding_at, argv_at };

constexpr std::string_view kNoCpu = "-";

// iperf3 waits with select(), which cannot handle more than FD_SETSIZE descriptors.
constexpr rlim_t kMaxFiles = 1024;

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
  if (argv[cpu_at] != kNoCpu && !read_number(argv[cpu_at], received.order.cpu.emplace())) return std::nullopt;
  received.order.group = argv[group_at];
  std::uint8_t guarding = 0;
  if (!read_number(argv[guarding_at], guarding)) return std::nullopt;
  received.order.guarding = static_cast<Guarding>(guarding);
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

Outcome set_affinity(std::uint32_t cpu) {
  if (cpu >= CPU_SETSIZE) return Failure{LaunchStep::set_affinity, EINVAL};
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) return failed(LaunchStep::set_affinity);
  return std::nullopt;
}

Outcome set_limits() {
  const rlimit no_core{0, 0};
  if (::setrlimit(RLIMIT_CORE, &no_core) != 0) return failed(LaunchStep::set_limits);
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return failed(LaunchStep::set_limits);
  files.rlim_cur = files.rlim_max = std::min(files.rlim_max, kMaxFiles);
  if (::setrlimit(RLIMIT_NOFILE, &files) != 0) return failed(LaunchStep::set_limits);
  // The daemon may have nice values below 0 for its own threads.
  const rlimit no_priority{0, 0};
  if (::setrlimit(RLIMIT_NICE, &no_priority) != 0) return failed(LaunchStep::set_limits);
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
  if (!outcome && order.cpu) outcome = set_affinity(*order.cpu);
  if (!outcome) outcome = set_limits();
  if (!outcome) outcome = become(order.uid, order.gid);
  if (!outcome) outcome = tie_to(received.parent);
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
  std::vector<std::string> argv{"netperfd",
                                std::string{kLauncherFlag},
                                std::to_string(parent),
                                std::to_string(order.uid),
                                std::to_string(order.gid),
                                order.netns,
                                order.cpu ? std::to_string(*order.cpu) : std::string{kNoCpu},
                                order.group,
                                std::to_string(static_cast<int>(order.guarding))};
  argv.insert(argv.end(), order.argv.begin(), order.argv.end());
  return argv;
}

std::string describe(LaunchStep step, const LaunchOrder& order) {
  switch (step) {
    case LaunchStep::ready:
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
      return fmt::format("bind to CPU {}", order.cpu.value_or(0));
    case LaunchStep::set_limits:
      return "set resource limits";
    case LaunchStep::drop_groups:
      return "drop supplementary groups";
    case LaunchStep::set_group:
      return fmt::format("become group {}", order.gid);
    case LaunchStep::set_user:
      return fmt::format("become user {}", order.uid);
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
  if (const std::optional<Received> received = read_order(argc, argv); !received) {
    report({LaunchStep::read_order, EINVAL});
  } else if (const Outcome outcome = prepare(*received)) {
    report(*outcome);
  } else {
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
