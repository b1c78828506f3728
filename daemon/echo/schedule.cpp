// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace netperfd::echo {

Ns Schedule::due(std::uint64_t index) const {
  // A double has whole nanoseconds for the first hundred days.
  return std::llround(static_cast<double>(index) * 1e9 / rate_);
}

std::uint64_t Schedule::due_before(Ns time) const {
  if (time <= 0) return 0;
  auto count = static_cast<std::uint64_t>(static_cast<double>(time) * rate_ / 1e9);
  while (count > 0 && due(count - 1) >= time) --count;  // rounded
  while (due(count) < time) ++count;
  return count;
}

Schedule::Step Schedule::take(Ns now) {
  const std::uint64_t count = due_before(now + 1);
  if (count <= next_) return {};
  const Step step{.missed_from = next_, .missed_to = count - 1, .send = count - 1};
  next_ = count;
  return step;
}

Schedule::Step Schedule::finish(Ns end) {
  const Step step{.missed_from = next_, .missed_to = std::max(next_, due_before(end)), .send = {}};
  next_ = step.missed_to;
  return step;
}

}  // namespace netperfd::echo
