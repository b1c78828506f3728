// SPDX-License-Identifier: GPL-2.0-or-later
// Statistics of the network devices in a namespace: the common ones and those of the drivers.
#pragma once

#include "daemon/base/error.hpp"
#include "daemon/counters/namespace_sockets.hpp"
#include "daemon/counters/readings.hpp"

namespace netperfd::counters {

// `devices` are the counts of all devices ("veth0 rx_packets"), as in /sys/class/net/*/statistics: sysfs
// itself shows only the devices of the namespace that mounted it. `drivers` are the counts that `ethtool -S`
// shows for devices that are up, with the driver's own names and for at most a hundred devices.
struct NicStatistics {
  Readings devices;
  Readings drivers;
};

[[nodiscard]] Result<NicStatistics> read_nic_statistics(const NamespaceSockets& sockets);

// Contents of an RTM_NEWLINK message: the device's readings and, if it is up, its name.
struct LinkStatistics {
  Readings readings;
  std::string name;
  bool up = false;
};
[[nodiscard]] LinkStatistics parse_link(const nlmsghdr* message);

}  // namespace netperfd::counters
