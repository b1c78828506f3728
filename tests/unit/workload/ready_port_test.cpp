// SPDX-License-Identifier: GPL-2.0-or-later
// A port of another user's process, as the daemon looks for it under systemd: without the capabilities that
// reach everybody's files.
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "daemon/base/fd.hpp"
#include "daemon/workload/command/ready_test.hpp"

namespace netperfd::workload {
namespace {

constexpr uid_t kNobody = 65534;

// In the child: listens as nobody, if that is allowed, until it is killed.
[[noreturn]] void listen_as_nobody(int listener, int told) {
  if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(1);
  ::prctl(PR_SET_DUMPABLE, 1);  // as after an exec: /proc shows its descriptors as its user's
  if (::listen(listener, 1) != 0 || ::write(told, "", 1) != 1) ::_exit(1);
  while (true) ::pause();
}

// Of this thread alone.
bool drop_access_to_files() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[2]{};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  data[0].effective &= ~(1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH);
  return ::syscall(SYS_capset, &header, data) == 0;
}

TEST(ReadyPort, of_another_user_is_seen_without_access_to_everybodys_files) {
  const Fd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Fd told{ends[0]}, tells{ends[1]};
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) listen_as_nobody(listener.get(), tells.get());
  char byte = 0;
  ASSERT_EQ(::read(told.get(), &byte, 1), 1);
  std::jthread([&] {
    EXPECT_TRUE(drop_access_to_files());
    EXPECT_EQ(has_port({child}, ntohs(address.sin_port)), true);
    EXPECT_EQ(has_port({child}, 1), false);
  }).join();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace netperfd::workload
