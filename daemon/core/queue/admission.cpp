// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/admission.hpp"

#include <fmt/format.h>

#include "daemon/core/sides/sides.hpp"

namespace netperfd::core {

// The caller must fix a wrong name even if the trace is optional. But something that the design's commands
// provide, such as a module, may not be there yet: then the runs report it.
Status check_trace(Tracer& tracer, const JobSpec& spec) {
  if (!spec.trace) return {};
  auto checked = tracer.check(*spec.trace);
  if (checked) return checked;
  const bool is_name = checked.error().kind == ErrorKind::invalid_argument;
  const bool may_pass = is_name ? has_commands(spec) : spec.trace->optional;
  return may_pass ? Status{} : checked;
}

Status Admission::check_job(const JobSpec& spec, uid_t owner) {
  if (owner != 0 && queue_.order().size() >= limit_) {
    return fail(ErrorKind::busy,
                fmt::format("the queue is full: {} jobs wait or run already", queue_.order().size()));
  }
  if (auto checked = check_trace(ports_.tracer, spec); !checked) return checked;
  if (ports_.sampler != nullptr && spec.sample && spec.sample->asked) {
    if (auto checked = ports_.sampler->check(*spec.sample); !checked) return checked;
  }
  return quotas_.check_job(owner, queue_.live_of(owner), reserved_time(spec, run_count(spec)));
}

}  // namespace netperfd::core
