// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/action.hpp"

#include <algorithm>

#include "daemon/core/sides/sides.hpp"

namespace netperfd::core {

std::string_view to_string(Action action) {
  switch (action) {
    case Action::measure:
      return "measure";
    case Action::measure_design:
      return "measure-with-design";
    case Action::measure_reboots:
      return "measure-with-reboots";
    case Action::trace_functions:
      return "trace-functions";
    case Action::trace_events:
      return "trace-events";
    case Action::manage_own:
      return "manage-own";
    case Action::manage_others:
      return "manage-others";
    case Action::read_raw:
      return "read-raw-data";
    case Action::manage_store:
      return "manage-store";
  }
  return "unknown";
}

std::vector<Action> actions_of(const JobSpec& spec, TraceSource source, const EventAllowed& allowed) {
  std::vector<Action> actions;
  if (spec.design && spec.design->reboots) actions.push_back(Action::measure_reboots);
  if (has_commands(spec)) actions.push_back(Action::measure_design);
  if (spec.trace) {
    if (spec.trace->function_graph) actions.push_back(Action::trace_functions);
    const bool asks_for_others = (source == TraceSource::caller || spec.trace->of_others) &&
                                 allowed != nullptr && !std::ranges::all_of(spec.trace->events, allowed);
    if (asks_for_others) actions.push_back(Action::trace_events);
  }
  actions.push_back(Action::measure);
  return actions;
}

}  // namespace netperfd::core
