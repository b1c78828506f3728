// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/guarded_sockets.hpp"

#include <linux/filter.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace netperfd::workload {
namespace {

// iperf3's COOKIE_SIZE: 36 characters of its alphabet and a NUL.
constexpr std::size_t kCookieSize = 37;

bool is_cookie(std::string_view bytes) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); };
  return bytes.size() == kCookieSize && bytes.back() == '\0' &&
         std::ranges::all_of(bytes.substr(0, kCookieSize - 1), fits);
}

}  // namespace

int socket_option(const Fd& socket, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(socket.get(), SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

std::string cookie_on(const Fd& connection) {
  std::string bytes(kCookieSize, '\0');
  const ssize_t got = ::recv(connection.get(), bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  return got == static_cast<ssize_t>(kCookieSize) && is_cookie(bytes) ? bytes : std::string{};
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
