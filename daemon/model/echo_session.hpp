// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace netperfd {

// netperfd gives a prober and its server the same random session, as 16 hexadecimal digits. Unlike the
// arguments of a process, its environment is not shown to other users.
inline constexpr const char* kEchoSessionVariable = "NETPERFD_ECHO_SESSION";

}  // namespace netperfd
