// SPDX-License-Identifier: GPL-2.0-or-later
// Notices that a server can be used.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace netperfd::workload {

// Whether one of the processes listens on the TCP port, or has bound the UDP port, in its network namespace.
// Absent if they cannot be looked at now.
[[nodiscard]] std::optional<bool> has_port(const std::vector<pid_t>& pids, std::uint16_t port);

// The sockets (inodes) of one table of /proc/PID/net that have the port. `state`: as the table has it.
[[nodiscard]] std::vector<std::uint64_t> sockets_with_port(std::string_view table, std::string_view state,
                                                           std::uint16_t port);

}  // namespace netperfd::workload
