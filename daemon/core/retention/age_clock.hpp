// SPDX-License-Identifier: GPL-2.0-or-later
// The date by which stored jobs are old.
#pragma once

#include <algorithm>
#include <chrono>

#include "daemon/core/ports/clock.hpp"

namespace netperfd::core {

// The wall clock, but never ahead of the time that passed since the clock was lowest. Removed jobs do not
// come back: a clock that is set forward must not make any job older. It believes the clock as it first finds
// it.
class AgeClock {
 public:
  explicit AgeClock(Clock& clock) : clock_(clock), lowest_(reading()) {}

  [[nodiscard]] WallTime now() {
    const Reading read = reading();
    const WallTime passed = lowest_.wall + (read.since_boot - lowest_.since_boot);
    if (read.wall < passed) lowest_ = read;
    return std::min(read.wall, passed);
  }

 private:
  struct Reading {
    WallTime wall;
    std::chrono::microseconds since_boot;
  };
  [[nodiscard]] Reading reading() const { return {clock_.now(), clock_.since_boot()}; }

  Clock& clock_;
  Reading lowest_;
};

}  // namespace netperfd::core
