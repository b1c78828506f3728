// SPDX-License-Identifier: GPL-2.0-or-later
// How far a live job is, and how long it still takes.
#pragma once

#include <chrono>
#include <optional>

#include "daemon/core/queue/live_job.hpp"

namespace netperfd::core {

// 0 to 1; never below what the job's status has.
[[nodiscard]] double progress_of(const LiveJob& job, Clock& clock);
// From counted_from() on; absent if nobody knows.
[[nodiscard]] std::optional<std::chrono::microseconds> time_left(const LiveJob& job, Clock& clock);
// When what time_left() counts began; `otherwise` if the job has not begun.
[[nodiscard]] WallTime counted_from(const LiveJob& job, Clock& clock, WallTime otherwise);

}  // namespace netperfd::core
