// SPDX-License-Identifier: GPL-2.0-or-later
// What a job that reboots the machine takes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "daemon/model/job_spec.hpp"

namespace netperfd::core {

struct BootEstimate {
  std::uint32_t boots = 0;  // if none fails; 0: the job does not reboot the machine
  std::optional<std::chrono::microseconds>
      takes;  // with its runs; absent: the length of a run is not planned
};

// `boot_time`: of earlier boots, from the request to the first run (RunStore::boot_time); absent: only the
// time to settle is known, so the estimate is the least.
[[nodiscard]] BootEstimate estimate_boots(const JobSpec& spec,
                                          std::optional<std::chrono::microseconds> boot_time);

// The time of so many boots and runs of the job, which must reboot the machine and have planned runs.
[[nodiscard]] std::chrono::microseconds time_of_boots(const JobSpec& spec, std::int64_t boots,
                                                      std::int64_t runs,
                                                      std::optional<std::chrono::microseconds> boot_time);

}  // namespace netperfd::core
