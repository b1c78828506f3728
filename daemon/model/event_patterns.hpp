// SPDX-License-Identifier: GPL-2.0-or-later
// Which kernel events unprivileged callers may trace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/trace_spec.hpp"

namespace netperfd {

// A pattern such as "tcp:*", where * stands for any characters of a name, or "!tcp:tcp_probe", which takes
// events back from the other patterns.
[[nodiscard]] bool is_event_pattern(std::string_view text);

// Whether one of the patterns fits the event and none takes it back.
[[nodiscard]] bool fits_event(const std::vector<std::string>& patterns, std::string_view event);

// The default of trace.events: events that describe packets, sockets and devices, and no program.
// docs/tracing.md has the reason for each.
[[nodiscard]] const std::vector<std::string>& network_events();

// Why a caller without more rights may not record this event, as the end of a sentence about it; empty if
// `allowed` has it and its filter does not compare the names of programs.
[[nodiscard]] std::string why_not_allowed(const EventSpec& event, const std::vector<std::string>& allowed);

// A sentence about all events of the trace that are not allowed, and about those that are; empty if all are.
[[nodiscard]] std::string events_beyond(const TraceSpec& spec, const std::vector<std::string>& allowed);

}  // namespace netperfd
