// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/confined/confinement.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <string>
#include <string_view>

#include "daemon/base/fd.hpp"
#include "daemon/confined/call_filter.hpp"

namespace netperfd::confined {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

Status set_limit(__rlimit_resource resource, std::uint64_t value, const char* name) {
  // At the soft limit of CPU time a process gets SIGXCPU, which shows why it died; at the hard limit SIGKILL.
  const rlimit limit{value, resource == RLIMIT_CPU ? value + 1 : value};
  if (::setrlimit(resource, &limit) != 0) return fail_errno(name, errno);
  return {};
}

Status set_limits(const Confinement& confinement) {
  struct Limit {
    __rlimit_resource resource;
    std::uint64_t value;
    const char* name;
  };
  const std::array<Limit, 5> limits{{
      {RLIMIT_CPU, confinement.cpu_seconds, "limit CPU time"},
      {RLIMIT_FSIZE, 0, "limit written files"},
      {RLIMIT_CORE, 0, "limit core files"},
      {RLIMIT_NPROC, 0, "limit processes"},
      {RLIMIT_NICE, 0, "limit its priority"},
  }};
  for (const auto& [resource, value, name] : limits) {
    if (auto set = set_limit(resource, value, name); !set) return set;
  }
  if (kSanitized) return {};  // sanitizers map more memory than exists, and read memory through pipes
  if (auto set = set_limit(RLIMIT_NOFILE, STDERR_FILENO + 1, "limit open files"); !set) return set;
  return set_limit(RLIMIT_AS, confinement.memory_bytes, "limit memory");
}

// Drops them for root too, since a configuration may name root as the user.
Status drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  if (::syscall(SYS_capset, &header, none.data()) != 0) return fail_errno("drop capabilities", errno);
  return {};
}

Status become(uid_t uid, gid_t gid) {
  if (::geteuid() == 0 && ::setgroups(0, nullptr) != 0) return fail_errno("drop groups", errno);
  if (::setresgid(gid, gid, gid) != 0) return fail_errno("set the group", errno);
  if (::setresuid(uid, uid, uid) != 0) return fail_errno("set the user", errno);
  return drop_capabilities();
}

// After the change of user, which clears the death signal.
Status tie_to(pid_t parent) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail_errno("give up new privileges", errno);
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return fail_errno("close itself to tracers", errno);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return fail_errno("set the death signal", errno);
  // The parent may have died before the signal was asked for.
  if (::getppid() != parent) return fail_errno("find its parent", ESRCH);
  return {};
}

Status write_setting(const char* path, std::string_view value) {
  const Fd file{::open(path, O_WRONLY | O_CLOEXEC)};
  if (!file || ::write(file.get(), value.data(), value.size()) < 0) {
    return fail_errno(std::string{"write "} + path, errno);
  }
  return {};
}

// If memory is short, the kernel kills this process first. If CPUs are busy, this process waits or, for
// somebody who waits for its answer, gets about a tenth of a CPU: a measurement may be under way. The next
// measurement waits for a report, so its process does not stand back from a CPU.
Status stand_back(Task task) {
  if (auto set = write_setting("/proc/self/oom_score_adj", "1000"); !set) return set;
  if (task == Task::read_report) return {};
  if (task == Task::read_database) {
    constexpr int kLow = 10;
    if (::setpriority(PRIO_PROCESS, 0, kLow) != 0) return fail_errno("lower its priority", errno);
    // With autogroups, the kernel shares the CPUs among sessions first, and this process has its own. Kernels
    // without them lack the file.
    (void)write_setting("/proc/self/autogroup", "10");
    return {};
  }
  const sched_param none{};
  if (::sched_setscheduler(0, SCHED_IDLE, &none) != 0) return fail_errno("become idle work", errno);
  return {};
}

}  // namespace

bool is_built_with_sanitizers() {
  return kSanitized;
}

Status close_inherited() {
  if (::close_range(STDERR_FILENO + 1, UINT_MAX, 0) != 0) return fail_errno("close files", errno);
  return {};
}

Status confine(const Confinement& confinement, Task task) {
  if (task != Task::read_database) {
    if (auto closed = close_inherited(); !closed) return closed;
  }
  ::umask(077);
  if (auto stood = stand_back(task); !stood) return stood;
  if (auto set = set_limits(confinement); !set) return set;
  if (auto set = become(confinement.uid, confinement.gid); !set) return set;
  if (auto set = tie_to(confinement.parent); !set) return set;
  return kSanitized ? Status{} : filter_calls(task);
}

}  // namespace netperfd::confined
