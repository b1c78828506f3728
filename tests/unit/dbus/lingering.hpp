// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "daemon/base/fd.hpp"

namespace netperfd::test {

constexpr int kLingerSeconds = 3600;  // longer than any test waits

inline void require(bool done, const char* what) {
  if (!done) throw std::system_error(errno, std::generic_category(), what);
}

// One end of a TCP connection whose peer reads nothing: it has unsent data, and closing it waits.
struct Lingering {
  Fd peer, socket;
};

inline Lingering make_lingering() {
  Lingering made;
  const Fd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);  // NOLINT: as the kernel wants it
  socklen_t length = sizeof address;
  require(::bind(listener.get(), generic, length) == 0, "bind");
  require(::listen(listener.get(), 1) == 0, "listen");
  require(::getsockname(listener.get(), generic, &length) == 0, "getsockname");
  made.socket.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  require(::connect(made.socket.get(), generic, length) == 0, "connect");
  made.peer.reset(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  require(static_cast<bool>(made.peer), "accept4");
  static const std::array<char, 1U << 16U> kBytes{};
  while (::send(made.socket.get(), kBytes.data(), kBytes.size(), MSG_DONTWAIT) > 0) {
  }
  require(errno == EAGAIN, "send until the buffers are full");
  const linger wait{1, kLingerSeconds};
  require(::setsockopt(made.socket.get(), SOL_SOCKET, SO_LINGER, &wait, sizeof wait) == 0, "SO_LINGER");
  return made;
}

}  // namespace netperfd::test
