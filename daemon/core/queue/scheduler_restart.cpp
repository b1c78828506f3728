// SPDX-License-Identifier: GPL-2.0-or-later
// The scheduler's part in a restart of the daemon: leaving the queue, and taking it up again.
#include <algorithm>
#include <utility>

#include "daemon/core/queue/scheduler.hpp"

namespace netperfd::core {

void Scheduler::shut_down(const std::string& reason, std::function<void()> done) {
  shut_down_done_ = std::move(done);
  if (run_) {
    run_->interrupt(reason);
  } else if (is_busy()) {
    give_up_step();
  }
  schedule_turn();
}

void Scheduler::suspend() {
  if (!sides_) return shut_down_done_();
  sides_->suspend([this](const Status& status) {
    if (!status) report_side(current_job(), status.error());
    const auto ended = std::move(sides_);
    boots_ = nullptr;
    announce(current_job());
    schedule_turn();
  });
}

void Scheduler::resume(ResumedJob resumed) {
  Job job;
  job.spec = std::move(resumed.spec);
  job.status.owner = resumed.owner;
  job.status.resumed = true;
  job.held = resumed.held;
  for (StoredRun& run : resumed.runs) {
    job.status.runs.push_back(run.id);
    job.status.arms.push_back(run.arm);
    if (!netperfd::has_ended(run.state)) continue;
    ++job.status.runs_ended;
    job.status.run_state = run.state;
    if (run.state == RunState::finished) ++job.status.runs_finished;
    job.outcome = std::max(job.outcome, outcome_of(run.state));
    if (outcome_of(run.state) == Outcome::run_failed) job.status.error = std::move(run.error);
  }
  job.ended_before = job.status.runs_ended;
  if (resumed.budget) {
    set_budget(*resumed.budget, *job.spec.trace);
    job.budget_chosen = true;
  } else if (job.spec.trace && job.status.runs_ended > 0) {
    // Its runs so far traced all functions: an older version accepted it.
    job.spec.trace->budget.reset();
  }
  add(resumed.id, std::move(job));
}

bool Scheduler::is_first_since_restart(const Job& job) {
  return job.status.resumed && job.status.runs_ended == job.ended_before;
}

}  // namespace netperfd::core
