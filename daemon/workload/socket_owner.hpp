// SPDX-License-Identifier: GPL-2.0-or-later
// Whose socket is at the far end of a connection, as the kernel tells it.
#pragma once

#include <netinet/in.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"

namespace netperfd::workload {

// An address and port of IPv4 or IPv6. An IPv4 address that was mapped into IPv6 is an IPv4 address.
struct SocketEnd {
  sa_family_t family = AF_UNSPEC;
  in6_addr address{};       // for IPv4, its first four bytes
  std::uint16_t port = 0;   // in the order of this host
  std::uint32_t scope = 0;  // of a link-local address

  [[nodiscard]] std::string host() const;  // "10.0.0.1"
  bool operator==(const SocketEnd& other) const;
};

[[nodiscard]] SocketEnd to_socket_end(const sockaddr_storage& address);
[[nodiscard]] SocketEnd local_end(const Fd& socket);

// A socket that asks about the sockets of the network namespace in which it was opened.
[[nodiscard]] Fd open_socket_diag();

// The user of the socket with these two ends, which need not be connected if it is a datagram socket. Absent
// if there is none, if its process has closed it, or if this kernel cannot tell.
[[nodiscard]] std::optional<uid_t> socket_owner(const Fd& diag, int protocol, const SocketEnd& local,
                                                const SocketEnd& remote);

// Whether a process in the namespace of `diag` had this connection and has closed it, but the kernel still
// has something to send or to wait for.
[[nodiscard]] bool is_closed_there(const Fd& diag, int protocol, const SocketEnd& local,
                                   const SocketEnd& remote);

}  // namespace netperfd::workload
