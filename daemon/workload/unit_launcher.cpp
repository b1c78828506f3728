// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/unit_launcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <sstream>

#include "daemon/workload/guard_fds.hpp"
#include "daemon/workload/launcher.hpp"

namespace netperfd::workload {
namespace {

constexpr std::size_t kOutputs = 2;

bool empty_stream(int target, int flags) {
  const Fd nothing{::open("/dev/null", flags | O_CLOEXEC)};
  return nothing && ::dup2(nothing.get(), target) == target;
}

bool receive_outputs(std::array<Fd, kOutputs>& outputs) {
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(kOutputs * sizeof(int))> control{};
  char byte = 0;
  iovec part{.iov_base = &byte, .iov_len = sizeof byte};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do {
    got = ::recvmsg(kControlFd, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* const header = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(kOutputs * sizeof(int)))
    return false;
  std::array<int, kOutputs> fds{};
  std::memcpy(fds.data(), CMSG_DATA(header), sizeof fds);
  for (std::size_t i = 0; i < kOutputs; ++i) outputs.at(i).reset(fds.at(i));
  return true;
}

// Reaps all that have ended: as their subreaper, the launcher gets those too whose own parent ended. Returns
// whether `child` was among them.
bool reap(pid_t child, int& status) {
  bool ended = false;
  for (;;) {
    int other = 0;
    const pid_t pid = ::waitpid(-1, &other, WNOHANG);
    if (pid <= 0) return ended;
    if (pid != child) continue;
    status = other;
    ended = true;
  }
}

std::int32_t number_of_children() {
  constexpr std::size_t kMostListed = std::size_t{1} << 20;
  const auto text = read_file(fmt::format("/proc/self/task/{}/children", ::getpid()), kMostListed);
  std::istringstream words(text ? *text : "");
  std::int32_t number = 0;
  for (pid_t pid = 0; words >> pid;) ++number;
  return number;
}

LaunchReport report_of_end(int status) {
  LaunchReport packet{.step = LaunchStep::ended, .wait_status = status};
  packet.left_behind = number_of_children();
  rusage used{};
  if (::getrusage(RUSAGE_CHILDREN, &used) == 0) {
    constexpr std::int64_t kSecond = 1'000'000;
    packet.user_us = used.ru_utime.tv_sec * kSecond + used.ru_utime.tv_usec;
    packet.system_us = used.ru_stime.tv_sec * kSecond + used.ru_stime.tv_usec;
  }
  return packet;
}

// Exits when the child has ended, or the daemon.
[[noreturn]] void wait_for_child(pid_t child) {
  // The program's outputs are open as long as it has them.
  if (!empty_stream(STDOUT_FILENO, O_WRONLY) || !empty_stream(STDERR_FILENO, O_WRONLY))
    ::_exit(kLauncherFailed);
  sigset_t children;
  ::sigemptyset(&children);
  ::sigaddset(&children, SIGCHLD);
  (void)::pthread_sigmask(SIG_BLOCK, &children, nullptr);
  const Fd signals{::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK)};
  if (!signals) ::_exit(kLauncherFailed);
  int status = 0;
  // Of a child that has ended already, no signal comes.
  while (!reap(child, status)) {
    std::array<pollfd, 2> events{{{.fd = signals.get(), .events = POLLIN, .revents = 0},
                                  {.fd = kControlFd, .events = 0, .revents = 0}}};
    if (::poll(events.data(), events.size(), -1) < 0 && errno != EINTR) ::_exit(kLauncherFailed);
    if (events[1].revents != 0) ::_exit(kLauncherFailed);
    signalfd_siginfo info{};
    while (::read(signals.get(), &info, sizeof info) > 0) {
    }
  }
  // Without the daemon, there is nobody to tell.
  (void)send_report(kControlFd, report_of_end(status), {});
  ::_exit(0);
}

}  // namespace

bool send_outputs(const Fd& control, const Fd& out, const Fd& err) {
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(kOutputs * sizeof(int))> ancillary{};
  char byte = 0;
  iovec part{.iov_base = &byte, .iov_len = sizeof byte};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = ancillary.data();
  message.msg_controllen = ancillary.size();
  const std::array<int, kOutputs> fds{out.get(), err.get()};
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fds);
  std::memcpy(CMSG_DATA(header), fds.data(), sizeof fds);
  return ::sendmsg(control.get(), &message, MSG_NOSIGNAL) == 1;
}

bool take_streams() {
  if (::dup3(STDIN_FILENO, kControlFd, O_CLOEXEC) != kControlFd || !empty_stream(STDIN_FILENO, O_RDONLY))
    return false;
  std::array<Fd, kOutputs> outputs;
  return receive_outputs(outputs) && ::dup2(outputs[0].get(), STDOUT_FILENO) == STDOUT_FILENO &&
         ::dup2(outputs[1].get(), STDERR_FILENO) == STDERR_FILENO;
}

void stay_beside_child() {
  // The program has the same user: it must not get at the socket of this process.
  (void)::prctl(PR_SET_DUMPABLE, 0);
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = ::fork();
  if (child < 0) ::_exit(kLauncherFailed);
  if (child > 0) wait_for_child(child);
}

}  // namespace netperfd::workload
