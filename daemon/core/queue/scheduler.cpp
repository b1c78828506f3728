// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "daemon/core/deferred_ends.hpp"

namespace netperfd::core {

Scheduler::Scheduler(RunPorts ports, std::uint32_t queue_limit, SeedSource draw_seed)
    : ports_(ports),
      queue_limit_(queue_limit),
      quotas_(ports.store, ports.clock),
      draw_seed_(std::move(draw_seed)) {}

std::uint64_t Scheduler::random_seed() {
  return std::random_device{}();
}

Result<JobId> Scheduler::submit(JobSpec spec, uid_t owner) {
  if (shut_down_done_) return fail(ErrorKind::busy, "netperfd is stopping");
  if (owner != 0 && is_full()) {
    return fail(ErrorKind::busy,
                fmt::format("the queue is full: {} jobs wait or run already", queue_.size()));
  }
  if (auto checked = check_trace(spec); !checked) return std::unexpected(std::move(checked.error()));
  if (auto checked = check_sample(spec); !checked) return std::unexpected(std::move(checked.error()));
  if (spec.design && !spec.design->seed) spec.design->seed = draw_seed_();
  auto arms = draw_arms(spec, spec.design ? *spec.design->seed : 0);
  if (auto allowed = quotas_.check_job(owner, live_of(owner), reserved_time(spec, arms.size())); !allowed) {
    return std::unexpected(std::move(allowed.error()));
  }
  auto stored = ports_.store.add_job(spec, arms, owner, ports_.clock.now());
  if (!stored) return std::unexpected(std::move(stored.error()));

  Job job;
  job.spec = std::move(spec);
  job.status.owner = owner;
  job.status.runs = std::move(stored->runs);
  job.status.arms = std::move(arms);
  add(stored->id, std::move(job));
  return stored->id;
}

void Scheduler::add(JobId id, Job added) {
  Job& job = jobs_[id] = std::move(added);
  job.status.id = id;
  job.status.scenario = job.spec.name;
  job.status.label = job.spec.label;
  job.status.repeat = job.spec.repeat;
  job.status.purpose = job.spec.purpose;
  job.status.design = job.spec.design;
  job.status.planned = planned_duration(job.spec);
  if (job.spec.design && job.spec.design->reboots) {
    job.status.boots_planned = letters_left(job.status.arms, 0);
    if (auto known = ports_.store.boot_time(job.spec.name); known) job.boot_time = *known;
  } else if (auto known = ports_.store.time_between_runs(job.spec.name); known && *known) {
    job.between_runs = **known;
  }
  queue_.push_back(id);
  const JobStatus status = status_of(job);
  for (RunObserver* observer : observers_) observer->job_added(status);
  schedule_turn();
}

Status Scheduler::mark(JobId id, const std::string& text) {
  if (!jobs_.contains(id)) return fail(ErrorKind::not_found, fmt::format("job {}: no such live job", id));
  if (!run_ || queue_.front() != id) {
    return fail(ErrorKind::not_running, fmt::format("job {} has no run under way", id));
  }
  return run_->mark(text);
}

Result<Scheduler::Job*> Scheduler::find_not_ended(JobId id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return fail(ErrorKind::not_found, fmt::format("job {}: no such live job", id));
  const JobState state = found->second.status.state;
  if (has_ended(state)) {
    return fail(ErrorKind::not_running, fmt::format("job {} has ended already ({})", id, to_string(state)));
  }
  return &found->second;
}

Status Scheduler::stop(JobId id, const std::string& reason) {
  const auto found = find_not_ended(id);
  if (!found) return std::unexpected(found.error());
  Job& job = **found;
  if (job.stop_reason.empty()) job.stop_reason = reason;
  const bool is_front = queue_.front() == id;
  if (is_front && run_) {
    run_->cancel(reason);
  } else if (is_front && is_busy()) {
    give_up_step();
  } else {
    schedule_turn();
  }
  return {};
}

std::vector<JobStatus> Scheduler::jobs() const {
  std::vector<JobStatus> all;
  all.reserve(jobs_.size());
  for (const auto& [id, job] : jobs_) all.push_back(status_of(job));
  return all;
}

std::optional<JobStatus> Scheduler::job(JobId id) const {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  return status_of(found->second);
}

// Anything that may call observers happens in a turn of its own, not inside the call that requested it.
void Scheduler::schedule_turn() {
  if (turn_) return;
  turn_ = ports_.clock.after(std::chrono::milliseconds{0}, [this] {
    turn_.reset();
    start_next_run();
  });
}

void Scheduler::start_next_run() {
  cancel_stopped_jobs();
  if (is_busy()) return;
  if (shut_down_done_) return suspend();
  if (queue_.empty()) return;
  Job& job = current_job();
  job.status.state = JobState::running;
  if (!job.began) job.began = ports_.clock.since_boot();
  job.status.current_run = job.status.runs.at(job.status.runs_ended);
  if (!may_go_on(job)) return schedule_turn();
  if (has_commands(job.spec)) {
    bring_side(job);
  } else if (needs_count(job)) {
    choose_functions(job);
  } else {
    start_run(job);
  }
}

void Scheduler::cancel_stopped_jobs() {
  // A copy, because ending a job removes it from the queue.
  for (const JobId id : std::deque(queue_)) {
    Job& job = jobs_.at(id);
    if (!job.stop_reason.empty() && !(is_busy() && queue_.front() == id)) {
      cancel_pending_runs(job, job.stop_reason);
    }
  }
}

void Scheduler::start_run(Job& job) {
  RunListener& listener = *this;
  if (job.spec.trace && job.status.owner != 0) job.spec.trace->viewer = job.status.owner;
  run_ = std::make_unique<RunController>(ports_, *job.status.current_run, job.spec,
                                         job.status.arms.at(job.status.runs_ended).traced, listener);
  if (job.server_missed) run_->waive_server_wait();
  run_->start();
  progress_ = ports_.clock.after(kProgressPeriod, [this] { tick(); });
  announce(job);
}

void Scheduler::tick() {
  progress_ = ports_.clock.after(kProgressPeriod, [this] { tick(); });
  if (run_->state() == RunState::running && current_job().status.planned) announce(current_job());
}

void Scheduler::run_changed() {
  announce(current_job());
}

void Scheduler::run_interval(const Interval& interval) {
  for (RunObserver* observer : observers_) observer->run_interval(queue_.front(), run_->id(), interval);
}

void Scheduler::run_trace(const TraceProgress& progress) {
  for (RunObserver* observer : observers_) observer->run_trace(queue_.front(), run_->id(), progress);
}

void Scheduler::run_ended(RunState state, const std::string& error) {
  Job& job = current_job();
  const auto ended_run = std::move(run_);
  progress_.reset();
  if (state == RunState::finished || ended_run->waited_in_vain()) {
    job.server_missed = state != RunState::finished;
  }
  const bool cannot_go_on = state == RunState::failed && !ended_run->started() && is_first_since_restart(job);
  count_ended_run(job, ended_run->id(), state, error);
  if (job.status.runs_ended == job.status.runs.size()) {
    leave_job(job);
  } else if (cannot_go_on) {
    cancel_pending_runs(job,
                        fmt::format("not measured, since run {}, the first one after a restart of netperfd, "
                                    "could not be prepared: {}",
                                    ended_run->id(), error));
  } else if (ended_run->lacks_something() && job.status.runs_ended == 1) {
    // What the job asks for was never here, and its other runs would fail too.
    job.outcome = Outcome::given_up;
    cancel_pending_runs(
        job, fmt::format("not measured, since run {} could not be prepared: {}", ended_run->id(), error));
  } else {
    announce(job);
    announce_waiting();
  }
  schedule_turn();
}

void Scheduler::count_ended_run(Job& job, RunId run, RunState state, const std::string& error) {
  job.status.progress = progress_of(job);
  job.status.current_run.reset();
  const auto before = job.last_ended ? job.last_ended : job.began;
  job.last_ended = ports_.clock.since_boot();
  if (before) job.pace.add(job.status.arms, job.status.runs_ended, *job.last_ended - *before);
  ++job.status.runs_ended;
  job.status.run_state = state;
  if (state == RunState::finished) ++job.status.runs_finished;
  job.outcome = std::max(job.outcome, outcome_of(state));
  if (outcome_of(state) == Outcome::run_failed) job.status.error = error;
  const JobStatus status = status_of(job);
  for (RunObserver* observer : observers_) observer->run_ended(status, run, state, error);
}

void Scheduler::cancel_pending_runs(Job& job, const std::string& reason) {
  RunState state = RunState::canceled;
  std::string error = reason;
  if (auto stored = ports_.store.cancel_pending(job.status.id, reason); !stored) {
    state = RunState::failed;
    error = fmt::format("the cancellation could not be stored: {}", stored.error().message);
  }
  while (job.status.runs_ended < job.status.runs.size()) {
    count_ended_run(job, job.status.runs.at(job.status.runs_ended), state, error);
  }
  leave_job(job);
}

Scheduler::Outcome Scheduler::outcome_of(RunState state) {
  if (state == RunState::failed || state == RunState::interrupted) return Outcome::run_failed;
  return state == RunState::canceled ? Outcome::run_canceled : Outcome::finished;
}

JobState Scheduler::end_state(Outcome outcome) {
  switch (outcome) {
    case Outcome::finished:
      return JobState::finished;
    case Outcome::run_canceled:
      return JobState::canceled;
    case Outcome::run_failed:
    case Outcome::given_up:
      break;
  }
  return JobState::failed;
}

void Scheduler::end_job(Job& job) {
  const JobId id = job.status.id;
  std::erase(queue_, id);
  job.status.state = end_state(job.outcome);
  announce(job);
  announce_waiting();
  job.linger = ports_.clock.after(kLinger, [this, id] { forget(id); });
  const auto has_lingered = [](const auto& entry) { return has_ended(entry.second.status.state); };
  if (std::ranges::count_if(jobs_, has_lingered) > kLingerLimit) {
    forget(std::ranges::find_if(jobs_, has_lingered)->first);
  }
}

void Scheduler::forget(JobId id) {
  for (RunObserver* observer : observers_) observer->job_removed(id);
  jobs_.erase(id);
}

void Scheduler::announce(Job& job) {
  job.status.progress = progress_of(job);
  const JobStatus status = status_of(job);
  for (RunObserver* observer : observers_) observer->job_changed(status);
}

void Scheduler::announce_waiting() {
  for (const JobId id : queue_) {
    if (Job& job = jobs_.at(id); job.status.state == JobState::pending) announce(job);
  }
}

JobStatus Scheduler::status_of(const Job& job) const {
  JobStatus status = job.status;
  status.progress = progress_of(job);
  const auto place = std::ranges::find(queue_, status.id);
  if (place != queue_.end()) {
    status.queue_position = static_cast<std::uint32_t>(place - queue_.begin());
    status.expected_end = expected_end(job);
  }
  if (sides_ && place == queue_.begin()) status.waiting = sides_->waiting();
  if (choice_ && place == queue_.begin() && status.waiting.empty()) status.waiting = choice_->waiting();
  if (place == queue_.begin() && boots_ != nullptr) {
    if (boots_->note()) status.boots = boots_->note()->boots;
    status.side = boots_->side();
  }
  if (run_ && status.current_run == run_->id()) {
    status.run_state = run_->state();
    status.waiting = run_->waiting();
  }
  return status;
}

double Scheduler::progress_of(const Job& job) const {
  const JobStatus& status = job.status;
  double runs = status.runs_ended;
  if (run_ && status.current_run == run_->id() && status.planned && run_->started()) {
    const std::chrono::duration<double> elapsed = ports_.clock.since_boot() - *run_->started();
    runs += std::clamp(elapsed / std::chrono::duration<double>(*status.planned), 0.0, 1.0);
  }
  return std::max(status.progress, runs / static_cast<double>(status.runs.size()));
}

std::optional<std::chrono::microseconds> Scheduler::run_time(const Job& job, std::size_t run) const {
  auto time = job.pace.of(job.status.arms, run);
  if (!time && job.status.planned) time = *job.status.planned + job.between_runs;
  const auto since = job.last_ended ? job.last_ended : job.began;
  if (!time || !job.status.planned || !since || run != job.status.runs_ended || !job.status.current_run)
    return time;
  // If what comes before the run takes longer than thought, the run itself is still to come.
  const auto now = ports_.clock.since_boot();
  const auto started = run_ ? run_->started() : std::nullopt;
  const auto own_left = *job.status.planned - (started ? now - *started : std::chrono::microseconds{0});
  return std::max(*time, now - *since + std::max<std::chrono::microseconds>(own_left, {}));
}

std::optional<std::chrono::microseconds> Scheduler::time_left(const Job& job) const {
  if (job.spec.design && job.spec.design->reboots) return time_left_with_boots(job);
  std::chrono::microseconds left{0};
  for (std::size_t run = job.status.runs_ended; run < job.status.runs.size(); ++run) {
    const auto time = run_time(job, run);
    if (!time) return std::nullopt;
    left += *time;
  }
  return left;
}

std::optional<WallTime> Scheduler::expected_end(const Job& asked) const {
  WallTime end = ports_.clock.now();
  for (const JobId id : queue_) {
    const Job& job = jobs_.at(id);
    const auto left = time_left(job);
    if (!left) return std::nullopt;
    end = std::max(end, counted_from(job, end) + *left);
    if (id == asked.status.id) break;
  }
  return end;
}

}  // namespace netperfd::core
