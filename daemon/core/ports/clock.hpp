// SPDX-License-Identifier: GPL-2.0-or-later
// The time, and calls at a later time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// Destroying it cancels the call, even from inside the call.
using Timer = std::shared_ptr<void>;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual WallTime now() = 0;
  // Time since the boot, with the time asleep. Nobody can set it, so a duration is a difference of this and
  // never of now().
  [[nodiscard]] virtual std::chrono::microseconds since_boot() = 0;
  // Calls back once, from the loop, after `delay` of monotonic time; 0 means in the next turn.
  [[nodiscard]] virtual Timer after(std::chrono::milliseconds delay, std::function<void()> callback) = 0;
};

}  // namespace netperfd::core
