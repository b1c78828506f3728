// SPDX-License-Identifier: GPL-2.0-or-later
// What callers may be allowed to do. docs/access.md says who may do what.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd::core {

enum class Action {
  measure,          // start a job, import a run, probe the machine anew
  measure_design,   // let root's commands of a design switch the machine
  measure_reboots,  // let them reboot it
  trace_functions,  // record kernel functions
  trace_events,     // record events outside the list of allowed ones
  manage_own,       // stop, mark or delete the caller's own work
  manage_others,    // the same with other users' work
  read_raw,         // read raw data of other users' runs, or kernel addresses
  manage_store,     // replace the whole store
};

// Its name in messages and, after "org.netperfd1.", its polkit action: "measure-with-design".
[[nodiscard]] std::string_view to_string(Action action);

// Whether any member of the group may record this event.
using EventAllowed = std::function<bool(const EventSpec& event)>;

// Who wrote the trace of a job.
enum class TraceSource {
  root,   // a scenario that root installed, as it is; TraceSpec::of_others then counts as the caller's
  caller  // the caller: a text of his own, or an override of a key below `trace`
};

// What a caller must be allowed to do before this job is accepted. The last one is always `measure`; whoever
// is allowed one of the others by an administrator is not asked again for that. An empty `allowed` allows all
// events.
[[nodiscard]] std::vector<Action> actions_of(const JobSpec& spec, TraceSource source,
                                             const EventAllowed& allowed);

}  // namespace netperfd::core
