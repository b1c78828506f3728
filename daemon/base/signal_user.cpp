// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/signal_user.hpp"

#include <sys/syscall.h>
#include <unistd.h>

// glibc 2.36 lacks extern "C" for these functions.
extern "C" {
#include <sys/pidfd.h>
}

#include <cerrno>
#include <cstdlib>

namespace netperfd {
namespace {

int send(int pidfd, int number) {
  return ::pidfd_send_signal(pidfd, number, nullptr, 0) == 0 ? 0 : errno;
}

// The system call, since the C library's function changes all threads.
bool set_effective_user(uid_t uid) {
  constexpr auto kUnchanged = static_cast<uid_t>(-1);
  return ::syscall(SYS_setresuid, kUnchanged, uid, kUnchanged) == 0;
}

}  // namespace

int signal_as(uid_t uid, int pidfd, int number) {
  const int refusal = send(pidfd, number);
  const uid_t own = ::geteuid();
  if (refusal != EPERM || !set_effective_user(uid)) return refusal;
  const int error = send(pidfd, number);
  if (!set_effective_user(own)) std::abort();  // the real user may always return
  return error;
}

}  // namespace netperfd
