// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/signal_user.hpp"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include <sys/pidfd.h>
}

#include <array>
#include <cerrno>
#include <csignal>
#include <functional>

namespace netperfd {
namespace {

constexpr uid_t kIperf3 = 64001;
constexpr uid_t kStranger = 64002;

void give_up_cap_kill() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> all{};
  if (::syscall(SYS_capget, &header, all.data()) != 0) ::_exit(101);
  all[0].effective &= ~(1U << CAP_KILL);
  all[0].permitted &= ~(1U << CAP_KILL);
  if (::syscall(SYS_capset, &header, all.data()) != 0) ::_exit(102);
}

// The exit code of `work` in a process of its own, which is root without CAP_KILL.
int without_cap_kill(const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    give_up_cap_kill();
    ::_exit(work());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// A process of `uid` that waits for its parent's end; returns once it is that user's. A death signal would
// not come, since the parent lacks CAP_KILL.
int waiting_process(uid_t uid) {
  std::array<int, 2> ready{}, parent{};
  if (::pipe(ready.data()) != 0 || ::pipe(parent.data()) != 0) ::_exit(103);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(parent[1]);
    char byte = 0;
    if (::setresuid(uid, uid, uid) != 0 || ::write(ready[1], "", 1) != 1) ::_exit(104);
    ::_exit(::read(parent[0], &byte, 1) == 0 ? 0 : 106);
  }
  char byte = 0;
  if (::read(ready[0], &byte, 1) != 1) ::_exit(105);
  return ::pidfd_open(pid, 0);
}

class SignalAs : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, to become other users";
  }
};

TEST_F(SignalAs, reaches_the_named_users_process_without_cap_kill) {
  EXPECT_EQ(without_cap_kill([] {
              const int pidfd = waiting_process(kIperf3);
              if (::pidfd_send_signal(pidfd, SIGKILL, nullptr, 0) == 0 || errno != EPERM) return 1;
              if (const int error = signal_as(kIperf3, pidfd, SIGKILL); error != 0) return error;
              int status = 0;
              if (::wait(&status) < 0 || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) return 2;
              return ::geteuid() == 0 ? 0 : 3;
            }),
            0);
}

TEST_F(SignalAs, does_not_reach_anybody_elses) {
  EXPECT_EQ(without_cap_kill([] {
              const int pidfd = waiting_process(kStranger);
              const int error = signal_as(kIperf3, pidfd, SIGKILL);
              const bool lives = ::waitpid(-1, nullptr, WNOHANG) == 0;
              (void)signal_as(kStranger, pidfd, SIGKILL);
              return lives ? error : 200;
            }),
            EPERM);
}

TEST_F(SignalAs, keeps_the_capabilities_of_the_caller) {
  EXPECT_EQ(without_cap_kill([] {
              (void)signal_as(kIperf3, waiting_process(kStranger), 0);
              // Needs CAP_SETUID, which a change of the effective user takes away for its length.
              return ::setresuid(kIperf3, kIperf3, kIperf3) == 0 ? 0 : 1;
            }),
            0);
}

TEST_F(SignalAs, tells_that_the_process_has_ended) {
  EXPECT_EQ(without_cap_kill([] {
              const int pidfd = waiting_process(kIperf3);
              if (signal_as(kIperf3, pidfd, SIGKILL) != 0 || ::wait(nullptr) < 0) return 1;
              return signal_as(kIperf3, pidfd, SIGKILL);
            }),
            ESRCH);
}

}  // namespace
}  // namespace netperfd
