// SPDX-License-Identifier: GPL-2.0-or-later
// A clock that only its test moves.
#pragma once

#include <ctime>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/core/ports/clock.hpp"

namespace netperfd::counters {

// Its calls are made when the test says so.
class ManualClock final : public core::Clock {
 public:
  WallTime now() override { return {}; }
  std::chrono::microseconds since_boot() override {
    if (up) return *up;
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::seconds{time.tv_sec} +
                                                                 std::chrono::nanoseconds{time.tv_nsec});
  }
  core::Timer after(std::chrono::milliseconds delay, std::function<void()> callback) override {
    delays.push_back(delay);
    auto timer = std::make_shared<std::function<void()>>(std::move(callback));
    due_.emplace_back(timer);
    return timer;
  }
  // Whatever waits by now, and was not canceled.
  void tick() {
    for (const auto& each : std::exchange(due_, {})) {
      if (const auto due = each.lock()) (*due)();
    }
  }
  std::vector<std::chrono::milliseconds> delays;
  std::optional<std::chrono::microseconds> up;  // absent: the machine's

 private:
  std::vector<std::weak_ptr<std::function<void()>>> due_;
};

}  // namespace netperfd::counters
