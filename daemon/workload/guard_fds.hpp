// SPDX-License-Identifier: GPL-2.0-or-later
// What ServerGuard needs from inside a process that becomes iperf3, and how it gets to the daemon.
#pragma once

#include <sys/types.h>

#include "daemon/base/fd.hpp"
#include "daemon/workload/launcher.hpp"

namespace netperfd::workload {

struct GuardFds {
  Fd calls;              // seccomp's notifications of the server's stopped calls
  Fd sockets;            // asks about sockets of the namespace: open_socket_diag()
  int error_number = 0;  // why one is missing
  // The server's calls stop; if nobody has `calls`, they fail.
  bool stops_calls = false;
};

// In the launcher, as its last change to itself: accept() and recvfrom() with an address stop from now on.
[[nodiscard]] GuardFds open_guard(Guarding guarding);

// One packet with its descriptors. True if it was sent.
bool send_report(int socket, const LaunchReport& report, const GuardFds& guard);
// As recv(): the size, 0 at the end of file, -1 with errno. `guard` is of the packet with LaunchStep::ready.
// If this process has no room for all of its descriptors, none is kept, and its error is EMFILE. `sender`:
// the process that sent it, if the socket has SO_PASSCRED.
[[nodiscard]] ssize_t receive_report(const Fd& socket, LaunchReport& report, GuardFds& guard, pid_t& sender);

}  // namespace netperfd::workload
