// SPDX-License-Identifier: GPL-2.0-or-later
// Adds the events that netperfd itself needs to those of the job.
#pragma once

#include "daemon/model/trace_spec.hpp"

namespace netperfd::trace {

inline constexpr const char* kSwitchEvent = "sched:sched_switch";

// Function tracing must know when a task was off the CPU, otherwise its sleep would count as work. So
// sched_switch is added if the kernel has it and the job does not ask for it.
[[nodiscard]] TraceSpec with_own_events(TraceSpec spec, bool kernel_has_switches);

// Whether the event is traced only because of with_own_events().
[[nodiscard]] bool is_own_event(const TraceSpec& asked, const char* event);

// Whether `applied` shows every switch of the traced tasks. It does not if the job's own filter hides some,
// or if tasks may run on CPUs that are not traced.
[[nodiscard]] bool shows_switches(const TraceSpec& applied);

}  // namespace netperfd::trace
