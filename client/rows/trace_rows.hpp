// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers for a trace's rows that several renderers share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/rows/views.hpp"

namespace netperfctl {

// Whether the event is function_graph's own record of a call, of which the functions tell.
[[nodiscard]] bool is_call_event(std::string_view event);
// That which comes when a call returns, and so counts calls.
[[nodiscard]] const TraceEventView* calls_of(std::span<const TraceEventView> events);

// As the kernel prints it or, where it prints the bare value, that.
[[nodiscard]] std::string shown_value(const SampleFieldView& field);

// The counts of all events by time slice, slices without any left out, by time.
[[nodiscard]] std::vector<SliceView> slices_of(const TraceDetails& trace);

// Calls and self time of all functions by time slice, slices without a call left out, by time.
[[nodiscard]] std::vector<FunctionSliceView> slices_of(const ProfileDetails& details);

// Lost events of this CPU. The kernel's statistics count an overwritten event, and the next buffer reports it
// again, so the larger figure is used.
[[nodiscard]] std::uint64_t lost_of(const TraceCpuView& cpu);

}  // namespace netperfctl
