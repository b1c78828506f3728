// SPDX-License-Identifier: GPL-2.0-or-later
// What ServerGuard does with the sockets of a server, and with those who reached it.
#pragma once

#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/workload/socket_owner.hpp"

namespace netperfd::workload {

// Of SOL_SOCKET; -1 if it cannot be told.
[[nodiscard]] int socket_option(const Fd& socket, int name);

// iperf3's cookie, if it is what the far end sent first; it stays to be read. Empty if it is no cookie, or
// not all of it has arrived.
[[nodiscard]] std::string cookie_on(const Fd& connection);

// Whether the far end has closed the connection, or its sending half: iperf3 does neither during a test.
[[nodiscard]] bool has_left(const Fd& connection);

// Nobody can connect any more; connections that were accepted before are sockets of their own. Of TCP, only
// SYNs are dropped: late packets of the test are answered as ever.
[[nodiscard]] Status drop_new(const Fd& socket);

}  // namespace netperfd::workload
