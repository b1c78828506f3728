// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/event_clock.hpp"

#include <cstdlib>
#include <ctime>
#include <utility>

namespace netperfd::core {

WallTime EventClock::now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

std::chrono::microseconds EventClock::since_boot() {
  timespec time{};
  (void)::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::seconds{time.tv_sec} +
                                                               std::chrono::nanoseconds{time.tv_nsec});
}

Timer EventClock::after(std::chrono::milliseconds delay, std::function<void()> callback) {
  auto source = loop_.after(delay, std::move(callback));
  if (!source) {
    loop_.exit(EXIT_FAILURE);
    return nullptr;
  }
  return std::make_shared<EventSource>(std::move(*source));
}

}  // namespace netperfd::core
