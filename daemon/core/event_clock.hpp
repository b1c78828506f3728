// SPDX-License-Identifier: GPL-2.0-or-later
// The Clock port on the real event loop.
#pragma once

#include <chrono>
#include <functional>

#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/clock.hpp"

namespace netperfd::core {

class EventClock final : public Clock {
 public:
  explicit EventClock(EventLoop& loop) : loop_(loop) {}

  [[nodiscard]] WallTime now() override;
  [[nodiscard]] std::chrono::microseconds since_boot() override;
  // Ends the loop with EXIT_FAILURE if no timer can be created: a run must not continue without its deadline.
  [[nodiscard]] Timer after(std::chrono::milliseconds delay, std::function<void()> callback) override;

 private:
  EventLoop& loop_;
};

}  // namespace netperfd::core
