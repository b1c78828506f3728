// Small readings of a trace's rows that several renderers share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/views.hpp"

namespace netperfctl {

// As the kernel prints it or, where it prints the bare value, that.
[[nodiscard]] std::string shown_value(const SampleFieldView& field);

// The counts of all events by time slice, slices without any left out, by time.
[[nodiscard]] std::vector<SliceView> slices_of(const TraceDetails& trace);

// Events of this CPU that nobody read. An overwritten event is in the kernel's statistics and is reported
// again by the buffer that follows it: the larger figure counts.
[[nodiscard]] std::uint64_t lost_of(const TraceCpuView& cpu);

}  // namespace netperfctl
