// SPDX-License-Identifier: GPL-2.0-or-later
// An unknown call fails instead of killing the process: C libraries try new ones and fall back on others.
#include "daemon/confined/call_filter.hpp"

#include <fcntl.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

namespace netperfd::confined {
namespace {

// Input and output, memory, the end, and time for deadlines. A call that this machine does not have has a
// negative number, and libseccomp adds no rule for it.
constexpr std::array kAllowed{
    SCMP_SYS(read),           SCMP_SYS(write),       SCMP_SYS(writev),        SCMP_SYS(fstat),
    SCMP_SYS(newfstatat),     SCMP_SYS(lseek),       SCMP_SYS(close),         SCMP_SYS(munmap),
    SCMP_SYS(mremap),         SCMP_SYS(madvise),     SCMP_SYS(brk),           SCMP_SYS(exit),
    SCMP_SYS(exit_group),     SCMP_SYS(futex),       SCMP_SYS(rt_sigreturn),  SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask), SCMP_SYS(getrandom),   SCMP_SYS(clock_gettime), SCMP_SYS(setitimer),
    SCMP_SYS(alarm),          SCMP_SYS(sched_yield), SCMP_SYS(getpid),        SCMP_SYS(gettid),
    SCMP_SYS(restart_syscall)};

// 0, or the negative number of the first error.
int add_rules(scmp_filter_ctx filter, Task task) {
  // Calls of another architecture, such as 32-bit ones, fail like the others.
  int error = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
  const auto allow = [&](int call, auto... conditions) {
    if (error == 0)
      error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, sizeof...(conditions), conditions...);
  };
  for (const int call : kAllowed) allow(call);
  // Their third argument is the protection of the memory.
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)}) {
    allow(call, scmp_arg_cmp{2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0});
  }
  // abort() sends its signal with it, to the own process.
  allow(SCMP_SYS(tgkill), scmp_arg_cmp{0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid()), 0});
  if (task == Task::read_database) {
    allow(SCMP_SYS(pread64));
    // SQLite locks ranges of its files. A descriptor that only reads cannot get a lock that keeps readers
    // out.
    for (const int command : {F_GETLK, F_SETLK}) {
      allow(SCMP_SYS(fcntl), scmp_arg_cmp{1, SCMP_CMP_EQ, static_cast<scmp_datum_t>(command), 0});
    }
  }
  return error != 0 ? error : seccomp_load(filter);
}

}  // namespace

Status filter_calls(Task task) {
  // Null on a machine that libseccomp does not know.
  const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)),
                                                                 &seccomp_release);
  const int error = filter ? add_rules(filter.get(), task) : -ENOSYS;
  if (error != 0) return fail_errno("filter system calls", -error);
  return {};
}

}  // namespace netperfd::confined
