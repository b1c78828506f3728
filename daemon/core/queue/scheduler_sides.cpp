// SPDX-License-Identifier: GPL-2.0-or-later
// The scheduler's part in designs with commands: each run waits for its side.
#include <fmt/format.h>

#include <utility>

#include "daemon/core/deferred_ends.hpp"
#include "daemon/core/queue/boot_estimate.hpp"
#include "daemon/core/queue/scheduler.hpp"
#include "daemon/core/sides/side_switch.hpp"

namespace netperfd::core {

void Scheduler::bring_side(Job& job) {
  const Arm& arm = job.status.arms.at(job.status.runs_ended);
  const auto reached = [this](const Status& status) { side_reached(status); };
  job.status.run_state = RunState::pending;
  const bool is_first = !sides_;
  if (is_first) make_sides(job);
  // Each side of a design that reboots traces what it has: nobody knows the other one's functions.
  if (is_first && boots_ == nullptr && job.spec.trace && job.spec.trace->function_graph) {
    choose_functions(job);
  } else {
    sides_->bring(arm, reached);
    announce(job);
  }
}

bool Scheduler::needs_count(const Job& job) {
  return job.spec.trace && job.spec.trace->budget && !job.budget_chosen;
}

void Scheduler::choose_functions(Job& job) {
  job.status.run_state = RunState::pending;
  choice_ = std::make_unique<FunctionChoice>(
      CallCounter::Ports{ports_.workload, ports_.tracer, ports_.counters, ports_.clock}, sides_.get(),
      job.spec, needs_count(job));
  choice_->make(job.status.arms.at(job.status.runs_ended),
                [this](const Status& status) { side_reached(status); });
  announce(job);
}

// The choice must be the same for all runs, also after a restart of the daemon.
Status Scheduler::keep_choice(Job& job, const FunctionChoice& choice) {
  job.server_missed = job.server_missed || choice.missed_server();
  if (!choice.budget()) return {};
  job.budget_chosen = true;
  return ports_.store.set_budget(job.status.id, *choice.budget());
}

void Scheduler::give_up_step() {
  if (choice_) {
    choice_->give_up();
  } else {
    sides_->give_up();
  }
}

void Scheduler::make_sides(Job& job) {
  const Design& design = *job.spec.design;
  if (!design.reboots) {
    sides_ = std::make_unique<SideSwitch>(SideSwitch::Ports{ports_.commands, ports_.sides, ports_.clock},
                                          job.status.id, design);
    boots_ = nullptr;
    return;
  }
  auto boots = std::make_unique<BootSwitch>(
      BootSwitch::Ports{ports_.commands, ports_.boots, ports_.clock, ports_.store}, job.status.id, design,
      most_reboots(job.spec), [this] { announce(current_job()); });
  boots_ = boots.get();
  if (job.held) (void)boots_->hold(true);
  sides_ = std::move(boots);
}

void Scheduler::side_reached(const Status& reached) {
  Job& job = current_job();
  const auto choice = std::move(choice_);
  Status status = reached;
  if (status && choice) status = keep_choice(job, *choice);
  // Another kernel may not have what the job traces.
  if (status && boots_ != nullptr) status = check_trace(job.spec);
  if (!job.stop_reason.empty()) {
    cancel_pending_runs(job, job.stop_reason);
  } else if (shut_down_done_) {
    schedule_turn();
  } else if (!status) {
    // Without its side there is nothing to compare the other side with, so further runs would waste time.
    give_up(job, status.error().message, "did not get its side");
  } else {
    start_run(job);
  }
  // A job without sides ends at once.
  if (!is_busy()) schedule_turn();
}

void Scheduler::give_up(Job& job, const std::string& error, std::string_view why) {
  job.outcome = Outcome::given_up;
  RunRecord record;
  record.id = *job.status.current_run;
  record.state = RunState::failed;
  record.error = error;
  if (auto stored = ports_.store.finish(record); !stored) record = end_without_record(record, stored.error());
  count_ended_run(job, record.id, record.state, record.error);
  cancel_pending_runs(job, fmt::format("not measured, since run {} {}", record.id, why));
}

void Scheduler::leave_job(Job& job) {
  if (!sides_ || queue_.front() != job.status.id) {
    end_job(job);
    return;
  }
  announce(job);
  const auto left = [this](const Status& status) {
    Job& front = current_job();
    if (!status) report_side(front, status.error());
    if (boots_ != nullptr && boots_->note()) front.status.boots = boots_->note()->boots;
    const auto ended = std::move(sides_);
    boots_ = nullptr;
    end_job(front);
    schedule_turn();
  };
  if (job.stop_reason.empty()) {
    sides_->restore(left);
  } else {
    sides_->leave(left);
  }
}

void Scheduler::report_side(Job& job, const Error& error) {
  job.outcome = Outcome::given_up;
  job.status.side_error = error.message;
  if (!job.status.error.empty()) job.status.error += "; ";
  job.status.error += error.message;
}

Status Scheduler::hold(JobId id, bool held) {
  const auto found = find_not_ended(id);
  if (!found) return std::unexpected(found.error());
  Job& job = **found;
  if (!job.spec.design || !job.spec.design->reboots) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("job {} does not reboot the machine; `netperfctl stop {}` ends it", id, id));
  }
  if (boots_ != nullptr && queue_.front() == id) {
    if (Status done = boots_->hold(held); !done) return done;
  }
  job.held = held;
  announce(job);
  if (auto stored = ports_.store.set_held(id, held); !stored) {
    return fail(stored.error().kind,
                fmt::format("job {} {}, until netperfd is restarted: that could not be stored: {}", id,
                            held ? "is held" : "goes on", stored.error().message));
  }
  return {};
}

std::optional<std::chrono::microseconds> Scheduler::time_left_with_boots(const Job& job) const {
  const JobStatus& status = job.status;
  if (!status.planned || job.held || (is_rebooting(job) && boots_->is_held())) return std::nullopt;
  std::int64_t boots = letters_left(status.arms, status.runs_ended);
  std::chrono::microseconds settling{0};
  if (boots > 0 && is_rebooting(job) && boots_->is_booted_for(status.arms[status.runs_ended])) {
    --boots;
    if (!job.last_ended) settling = job.spec.design->reboots->settle;
  }
  const auto runs = static_cast<std::int64_t>(status.runs.size() - status.runs_ended);
  return settling + time_of_boots(job.spec, boots, runs, job.boot_time);
}

WallTime Scheduler::counted_from(const Job& job, WallTime now) const {
  const auto moment = job.last_ended ? job.last_ended : job.began;
  const WallTime from = moment ? ports_.clock.now() - (ports_.clock.since_boot() - *moment) : now;
  if (!is_rebooting(job)) return from;
  return std::max(from, boots_->announced_since().value_or(from));
}

}  // namespace netperfd::core
