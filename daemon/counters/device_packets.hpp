// Counts the packets of a workload at the network device that they pass.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/core/ports.hpp"

namespace netperfd::counters {

// Reads them from /proc/PID/net/dev of the workload's first process, which is the client, in the client's
// network namespace. The open file keeps that namespace's devices until the count is destroyed, also when the
// last process in it has ended.
class DevicePacketCounter final : public core::PacketCounter {
 public:
  // `proc` is another folder in tests.
  explicit DevicePacketCounter(std::string proc = "/proc");

  // The device is the one that the route to the server leaves by at this moment. Null for a server that is
  // named by a host name: asking what it stands for could block.
  [[nodiscard]] std::unique_ptr<core::ActivePacketCount> open(const JobSpec& spec,
                                                              const std::vector<pid_t>& workload) override;

 private:
  std::string proc_;
};

// One direction of a device's counters, which only grow.
struct DeviceCounters {
  std::uint64_t packets = 0, bytes = 0;
};

// From the text of /proc/net/dev; nothing where it has no such device.
[[nodiscard]] std::optional<DeviceCounters> parse_net_dev(std::string_view text, std::string_view device,
                                                          bool sent);

}  // namespace netperfd::counters
