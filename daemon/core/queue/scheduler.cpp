// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <string_view>
#include <utility>

#include "daemon/core/deferred_ends.hpp"
#include "daemon/core/queue/early_end.hpp"

namespace netperfd::core {

Scheduler::Scheduler(RunPorts ports, std::uint32_t queue_limit, SeedSource draw_seed)
    : ports_(ports),
      draw_seed_(std::move(draw_seed)),
      queue_(ports.store, ports.clock),
      admission_(ports_, queue_, queue_limit),
      left_({ports_.commands, ports_.sides, ports_.parts, ports_.clock}) {}

std::uint64_t Scheduler::random_seed() {
  return std::random_device{}();
}

Result<JobId> Scheduler::submit(JobSpec spec, uid_t owner) {
  if (shut_down_done_) return fail(ErrorKind::busy, "netperfd is stopping");
  if (auto accepted = admission_.check_job(spec, owner); !accepted) {
    return std::unexpected(std::move(accepted.error()));
  }
  if (spec.design && !spec.design->seed) spec.design->seed = draw_seed_();
  auto slots = draw_slots(spec, spec.design ? *spec.design->seed : 0);
  auto stored = ports_.store.add_job(spec, slots, owner, ports_.clock.now());
  if (!stored) return std::unexpected(std::move(stored.error()));
  queue_.add(stored->id, new_job(std::move(spec), owner, std::move(stored->runs), std::move(slots)));
  schedule_turn();
  return stored->id;
}

void Scheduler::resume(ResumedJob resumed) {
  const JobId id = resumed.id;
  queue_.add(id, resumed_job(std::move(resumed)));
  schedule_turn();
}

Status Scheduler::mark(JobId id, const std::string& text) {
  const auto found = queue_.find(id);
  if (!found) return std::unexpected(found.error());
  RunController* const run = (*found)->execution ? (*found)->execution->run() : nullptr;
  if (run == nullptr) return fail(ErrorKind::not_running, fmt::format("job {} has no run under way", id));
  return run->mark(text);
}

Status Scheduler::stop(JobId id, const std::string& reason) {
  const auto found = queue_.find_not_ended(id);
  if (!found) return std::unexpected(found.error());
  LiveJob& job = **found;
  if (job.stop_reason.empty()) job.stop_reason = reason;
  if (job.execution && job.execution->is_busy()) {
    job.execution->cancel(reason);
  } else {
    schedule_turn();
  }
  return {};
}

Status Scheduler::hold(JobId id, bool held) {
  const auto found = queue_.find_not_ended(id);
  if (!found) return std::unexpected(found.error());
  LiveJob& job = **found;
  if (!job.reboots()) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("job {} does not reboot the machine; `netperfctl stop {}` ends it", id, id));
  }
  if (job.execution) {
    if (Status done = job.execution->hold(held); !done) return done;
  }
  job.held = held;
  queue_.announce(job);
  if (auto stored = ports_.store.set_held(id, held); !stored) {
    return fail(stored.error().kind,
                fmt::format("job {} {}, until netperfd is restarted: that could not be stored: {}", id,
                            held ? "is held" : "goes on", stored.error().message));
  }
  return {};
}

void Scheduler::shut_down(const std::string& reason, std::function<void()> done) {
  shut_down_done_ = std::move(done);
  if (is_executing()) queue_.front().execution->interrupt(reason);
  left_.skip_others();
  schedule_turn();
}

bool Scheduler::is_executing() const {
  return !queue_.empty() && queue_.front().execution && queue_.front().execution->is_busy();
}

bool Scheduler::is_idle() const {
  return !is_busy() && (queue_.empty() || queue_.front().status.state == JobState::pending);
}

Result<std::vector<LeftSide>> Scheduler::left_sides() const {
  auto left = left_.list();
  // The way back of the job under way is not due yet.
  if (left && !queue_.empty() && queue_.front().execution) {
    const JobId job = queue_.front().status.id;
    std::erase_if(*left, [job](const LeftSide& each) { return each.note.job == job; });
  }
  return left;
}

bool Scheduler::has_left_side(JobId job) const {
  const auto left = left_sides();
  return !left || std::ranges::any_of(*left, [job](const LeftSide& each) { return each.note.job == job; });
}

Status Scheduler::bring_back(JobId job, LeftSides::Done done) {
  if (shut_down_done_) return fail(ErrorKind::busy, "netperfd is stopping");
  const auto left = left_sides();
  if (!left) return std::unexpected(left.error());
  if (std::ranges::none_of(*left, [job](const LeftSide& each) { return each.note.job == job; }))
    return fail(ErrorKind::not_found, fmt::format("job {} left nothing that is to be brought back", job));
  if (left_.busy()) {
    return fail(ErrorKind::busy, "what ended jobs left is being brought back already");
  }
  // A turn that is due begins the next job, which no number of calls may hold up.
  if (!queue_.empty() && (queue_.front().execution || turn_)) {
    return fail(ErrorKind::busy,
                fmt::format("job {} is under way; what job {} left is tried to be brought back "
                            "when that has ended, before the next job",
                            queue_.front().status.id, job));
  }
  left_.bring_back(job, [this, done = std::move(done)](const Status& status) {
    schedule_turn();
    done(status);
  });
  return {};
}

// Anything that may call observers happens in a turn of its own, not inside the call that requested it.
void Scheduler::schedule_turn() {
  if (turn_) return;
  turn_ = ports_.clock.after(std::chrono::milliseconds{0}, [this] {
    turn_.reset();
    take_turn();
  });
}

void Scheduler::take_turn() {
  cancel_stopped_jobs();
  if (is_busy()) return;
  if (shut_down_done_) return suspend();
  if (!queue_.empty()) go_on(queue_.front());
}

void Scheduler::cancel_stopped_jobs() {
  // A copy, because ending a job removes it from the queue.
  for (const JobId id : std::deque(queue_.order())) {
    LiveJob& job = queue_.at(id);
    if (!job.stop_reason.empty() && !(job.execution && job.execution->is_busy())) {
      cancel_rest(job, job.stop_reason);
    }
  }
}

bool Scheduler::look_at(LiveJob& job) {
  const auto blocks = ports_.judge != nullptr ? due_look(job) : std::nullopt;
  if (!blocks) return false;
  const auto comparison = ports_.judge->judge(job.status.id);
  job.status.look = words_of_look(comparison, looks_of(job.spec), *blocks);
  job.decided = comparison && is_decided(*comparison);
  if (job.decided) cancel_rest(job, fmt::format("{}decided after {} blocks", kNotNeeded, *blocks));
  return job.decided;
}

bool Scheduler::brings_back(LiveJob& job) {
  if (job.execution || std::exchange(job.left_tried, true)) return false;
  const auto left = left_.list();
  if (!left || left->empty()) return false;  // a design that must know says that it cannot be read
  const JobId id = job.status.id;
  job.status.waiting = "brings back what earlier jobs left changed on the machine";
  queue_.announce(job);
  // What cannot be brought back concerns only some designs, which say so.
  left_.bring_back(std::nullopt, [this, id](const Status& status) {
    queue_.announce_left_sides(id, status);
    if (const auto found = queue_.find(id); found) (*found)->status.waiting.clear();
    schedule_turn();
  });
  return true;
}

void Scheduler::go_on(LiveJob& job) {
  if (brings_back(job)) return;
  if (look_at(job)) return schedule_turn();
  job.begin_run(ports_.clock.since_boot());
  if (auto room = ports_.store.expect_room(); !room) {
    give_up(job, room.error().message, "was refused by the store");
    schedule_turn();
  } else if (auto allowed = admission_.check_run(job.status.owner); !allowed) {
    cancel_rest(job, allowed.error().message);
    schedule_turn();
  } else {
    JobListener& listener = *this;
    if (!job.execution) job.execution = std::make_unique<JobExecution>(ports_, job, queue_, listener);
    job.execution->go_on();
  }
}

void Scheduler::run_is_ready(LiveJob& job, const Status& status) {
  if (!job.stop_reason.empty()) {
    cancel_rest(job, job.stop_reason);
  } else if (shut_down_done_) {
    schedule_turn();
  } else if (!status) {
    // Without its side there is nothing to compare the other side with, so further runs would waste time.
    give_up(job, status.error().message, "did not get its side");
  } else {
    job.execution->start_run();
  }
  // A job without sides ends at once.
  if (!is_busy()) schedule_turn();
}

void Scheduler::run_ended(LiveJob& job, const RunController& run, RunState state, const std::string& error) {
  const bool cannot_go_on = state == RunState::failed && !run.started() && job.is_first_since_restart();
  queue_.end_run(job, run.id(), state, error);
  // Both sides have the same server: one that was there before may come back.
  const bool is_first = run.waited_in_vain() ? job.status.runs_ended == 1 : job.has_ended_first_of_side();
  if (job.status.runs_ended == job.status.runs.size()) {
    leave(job);
  } else if (cannot_go_on) {
    cancel_rest(job, fmt::format("not measured, since run {}, the first one after a restart of netperfd, "
                                 "could not be prepared: {}",
                                 run.id(), error));
  } else if (run.lacks_something() && is_first) {
    // What the job or a side asks for was never here: its other runs would fail too, and with one side there
    // is nothing to compare.
    job.outcome = LiveJob::Outcome::given_up;
    const std::string_view lack =
        job.status.runs_ended == 1 ? "lacks what each run needs" : "lacks what each run of its side needs";
    cancel_rest(job, fmt::format("not measured, since run {} {}: {}", run.id(),
                                 run.started() ? lack : "could not be prepared", error));
  } else {
    queue_.announce(job);
    queue_.announce_waiting();
  }
  schedule_turn();
}

void Scheduler::give_up(LiveJob& job, const std::string& error, std::string_view why) {
  job.outcome = LiveJob::Outcome::given_up;
  RunRecord record;
  record.id = *job.status.current_run;
  record.state = RunState::failed;
  record.error = error;
  if (std::string output = job.execution ? job.execution->failed_output() : ""; !output.empty())
    record.workload.documents.push_back({.name = kCommandOutput, .bytes = std::move(output)});
  if (auto stored = ports_.store.finish(record); !stored) record = end_without_record(record, stored.error());
  queue_.end_run(job, record.id, record.state, record.error);
  cancel_rest(job, fmt::format("not measured, since run {} {}", record.id, why));
}

void Scheduler::cancel_rest(LiveJob& job, const std::string& reason) {
  queue_.cancel_runs(job, reason);
  leave(job);
}

void Scheduler::leave(LiveJob& job) {
  if (!job.execution || !job.execution->has_sides()) return queue_.end(job);
  queue_.announce(job);
  job.execution->leave([this, &job](const Status& status) {
    if (!status) job.add_side_error(status.error().message);
    const auto boots = job.execution->boot_state();
    if (boots && boots->boots) job.status.boots = *boots->boots;
    queue_.end(job);
    schedule_turn();
  });
}

void Scheduler::suspend() {
  const bool has_sides = !queue_.empty() && queue_.front().execution && queue_.front().execution->has_sides();
  if (!has_sides) return shut_down_done_();
  queue_.front().execution->suspend([this](const Status& status) {
    LiveJob& job = queue_.front();
    if (!status) job.add_side_error(status.error().message);
    job.execution.reset();
    queue_.announce(job);
    schedule_turn();
  });
}

}  // namespace netperfd::core
