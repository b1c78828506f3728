// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a ring buffer's own count of lost events.
#pragma once

#include <string_view>

#include "daemon/model/trace_record.hpp"

namespace netperfd::trace {

// Fills in the overruns and drops from a per_cpu/cpuN/stats.
void read_statistics(std::string_view text, TraceCpu& cpu);

}  // namespace netperfd::trace
