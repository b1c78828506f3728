// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/live_job.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "daemon/core/queue/job_execution.hpp"
#include "daemon/core/run/function_choice.hpp"

namespace netperfd::core {
namespace {

using Outcome = LiveJob::Outcome;

Outcome outcome_of(RunState state) {
  if (state == RunState::failed || state == RunState::interrupted) return Outcome::run_failed;
  return state == RunState::canceled ? Outcome::run_canceled : Outcome::finished;
}

// The part of an ended run in its job, whenever it ended.
void add_ended_run(LiveJob& job, RunState state, const std::string& error) {
  ++job.status.runs_ended;
  job.status.run_state = state;
  if (state == RunState::finished) ++job.status.runs_finished;
  if (!job.decided || state != RunState::canceled) job.outcome = std::max(job.outcome, outcome_of(state));
  if (outcome_of(state) == Outcome::run_failed) job.status.error = error;
}

}  // namespace

// Where JobExecution is a complete type.
LiveJob::LiveJob() = default;
LiveJob::LiveJob(LiveJob&& from) noexcept = default;
LiveJob& LiveJob::operator=(LiveJob&& from) noexcept = default;
LiveJob::~LiveJob() = default;

void LiveJob::begin_run(std::chrono::microseconds now) {
  status.state = JobState::running;
  if (!began) began = now;
  status.current_run = status.runs.at(status.runs_ended);
}

void LiveJob::count_run(RunState state, const std::string& error, std::chrono::microseconds now) {
  status.current_run.reset();
  const auto before = last_ended ? last_ended : began;
  last_ended = now;
  if (before) pace.add(status.slots, status.runs_ended, now - *before);
  add_ended_run(*this, state, error);
}

void LiveJob::add_side_error(const std::string& error) {
  outcome = Outcome::given_up;
  status.side_error = error;
  if (!status.error.empty()) status.error += "; ";
  status.error += error;
}

void LiveJob::set_end_state() {
  switch (outcome) {
    case Outcome::finished:
      status.state = JobState::finished;
      return;
    case Outcome::run_canceled:
      status.state = JobState::canceled;
      return;
    case Outcome::run_failed:
    case Outcome::given_up:
      break;
  }
  status.state = JobState::failed;
}

bool LiveJob::needs_count() const {
  return spec.trace && spec.trace->budget && !budget_chosen;
}

bool LiveJob::has_ended_first_of_side() const {
  if (status.runs_ended <= 1 || !spec.design || spec.design->points() > 0) return status.runs_ended == 1;
  const std::span<const Slot> ended(status.slots.data(), status.runs_ended);
  return std::ranges::none_of(ended.first(ended.size() - 1),
                              [&](const Slot& slot) { return slot.variant == ended.back().variant; });
}

LiveJob new_job(JobSpec spec, uid_t owner, std::vector<RunId> runs, std::vector<Slot> slots) {
  LiveJob job;
  job.spec = std::move(spec);
  job.status.owner = owner;
  job.status.runs = std::move(runs);
  job.status.slots = std::move(slots);
  return job;
}

LiveJob resumed_job(ResumedJob resumed) {
  LiveJob job = new_job(std::move(resumed.spec), resumed.owner, {}, {});
  job.status.resumed = true;
  job.held = resumed.held;
  for (const StoredRun& run : resumed.runs) {
    job.status.runs.push_back(run.id);
    job.status.slots.push_back(run.slot);
    if (has_ended(run.state)) add_ended_run(job, run.state, run.error);
  }
  job.ended_before = job.status.runs_ended;
  if (resumed.budget) {
    set_budget(*resumed.budget, *job.spec.trace);
    job.budget_chosen = true;
  } else if (job.spec.trace && job.status.runs_ended > 0) {
    // Its runs so far traced all functions: an older version accepted it.
    job.spec.trace->budget.reset();
  }
  return job;
}

}  // namespace netperfd::core
