// What netperfd watches beside what the job asked for.
#pragma once

#include "daemon/model/trace_spec.hpp"
#include "daemon/trace/tracefs.hpp"

namespace netperfd::trace {

inline constexpr const char* kSwitchEvent = "sched:sched_switch";

// Function tracing needs to know when a task was off the CPU, or its sleep would pass for work: sched_switch
// is added where this kernel has it and the job does not ask for it itself.
[[nodiscard]] TraceSpec with_own_events(TraceSpec spec, Tracefs& tracefs);

// Whether the event is in `spec` by with_own_events() alone.
[[nodiscard]] bool is_own_event(const TraceSpec& asked, const char* event);

// Whether `applied` shows every switch of the tasks that are traced: not where the job's own filter hides
// some, nor where tasks may go to CPUs that are not traced.
[[nodiscard]] bool shows_switches(const TraceSpec& applied);

}  // namespace netperfd::trace
