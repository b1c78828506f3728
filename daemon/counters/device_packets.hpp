// SPDX-License-Identifier: GPL-2.0-or-later
// Counts the packets of a workload at the network device that they pass through.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/core/ports/packet_counter.hpp"

namespace netperfd::counters {

// Reads them from /proc/PID/net/dev of the workload's first process (the client) in the client's network
// namespace. The open file keeps that namespace's devices until the count is destroyed, even after the last
// process in it has ended.
class DevicePacketCounter final : public core::PacketCounter {
 public:
  // Tests pass another directory as `proc`.
  explicit DevicePacketCounter(std::string proc = "/proc");

  // The device is the one that the current route to the server uses. Null if the server is given by a host
  // name: resolving it could block.
  [[nodiscard]] std::unique_ptr<core::ActivePacketCount> open(const JobSpec& spec,
                                                              const std::vector<pid_t>& workload) override;

 private:
  std::string proc_;
};

// One direction of a device's counters, which only grow.
struct DeviceCounters {
  std::uint64_t packets = 0, bytes = 0;
};

// Parses the text of /proc/net/dev; absent if it does not have the device.
[[nodiscard]] std::optional<DeviceCounters> parse_net_dev(std::string_view text, std::string_view device,
                                                          bool sent);

}  // namespace netperfd::counters
