// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>

namespace netperfd::dbus {

// Number of messages whose descriptors the kernel may be closing at a time, each in a thread that may not
// come back.
inline constexpr std::size_t kMostSheds = 64;

// Takes the first byte that waits in a socket, and with it the descriptors of its message, without installing
// any. Returns once the byte is taken: the kernel may then still be closing the descriptors, in another
// thread. Nobody else may receive from the socket meanwhile. Returns whether there were any; nothing if there
// is no thread for it, a millisecond later: then nothing was taken.
std::optional<bool> shed_descriptors(int socket);

}  // namespace netperfd::dbus
