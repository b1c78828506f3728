// SPDX-License-Identifier: GPL-2.0-or-later
// Reads layout and formats from tracefs, and opens the pipes.
#pragma once

#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/trace_spec.hpp"
#include "daemon/trace/drain.hpp"
#include "daemon/trace/recording/recording.hpp"
#include "daemon/trace/ring/tally.hpp"
#include "daemon/trace/tracefs/session.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

// For the session's own sub-buffers, which may be larger than a page.
[[nodiscard]] Result<SubbufferLayout> read_layout(Tracefs& tracefs, const TraceSession& session);

// Of all events that `spec` can put into the buffers: its own, marks and stacks, function_graph's records.
[[nodiscard]] Result<std::vector<KnownEvent>> read_formats(Tracefs& tracefs, const TraceSpec& spec);

// Data on the kernel for a recording: the formats of every event of the session, and the symbols of code that
// can be traced. `tasks`: null if the recording's owner may see all of them.
[[nodiscard]] Result<RecordingFacts> read_recording_facts(Tracefs& tracefs, const TraceSession& session,
                                                          const std::string& proc, const TaskScreen* tasks);

// For all CPUs, by number.
[[nodiscard]] Result<std::vector<RingPipe>> open_pipes(Tracefs& tracefs, const TraceSession& session);

}  // namespace netperfd::trace
