// A ring buffer's own count of what it lost.
#pragma once

#include <string_view>

#include "daemon/model/trace_record.hpp"

namespace netperfd::trace {

// Fills in what a per_cpu/cpuN/stats says of overruns and drops.
void read_statistics(std::string_view text, TraceCpu& cpu);

}  // namespace netperfd::trace
