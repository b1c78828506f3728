// SPDX-License-Identifier: GPL-2.0-or-later
// Sockets in the network namespace of a process, and queries to the kernel through them.
#pragma once

#include <libmnl/libmnl.h>

#include <cstddef>
#include <functional>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"

namespace netperfd::counters {

// They belong to one network namespace and keep it alive, even if all its processes leave.
struct NamespaceSockets {
  Fd route;    // NETLINK_ROUTE
  Fd diag;     // NETLINK_SOCK_DIAG
  Fd ethtool;  // any type of socket supports the ioctl
};

// `net` is a file such as /proc/PID/ns/net. `there` is called by a thread in that namespace.
[[nodiscard]] Result<NamespaceSockets> open_sockets_in(const std::string& net,
                                                       const std::function<void()>& there = {});

// Sends `request`, in which it sets the flags NLM_F_REQUEST and NLM_F_DUMP or NLM_F_ACK, and passes every
// message of the answer to `take`. Never blocks: the kernel answers within the send.
[[nodiscard]] Status ask_kernel(const Fd& socket, nlmsghdr& request, bool dump,
                                const std::function<void(const nlmsghdr*)>& take);

// Calls back with each attribute after a header of `head_bytes`, or with those nested in `attribute`.
void for_each_attribute(const nlmsghdr* message, std::size_t head_bytes,
                        const std::function<void(const nlattr*)>& take);
void for_each_nested(const nlattr* attribute, const std::function<void(const nlattr*)>& take);

}  // namespace netperfd::counters
