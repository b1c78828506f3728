// SPDX-License-Identifier: GPL-2.0-or-later
// What a run is to say about the host that was suspended, whose clock was set or whose CPUs changed under it.
#pragma once

#include <chrono>
#include <vector>

#include "daemon/core/ports/host_watch.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// Below this, a difference of two clocks may come from reading one after the other.
inline constexpr std::chrono::milliseconds kLeastClockDifference{10};

// By how much somebody set the wall clock, backwards below 0; 0 if nobody did. An adjustment of the rate, as
// NTP makes it, changes all clocks alike and is none.
[[nodiscard]] std::chrono::microseconds set_by(const HostChanges& changes);
// How long the host slept, as far as its clocks know.
[[nodiscard]] std::chrono::microseconds asleep(const HostChanges& changes);

[[nodiscard]] std::vector<QualityFlag> host_flags(const HostChanges& changes);

// Adds the flags. If the clock was set, the end becomes the start and the time that passed.
void add_host_faults(const HostChanges& changes, RunRecord& record);

}  // namespace netperfd::core
