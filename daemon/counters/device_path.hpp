// SPDX-License-Identifier: GPL-2.0-or-later
// The network devices that a run's packets pass through, as far as this host shows them.
#pragma once

#include <cstddef>
#include <vector>

#include "daemon/counters/namespace_view.hpp"

namespace netperfd::counters {

inline constexpr std::size_t kMostDevices = 24;

struct DevicePlace {
  std::size_t view = 0;  // index of its namespace
  int index = 0;         // of the device in that namespace

  auto operator<=>(const DevicePlace&) const = default;
};

// The number by which one namespace refers to another.
struct NetnsNumber {
  std::size_t view = 0;  // the namespace that uses the number
  int number = 0;
  std::size_t other = 0;  // the namespace that it refers to
};

// The path begins at `ends`, the devices of the client and of a local server. It continues to the devices
// below each one (a bridge's ports, a bond's and an HSR device's, the device under a VLAN), to the other end
// of a veth pair, and to the bridge or bond that such an end is a port of. If a bridge is reached from a
// port, its other ports count only if they lead out of this host: a veth device among them belongs to
// somebody else. At most kMostDevices, in the order in which they are found; `cut`: there are more.
struct DevicePath {
  std::vector<DevicePlace> devices;
  bool cut = false;
};
[[nodiscard]] DevicePath devices_on_path(const std::vector<NamespaceView>& views,
                                         const std::vector<NetnsNumber>& numbers,
                                         const std::vector<DevicePlace>& ends);

// The other end of a veth device; empty if it is in none of these namespaces.
[[nodiscard]] std::vector<DevicePlace> other_end(const std::vector<NamespaceView>& views,
                                                 const std::vector<NetnsNumber>& numbers,
                                                 const DevicePlace& device);

// The names of the devices directly below one, sorted.
[[nodiscard]] std::vector<std::string> names_below(const NamespaceView& view, const Link& link);

}  // namespace netperfd::counters
