// SPDX-License-Identifier: GPL-2.0-or-later
// The scheduler's answer to the question which job is accepted, and which one may go on.
#include <utility>

#include "daemon/core/queue/scheduler.hpp"

namespace netperfd::core {

// The caller must fix a wrong name even if the trace is optional. But something that the design's commands
// provide, such as a module, may not be there yet: then the runs report it.
Status Scheduler::check_trace(const JobSpec& spec) {
  if (!spec.trace) return {};
  auto checked = ports_.tracer.check(*spec.trace);
  if (checked) return checked;
  const bool is_name = checked.error().kind == ErrorKind::invalid_argument;
  const bool may_pass = is_name ? has_commands(spec) : spec.trace->optional;
  return may_pass ? Status{} : checked;
}

Status Scheduler::check_sample(const JobSpec& spec) {
  const bool asked = ports_.sampler != nullptr && spec.sample && spec.sample->asked;
  return asked ? ports_.sampler->check(*spec.sample) : Status{};
}

bool Scheduler::is_full() const {
  return queue_.size() >= queue_limit_;
}

bool Scheduler::is_idle() const {
  return !is_busy() && (queue_.empty() || jobs_.at(queue_.front()).status.state == JobState::pending);
}

Quotas::Live Scheduler::live_of(uid_t user) const {
  Quotas::Live live;
  for (const JobId id : queue_) {
    const Job& job = jobs_.at(id);
    if (job.status.owner != user) continue;
    ++live.jobs;
    live.reserved += reserved_time(job.spec, job.status.runs.size() - job.status.runs_ended);
  }
  return live;
}

bool Scheduler::may_go_on(Job& job) {
  if (auto room = ports_.store.expect_room(); !room) {
    give_up(job, room.error().message, "was refused by the store");
    return false;
  }
  if (auto allowed = quotas_.check_run(job.status.owner); !allowed) {
    cancel_pending_runs(job, allowed.error().message);
    return false;
  }
  return true;
}

}  // namespace netperfd::core
