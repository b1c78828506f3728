// SPDX-License-Identifier: GPL-2.0-or-later
// What happens to the host itself during a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// The state of the host at one moment.
struct HostReading {
  WallTime wall;                       // CLOCK_REALTIME, which can be set
  std::chrono::microseconds boot{0};   // CLOCK_BOOTTIME
  std::chrono::microseconds awake{0};  // CLOCK_MONOTONIC: CLOCK_BOOTTIME without the time asleep
  std::optional<std::uint64_t>
      suspends;      // since boot, those that failed too; absent: the kernel does not count
  std::string cpus;  // online ones, as the kernel writes them: "0-3"; empty: unknown
};

struct HostChanges {
  HostReading before, after;
  std::vector<std::string> cpus;  // changes in their order: "CPU 1 went offline"
};

// The watch during one run. Destroying it ends it.
class ActiveHostWatch {
 public:
  virtual ~ActiveHostWatch() = default;
  // Since watch(); the last call.
  [[nodiscard]] virtual HostChanges finish() = 0;
};

class HostWatch {
 public:
  virtual ~HostWatch() = default;
  // Never null.
  [[nodiscard]] virtual std::unique_ptr<ActiveHostWatch> watch() = 0;
};

}  // namespace netperfd::core
