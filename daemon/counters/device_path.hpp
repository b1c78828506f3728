// The network devices that a run's packets pass, as far as this host shows them.
#pragma once

#include <cstddef>
#include <vector>

#include "daemon/counters/namespace_view.hpp"

namespace netperfd::counters {

inline constexpr std::size_t kMostDevices = 24;

struct DevicePlace {
  std::size_t view = 0;  // index of its namespace
  int index = 0;         // of the device there

  auto operator<=>(const DevicePlace&) const = default;
};

// A namespace's number for another one.
struct NetnsNumber {
  std::size_t view = 0;  // whose number it is
  int number = 0;
  std::size_t other = 0;  // the namespace that it stands for
};

// From `ends`, the devices of the client and of a local server, on to what lies below each device (a bridge's
// ports, a bond's and an HSR device's, what a VLAN stands on), to the other end of a veth pair, and to the
// bridge or bond that such an end is a port of. Of the other ports of a bridge that is met from below, only
// those that lead out of this host: a veth device among them is somebody else's. At most kMostDevices, in
// the order in which they are met; `cut` tells that there are more.
struct DevicePath {
  std::vector<DevicePlace> devices;
  bool cut = false;
};
[[nodiscard]] DevicePath devices_on_path(const std::vector<NamespaceView>& views,
                                         const std::vector<NetnsNumber>& numbers,
                                         const std::vector<DevicePlace>& ends);

// Where a veth device's other end is; nothing where that is in none of these namespaces.
[[nodiscard]] std::vector<DevicePlace> other_end(const std::vector<NamespaceView>& views,
                                                 const std::vector<NetnsNumber>& numbers,
                                                 const DevicePlace& device);

// The names of the devices right below one, in order.
[[nodiscard]] std::vector<std::string> names_below(const NamespaceView& view, const Link& link);

}  // namespace netperfd::counters
