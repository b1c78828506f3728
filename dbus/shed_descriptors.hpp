// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace netperfd::dbus {

// Takes the first byte that waits in a socket, and with it the descriptors of its message, without installing
// any. Returns once the byte is taken: the kernel may then still be closing the descriptors, in another
// thread. Nobody else may receive from the socket meanwhile. Returns whether there were any.
bool shed_descriptors(int socket);

}  // namespace netperfd::dbus
