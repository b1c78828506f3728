// The doctor's probes of events, of user's and kernel's probes, of the marker and of the clocks.
#pragma once

#include <string>
#include <vector>

#include "daemon/trace/probe_site.hpp"

namespace netperfd::trace {

// trace_marker, tracepoints, event_filters, stack_traces and histogram_triggers, tried in the instance;
// switches its ring buffer off. The detail of tracepoints that work is left empty: how many there are changes
// with each module, so count_tracepoints() puts it there at each question.
[[nodiscard]] std::vector<Finding> probe_events(ProbeSite& site);
[[nodiscard]] std::string count_tracepoints(Tracefs& tracefs);

// uprobes, kprobes and trace_clocks, from what tracefs offers at its top, changing nothing there.
[[nodiscard]] std::vector<Finding> probe_offers(Tracefs& tracefs, Reasons& reasons);

}  // namespace netperfd::trace
