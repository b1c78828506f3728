// What the network devices of a namespace count: what every device has, and what its driver adds.
#pragma once

#include "daemon/base/error.hpp"
#include "daemon/counters/namespace_sockets.hpp"
#include "daemon/counters/readings.hpp"

namespace netperfd::counters {

// The first counts of all devices ("veth0 rx_packets"), which are those of /sys/class/net/*/statistics: sysfs
// itself shows only the devices of the namespace that mounted it. `drivers` are what `ethtool -S` shows of
// devices that are up, in the driver's own words and of a hundred devices at most.
struct NicStatistics {
  Readings devices;
  Readings drivers;
};

[[nodiscard]] Result<NicStatistics> read_nic_statistics(const NamespaceSockets& sockets);

// Of a message RTM_NEWLINK: the device's readings and, where it is up, its name.
struct LinkStatistics {
  Readings readings;
  std::string name;
  bool up = false;
};
[[nodiscard]] LinkStatistics parse_link(const nlmsghdr* message);

}  // namespace netperfd::counters
