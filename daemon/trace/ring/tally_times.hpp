// SPDX-License-Identifier: GPL-2.0-or-later
// The stretch of time that the events of a trace cover.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "daemon/trace/ring/tally_slices.hpp"

namespace netperfd::trace {

// A stamp further than kLongestTrace from the first one is not plausible and covers nothing.
class CoveredTime {
 public:
  void add(std::uint64_t first, std::uint64_t last) {
    if (!origin_) origin_ = oldest_ = newest_ = first;
    if (is_near(first)) oldest_ = std::min(oldest_, first);
    if (is_near(last)) newest_ = std::max(newest_, last);
  }
  // 0 if nothing was added.
  [[nodiscard]] std::uint64_t oldest() const { return oldest_; }
  [[nodiscard]] std::uint64_t newest() const { return newest_; }

 private:
  [[nodiscard]] bool is_near(std::uint64_t time) const {
    return std::max(time, *origin_) - std::min(time, *origin_) <= kLongestTrace;
  }

  std::optional<std::uint64_t> origin_;  // the first one seen
  std::uint64_t oldest_ = 0;
  std::uint64_t newest_ = 0;
};

}  // namespace netperfd::trace
