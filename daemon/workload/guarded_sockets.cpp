// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/guarded_sockets.hpp"

#include <linux/filter.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

extern "C" {
#include <sys/pidfd.h>
}

#include "daemon/base/foreign_fd.hpp"

namespace netperfd::workload {
namespace {

// iperf3's COOKIE_SIZE: 36 characters of its alphabet and a NUL.
constexpr std::size_t kCookieSize = 37;

bool is_cookie(std::string_view bytes) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); };
  return bytes.size() == kCookieSize && bytes.back() == '\0' &&
         std::ranges::all_of(bytes.substr(0, kCookieSize - 1), fits);
}

bool is_of_network(const Fd& socket) {
  const int domain = socket_option(socket, SO_DOMAIN);
  return domain == AF_INET || domain == AF_INET6;
}

}  // namespace

Result<Fd> descriptor_of_call(const seccomp_notif& call, const Fd& calls) {
  const Fd process{::pidfd_open(static_cast<pid_t>(call.pid), 0)};
  if (!process) return fail_errno("pidfd_open", errno);
  std::uint64_t id = call.id;
  if (::ioctl(calls.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id) != 0)
    return fail_errno("the server's call", errno);
  Fd descriptor{::pidfd_getfd(process.get(), static_cast<int>(call.data.args[0]), 0)};
  if (!descriptor) return fail_errno("pidfd_getfd", errno);
  return descriptor;
}

bool is_listening(const Fd& socket) {
  return is_of_network(socket) && socket_option(socket, SO_ACCEPTCONN) == 1;
}

bool is_for_datagrams(const Fd& socket) {
  return is_of_network(socket) && socket_option(socket, SO_TYPE) == SOCK_DGRAM;
}

bool close_soon(Fd shared) {
  auto open = make_pipe();
  if (!open) {
    close_elsewhere(std::move(shared));
    return false;
  }
  close_elsewhere(std::move(shared), std::make_shared<const Fd>(std::move(open->write)));
  pollfd polled{.fd = open->read.get(), .events = POLLIN, .revents = 0};
  return ::poll(&polled, 1, static_cast<int>(kClosePatience.count())) == 1;
}

int socket_option(const Fd& socket, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(socket.get(), SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

Fd accept_one(const Fd& socket, int flags, SocketEnd& peer) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  Fd connection{::accept4(socket.get(), reinterpret_cast<sockaddr*>(&address), &size, flags)};
  if (connection) peer = to_socket_end(address);
  return connection;
}

void reset(Fd connection) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  (void)::setsockopt(connection.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  connection.reset();
}

std::string cookie_on(const Fd& connection) {
  std::string bytes(kCookieSize, '\0');
  const ssize_t got = ::recv(connection.get(), bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  return got == static_cast<ssize_t>(kCookieSize) && is_cookie(bytes) ? bytes : std::string{};
}

bool is_udp_greeting(std::string_view datagram) {
  // UDP_CONNECT_MSG, now and in older releases.
  constexpr std::array<std::uint32_t, 2> kGreetings{0x36373839, 123456789};
  std::uint32_t said = 0;
  if (datagram.size() != sizeof said) return false;
  std::memcpy(&said, datagram.data(), sizeof said);
  return std::ranges::find(kGreetings, said) != kGreetings.end();
}

bool has_left(const Fd& connection) {
  pollfd polled{.fd = connection.get(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&polled, 1, 0) == 1;
}

Status drop_new(const Fd& socket) {
  constexpr std::uint32_t kFlagsAt = 13, kSyn = 2, kAll = ~0U;
  std::array rest{sock_filter BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kFlagsAt),
                  sock_filter BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kSyn, 0, 1),
                  sock_filter BPF_STMT(BPF_RET | BPF_K, 0), sock_filter BPF_STMT(BPF_RET | BPF_K, kAll)};
  const bool tcp = socket_option(socket, SO_PROTOCOL) == IPPROTO_TCP;
  const sock_fprog program{.len = static_cast<unsigned short>(tcp ? rest.size() : 1),
                           .filter = tcp ? rest.data() : &rest[2]};
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0)
    return fail_errno("SO_ATTACH_FILTER", errno);
  return {};
}

}  // namespace netperfd::workload
