// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/guard_fds.hpp"

#include <seccomp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "daemon/workload/socket_owner.hpp"

namespace netperfd::workload {
namespace {

// 0, or the negative number of the first error.
int stop_calls(scmp_filter_ctx filter) {
  // Another architecture's calls are not stopped, but also not refused.
  int error = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW);
  const auto stop = [&](int call, auto... conditions) {
    if (error == 0)
      error = seccomp_rule_add(filter, SCMP_ACT_NOTIFY, call, sizeof...(conditions), conditions...);
  };
  stop(SCMP_SYS(accept));
  stop(SCMP_SYS(accept4));
  // The first datagram of a UDP stream is read with its sender's address, to which the socket is connected
  // then. Newer versions read all other datagrams by the same call without an address.
  stop(SCMP_SYS(recvfrom), scmp_arg_cmp{4, SCMP_CMP_NE, 0, 0});
  stop(SCMP_SYS(connect));
  return error != 0 ? error : seccomp_load(filter);
}

constexpr std::size_t kMostFds = 2;

}  // namespace

GuardFds open_guard(Guarding guarding) {
  GuardFds guard;
  if (guarding == Guarding::none) return guard;
  guard.sockets = open_socket_diag();
  if (!guard.sockets) guard.error_number = errno;
  if (guarding != Guarding::server || guard.error_number != 0) return guard;
  const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ALLOW),
                                                                 &seccomp_release);
  const int error = filter ? stop_calls(filter.get()) : -ENOSYS;
  guard.stops_calls = error == 0;
  if (error == 0) guard.calls.reset(seccomp_notify_fd(filter.get()));
  if (!guard.calls) guard.error_number = error != 0 ? -error : ENOSYS;
  return guard;
}

bool send_report(int socket, const LaunchReport& report, const GuardFds& guard) {
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(kMostFds * sizeof(int))> control{};
  LaunchReport packet = report;
  iovec part{.iov_base = &packet, .iov_len = sizeof packet};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  std::array<int, kMostFds> fds{};
  std::size_t count = 0;
  for (const Fd* fd : {&guard.calls, &guard.sockets}) {
    if (*fd && report.error_number == 0) fds.at(count++) = fd->get();
  }
  if (count > 0) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(header), fds.data(), count * sizeof(int));
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == sizeof packet;
}

ssize_t receive_report(const Fd& socket, LaunchReport& report, GuardFds& guard, pid_t& sender) {
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(kMostFds * sizeof(int)) + CMSG_SPACE(sizeof(ucred))>
      control{};
  iovec part{.iov_base = &report, .iov_len = sizeof report};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC);
  if (got < 0) return got;
  std::vector<Fd> fds;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET) continue;
    const std::size_t size = header->cmsg_len - CMSG_LEN(0);
    if (header->cmsg_type == SCM_CREDENTIALS && size == sizeof(ucred)) {
      ucred who{};
      std::memcpy(&who, CMSG_DATA(header), sizeof who);
      sender = who.pid;
    } else if (header->cmsg_type == SCM_RIGHTS) {
      for (std::size_t at = 0; at + sizeof(int) <= size; at += sizeof(int)) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(header) + at, sizeof fd);
        fds.emplace_back(fd);
      }
    }
  }
  if (got != sizeof report || report.step != LaunchStep::ready) return got;
  guard = {};
  guard.error_number = report.error_number;
  guard.stops_calls = report.stops_calls;
  if ((message.msg_flags & MSG_CTRUNC) != 0) {
    // It is not known which ones came.
    guard.error_number = EMFILE;
    return got;
  }
  if (fds.size() == kMostFds) guard.calls = std::move(fds.front());
  if (!fds.empty()) guard.sockets = std::move(fds.back());
  return got;
}

}  // namespace netperfd::workload
