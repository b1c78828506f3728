// SPDX-License-Identifier: GPL-2.0-or-later
// Packet counts of the devices.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <vector>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// The counters of one run's device. It holds everything needed to read them again after the workload's
// processes are gone.
class ActivePacketCount {
 public:
  virtual ~ActivePacketCount() = default;
  // Counts since open(); absent if they cannot be read or the device went away.
  [[nodiscard]] virtual std::optional<PacketCount> count() = 0;
};

class PacketCounter {
 public:
  virtual ~PacketCounter() = default;
  // Begins to count. `workload` as in ActiveWorkload::pids(). Null if no device of this host carries the
  // workload's packets or none can be determined.
  [[nodiscard]] virtual std::unique_ptr<ActivePacketCount> open(const JobSpec& spec,
                                                                const std::vector<pid_t>& workload) = 0;
};

}  // namespace netperfd::core
