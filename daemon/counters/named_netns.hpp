// SPDX-License-Identifier: GPL-2.0-or-later
// Network namespaces that refer to each other by numbers. The kernel gives a namespace a number for another
// one when it has a device whose other end is there.
#pragma once

#include <optional>
#include <string>

#include "daemon/base/fd.hpp"

namespace netperfd::counters {

// The number by which the namespace of `route` (a socket as in NamespaceSockets) refers to the one that
// `netns` is open on; absent if it has none or the kernel does not report it.
[[nodiscard]] std::optional<int> number_of_netns(const Fd& route, const Fd& netns);

struct NamedNetns {
  std::string name;  // empty: the host's own
  std::string path;
};
// The namespace to which that of `route` refers by `number`, among the first 256 of `directory`, which is
// where `ip netns` has them.
[[nodiscard]] std::optional<NamedNetns> find_named_netns(const Fd& route, int number,
                                                         const std::string& directory = "/run/netns");

}  // namespace netperfd::counters
