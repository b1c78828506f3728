// SPDX-License-Identifier: GPL-2.0-or-later
// TCP_INFO of connections, by inet_diag: the kernel's data on a socket, without touching the process that
// owns it.
#pragma once

#include <linux/inet_diag.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/counters/namespace_sockets.hpp"
#include "daemon/counters/routes.hpp"
#include "daemon/model/counters.hpp"

namespace netperfd::counters {

// A connection as the kernel reported it.
struct TcpConnection {
  std::uint8_t family = 0;
  inet_diag_sockid id{};                              // finds it again quickly
  TcpSample sample;                                   // without its time
  std::uint64_t bytes_acked = 0, bytes_received = 0;  // so far

  [[nodiscard]] std::uint64_t bytes() const { return bytes_acked + bytes_received; }

  [[nodiscard]] bool is(const TcpConnection& other) const;
};

struct TcpPeer {
  std::optional<Address> address;  // absent: any address, because it is unknown
  std::uint16_t port = 0;
};

// All established connections to `peer` in the namespace of the socket. The kernel searches its whole table
// of connections, which takes milliseconds if the table is large.
[[nodiscard]] Result<std::vector<TcpConnection>> find_connections(const Fd& diag, const TcpPeer& peer);
// The current state of the same connection; absent once it is closed.
[[nodiscard]] std::optional<TcpConnection> look_again(const Fd& diag, const TcpConnection& connection);

// Parses an answer of inet_diag; absent if it has no TCP_INFO. A kernel older than this build's headers
// provides fewer fields.
[[nodiscard]] std::optional<TcpConnection> parse_connection(const nlmsghdr* message);

}  // namespace netperfd::counters
