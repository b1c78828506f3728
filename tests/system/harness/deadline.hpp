// SPDX-License-Identifier: GPL-2.0-or-later
// How long a test waits for an event before it gives up.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "tests/support/patience.hpp"

namespace netperfd::system_test {

class Deadline {
 public:
  static constexpr std::chrono::seconds kLong = kTestPatience;

  explicit Deadline(std::chrono::milliseconds delay = kLong)
      : end_(std::chrono::steady_clock::now() + delay) {}

  [[nodiscard]] bool has_passed() const { return std::chrono::steady_clock::now() >= end_; }
  // The remaining time for poll(): rounded up, so that a poll that times out has reached the deadline.
  [[nodiscard]] int poll_timeout() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace netperfd::system_test
