// SPDX-License-Identifier: GPL-2.0-or-later
// The queueing disciplines of network devices with their counts, by rtnetlink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/counters/namespace_sockets.hpp"
#include "daemon/counters/routes.hpp"

namespace netperfd::counters {

// A queueing discipline as the kernel reported it. `drops` and the two after it wrap at 32 bits.
struct Queue {
  int device = 0;  // its index
  std::uint32_t handle = 0, parent = 0;
  std::string kind;
  std::uint64_t backlog_bytes = 0, backlog_packets = 0;
  std::uint64_t sent_bytes = 0, sent_packets = 0;
  std::uint32_t drops = 0, overlimits = 0, requeues = 0;

  [[nodiscard]] bool is(const Queue& other) const;
};

// Absent if the message has no statistics, or is about something that never holds a packet: noqueue, ingress
// and clsact.
[[nodiscard]] std::optional<Queue> parse_queue(const nlmsghdr* message);

struct QueueList {
  std::vector<Queue> queues;  // those of one device, its root first
  std::size_t seen = 0;       // of all devices: the kernel lists no single one
};
// `route` as in NamespaceSockets, here and below.
[[nodiscard]] Result<QueueList> read_queues(const Fd& route, int device);

struct NamedDevice {
  int index = 0;
  std::string name;
  // Of a veth device whose other end is in another namespace: its index there, and the number of that one.
  std::optional<int> peer, peer_netns;
};
[[nodiscard]] Result<NamedDevice> find_device(const Fd& route, std::string_view name);
[[nodiscard]] Result<NamedDevice> find_device(const Fd& route, int index);
// The one that has the address.
[[nodiscard]] Result<NamedDevice> find_device(const Fd& route, const Address& address);

// "1:", as tc writes it.
[[nodiscard]] std::string handle_text(std::uint32_t handle);
// "root", or the class of another queueing discipline: "1:1".
[[nodiscard]] std::string parent_text(std::uint32_t parent);

}  // namespace netperfd::counters
