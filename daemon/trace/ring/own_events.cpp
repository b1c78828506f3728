// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/own_events.hpp"

#include <algorithm>

namespace netperfd::trace {

TraceSpec with_own_events(TraceSpec spec, bool kernel_has_switches) {
  const bool wanted = spec.function_graph && is_own_event(spec, kSwitchEvent);
  if (wanted && kernel_has_switches) spec.events.push_back({kSwitchEvent, "", false});
  return spec;
}

bool is_own_event(const TraceSpec& asked, const char* event) {
  return std::ranges::find(asked.events, event, &EventSpec::name) == asked.events.end();
}

bool shows_switches(const TraceSpec& applied) {
  const auto found = std::ranges::find(applied.events, kSwitchEvent, &EventSpec::name);
  return found != applied.events.end() && found->filter.empty() && applied.cpus.empty();
}

}  // namespace netperfd::trace
