// SPDX-License-Identifier: GPL-2.0-or-later
// The launcher of a program that runs in a unit of systemd. The daemon is not its parent, so it stays beside
// the program, waits for it and tells its end:
//
//   launcher, the unit's main process                     daemon
//     <---------------------------- standard output and error  before the unit is started
//     {staying} ------------------------------------------>    which process it is
//     forks: the child does what is in launcher.hpp, and becomes the program
//     waits for the child, and for the end of the socket
//     {ended, how, its CPU time} ------------------------->
//     exits: systemd ends what is left in the unit
//
// The control socket is its standard input. The kernel tells the daemon which process sent a packet. End of
// file means that the daemon is gone: the launcher exits, and systemd ends the program.
#pragma once

#include <sys/types.h>

#include "daemon/base/fd.hpp"

namespace netperfd::workload {

// In place of the PID of a parent: the launcher is in a unit.
inline constexpr pid_t kInUnit = 0;

// In the daemon, as the first packet of its end of the socket. True if it was sent.
[[nodiscard]] bool send_outputs(const Fd& control, const Fd& out, const Fd& err);

// Moves the socket to kControlFd, and puts what send_outputs() sent in its place. False if the daemon is
// gone.
[[nodiscard]] bool take_streams();

// In the launcher, after {staying} was sent: returns in the child alone. Does not return if it cannot fork.
void stay_beside_child();

}  // namespace netperfd::workload
