// SPDX-License-Identifier: GPL-2.0-or-later
// When requests are due: request i at i/rate, whether or not earlier ones were answered. Times count from the
// first request on.
#pragma once

#include <cstdint>
#include <optional>

#include "daemon/echo/stamps.hpp"

namespace netperfd::echo {

class Schedule {
 public:
  explicit Schedule(double rate) : rate_(rate) {}

  [[nodiscard]] Ns due(std::uint64_t index) const;
  // How many requests are due before `time`.
  [[nodiscard]] std::uint64_t due_before(Ns time) const;

  struct Step {
    std::uint64_t missed_from = 0, missed_to = 0;  // requests for which it is too late, without the last
    std::optional<std::uint64_t> send;
  };
  // What to do at `now`: of several requests that are due, only the newest is sent. A burst of the others
  // would measure itself.
  [[nodiscard]] Step take(Ns now);
  // Likewise, but all requests due before `end` that were not sent are missed.
  [[nodiscard]] Step finish(Ns end);
  [[nodiscard]] Ns next_due() const { return due(next_); }

 private:
  double rate_;  // requests per second
  std::uint64_t next_ = 0;
};

}  // namespace netperfd::echo
