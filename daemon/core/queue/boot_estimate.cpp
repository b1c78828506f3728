// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/boot_estimate.hpp"

namespace netperfd::core {

std::chrono::microseconds time_of_boots(const JobSpec& spec, std::int64_t boots, std::int64_t runs,
                                        std::optional<std::chrono::microseconds> boot_time) {
  const Reboots& reboots = *spec.design->reboots;
  return boots * (reboots.notice + boot_time.value_or(reboots.settle)) + runs * *planned_duration(spec);
}

BootEstimate estimate_boots(const JobSpec& spec, std::optional<std::chrono::microseconds> boot_time) {
  BootEstimate estimate;
  if (!spec.design || !spec.design->reboots) return estimate;
  constexpr std::uint32_t kBootsOfBlock = 4;
  estimate.boots = kBootsOfBlock * spec.repeat;
  if (!planned_duration(spec)) return estimate;
  estimate.takes = time_of_boots(spec, estimate.boots, static_cast<std::int64_t>(run_count(spec)), boot_time);
  return estimate;
}

}  // namespace netperfd::core
