// SPDX-License-Identifier: GPL-2.0-or-later
// The doctor's probes of events, of uprobes and kprobes, of the marker and of the clocks.
#pragma once

#include <string>
#include <vector>

#include "daemon/trace/catalogue/probe_site.hpp"

namespace netperfd::trace {

// Tries trace_marker, tracepoints, event_filters, stack_traces and histogram_triggers in the instance, and
// switches its ring buffer off. If tracepoints work, their detail stays empty: their number changes with each
// module, so count_tracepoints() fills it in at each request.
[[nodiscard]] std::vector<Finding> probe_events(ProbeSite& site);
[[nodiscard]] std::string count_tracepoints(Tracefs& tracefs);

// Checks uprobes, kprobes and trace_clocks by what tracefs offers at its top, without changing anything
// there.
[[nodiscard]] std::vector<Finding> probe_offers(Tracefs& tracefs, Reasons& reasons);

}  // namespace netperfd::trace
