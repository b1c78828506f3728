// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/store/killed_at.hpp"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <stdexcept>

namespace netperfd::store {
namespace {

constexpr std::array kChanging{SYS_pwrite64,  SYS_write,  SYS_ftruncate, SYS_fsync,
                               SYS_fdatasync, SYS_link,   SYS_linkat,    SYS_rename,
                               SYS_renameat,  SYS_unlink, SYS_unlinkat,  SYS_fallocate};

[[noreturn]] void be_traced(const std::function<void(const Begin& begin)>& work) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 && ::raise(SIGSTOP) == 0) {
    work([] { (void)::raise(SIGSTOP); });
  }
  ::_exit(0);
}

// Whether the process stands before a call that changes a file.
bool before_change(pid_t process) {
  __ptrace_syscall_info info{};
  if (::ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), process, sizeof info, &info) <= 0)
    return false;
  return info.op == PTRACE_SYSCALL_INFO_ENTRY &&
         std::ranges::find(kChanging, static_cast<long>(info.entry.nr)) != kChanging.end();
}

}  // namespace

bool killed_at(int step, const std::function<void(const Begin& begin)>& work) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) be_traced(work);
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
    throw std::runtime_error("no tracing here");
  (void)::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
  bool begun = false;
  for (int changes = 0;;) {
    (void)::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    if (::waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid");
    if (WIFEXITED(status)) return false;
    if (WIFSIGNALED(status)) throw std::runtime_error("it was killed by another signal");
    begun = begun || WSTOPSIG(status) == SIGSTOP;
    if (begun && before_change(child) && ++changes == step) break;
  }
  (void)::kill(child, SIGKILL);
  (void)::waitpid(child, &status, 0);
  return true;
}

}  // namespace netperfd::store
