// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <ctime>

namespace netperfd::trace {

// That the calling thread took since it began.
[[nodiscard]] inline std::chrono::nanoseconds thread_cpu_time() {
  timespec time{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

}  // namespace netperfd::trace
