// SPDX-License-Identifier: GPL-2.0-or-later
// What ServerGuard does with the sockets of a server, and with those who reached it.
#pragma once

#include <linux/seccomp.h>

#include <chrono>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/workload/socket_owner.hpp"

namespace netperfd::workload {

// The descriptor of the process that `call` names. The call must still be waiting after that, or the number
// of the process may be another one's.
[[nodiscard]] Result<Fd> descriptor_of_call(const seccomp_notif& call, const Fd& calls);

// Whether it is one of a network, and listens. Those of AF_UNIX are none: their connections may carry
// descriptors, which are closed with them.
[[nodiscard]] bool is_listening(const Fd& socket);
[[nodiscard]] bool is_for_datagrams(const Fd& socket);  // likewise

// Closes a descriptor that the server shares, in another thread: the server may have made that last
// (SO_LINGER). False if it is still open after kClosePatience.
inline constexpr std::chrono::milliseconds kClosePatience{500};
[[nodiscard]] bool close_soon(Fd shared);

// Of SOL_SOCKET; -1 if it cannot be told.
[[nodiscard]] int socket_option(const Fd& socket, int name);

// As accept4(), with the far end in `peer`; on failure there is no descriptor, and errno says why.
[[nodiscard]] Fd accept_one(const Fd& socket, int flags, SocketEnd& peer);

// Closes it with a reset. Whatever the listening socket says of lingering, this does not wait.
void reset(Fd connection);

// iperf3's cookie, if it is what the far end sent first; it stays to be read. Empty if it is no cookie, or
// not all of it has arrived.
[[nodiscard]] std::string cookie_on(const Fd& connection);

// Whether this is what iperf3's client sends to begin a stream of UDP.
[[nodiscard]] bool is_udp_greeting(std::string_view datagram);

// Whether the far end has closed the connection, or its sending half: iperf3 does neither during a test.
[[nodiscard]] bool has_left(const Fd& connection);

// Nobody can connect any more; connections that were accepted before are sockets of their own. Of TCP, only
// SYNs are dropped: late packets of the test are answered as ever.
[[nodiscard]] Status drop_new(const Fd& socket);

}  // namespace netperfd::workload
