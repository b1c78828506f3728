// SPDX-License-Identifier: GPL-2.0-or-later
// Faults of the host that the kernel tells: the clocks, /sys/power/suspend_stats, and the uevents of CPUs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/core/ports/host_watch.hpp"

namespace netperfd::counters {

// "CPU 1 went offline", if that is what a uevent of the kernel says: "offline@/devices/system/cpu/cpu1".
[[nodiscard]] std::optional<std::string> cpu_change(std::string_view uevent);

class KernelHostWatch final : public core::HostWatch {
 public:
  explicit KernelHostWatch(std::string sys = "/sys") : sys_(std::move(sys)) {}

  // Without the uevents, which a container may not get, only a CPU whose state differs at the end is noticed.
  [[nodiscard]] std::unique_ptr<core::ActiveHostWatch> watch() override;

 private:
  std::string sys_;
};

}  // namespace netperfd::counters
