// TCP_INFO of connections, by inet_diag: what the kernel knows of a socket without touching the process that
// has it.
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

// A connection as the kernel found it.
struct TcpConnection {
  std::uint8_t family = 0;
  inet_diag_sockid id{};    // with which it is found again at once
  TcpSample sample;         // without its time
  std::uint64_t bytes = 0;  // acknowledged and received, so far

  [[nodiscard]] bool is(const TcpConnection& other) const;
};

struct TcpPeer {
  std::optional<Address> address;  // absent: any, where it is not known
  std::uint16_t port = 0;
};

// All established connections to `peer` in the namespace of the socket. It looks through the kernel's whole
// table of connections, which takes milliseconds where that is large.
[[nodiscard]] Result<std::vector<TcpConnection>> find_connections(const Fd& diag, const TcpPeer& peer);
// The same connection now; nothing once it is closed.
[[nodiscard]] std::optional<TcpConnection> look_again(const Fd& diag, const TcpConnection& connection);

// Of an answer of inet_diag; nothing where it has no TCP_INFO. A kernel that is older than this build's
// headers gives less of it.
[[nodiscard]] std::optional<TcpConnection> parse_connection(const nlmsghdr* message);

}  // namespace netperfd::counters
