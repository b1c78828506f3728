// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/job_execution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "daemon/core/queue/admission.hpp"
#include "daemon/core/sides/boot_switch.hpp"
#include "daemon/core/sides/side_commands.hpp"
#include "daemon/core/sides/side_switch.hpp"

namespace netperfd::core {
namespace {

// The note of settings that could not be brought back is still needed: then the job has one of its own.
SwitchProgram switch_program(const RunPorts& ports, JobId job) {
  SwitchProgram program = ports.switch_program;
  const auto left = ports.sides.left();
  const auto needs_it = [&](const SideNote& note) {
    return std::ranges::find(note.apply, program.note) != note.apply.end();
  };
  if (left && std::ranges::any_of(*left, needs_it)) program.note += fmt::format(".{}", job);
  return program;
}

std::unique_ptr<Sides> make_sides(const RunPorts& ports, const LiveJob& job, std::function<void()> changed) {
  const Design& design = *job.spec.design;
  if (!design.reboots) {
    return std::make_unique<SideSwitch>(
        SideSwitch::Ports{ports.commands, ports.sides, ports.clock, ports.parts}, job.status.id,
        SideCommands(design, switch_program(ports, job.status.id)));
  }
  auto boots =
      std::make_unique<BootSwitch>(BootSwitch::Ports{ports.commands, ports.boots, ports.clock, ports.store},
                                   job.status.id, design, most_reboots(job.spec), std::move(changed));
  if (job.held) (void)boots->hold(true);
  return boots;
}

}  // namespace

JobExecution::JobExecution(const RunPorts& ports, LiveJob& job, JobQueue& queue, JobListener& listener)
    : ports_(ports), job_(job), queue_(queue), listener_(listener) {}

void JobExecution::go_on() {
  if (has_commands(job_.spec)) {
    bring_side();
  } else if (job_.needs_count()) {
    choose_functions();
  } else {
    start_run();
  }
}

void JobExecution::bring_side() {
  job_.status.run_state = RunState::pending;
  const bool is_first = !sides_;
  if (is_first) sides_ = make_sides(ports_, job_, [this] { queue_.announce(job_); });
  // Each side of a design that reboots traces what it has: nobody knows the other one's functions.
  if (is_first && !job_.reboots() && job_.spec.trace && job_.spec.trace->function_graph) {
    choose_functions();
  } else {
    sides_->bring(job_.next_slot(), [this](const Status& status) { end_step(status); });
    queue_.announce(job_);
  }
}

void JobExecution::choose_functions() {
  job_.status.run_state = RunState::pending;
  choice_ = std::make_unique<FunctionChoice>(
      CallCounter::Ports{ports_.workload, ports_.tracer, ports_.counters, ports_.clock}, sides_.get(),
      job_.spec, job_.needs_count());
  choice_->make(job_.next_slot(), [this](const Status& status) { end_step(status); });
  queue_.announce(job_);
}

// The choice must be the same for all runs, also after a restart of the daemon.
Status JobExecution::keep_choice(const FunctionChoice& choice) {
  job_.server_missed = job_.server_missed || choice.missed_server();
  if (!choice.budget()) return {};
  job_.budget_chosen = true;
  return ports_.store.set_budget(job_.status.id, *choice.budget());
}

void JobExecution::end_step(const Status& reached) {
  const auto choice = std::move(choice_);
  Status status = reached;
  if (status && choice) status = keep_choice(*choice);
  // Another kernel may not have what the job traces.
  if (status && job_.reboots()) status = check_trace(ports_.tracer, job_.spec);
  listener_.run_is_ready(job_, status);
}

void JobExecution::start_run() {
  RunListener& listener = *this;
  if (job_.spec.trace && job_.status.owner != 0) job_.spec.trace->viewer = job_.status.owner;
  const Slot slot = job_.next_slot();
  run_ = std::make_unique<RunController>(ports_, *job_.status.current_run,
                                         spec_of_side(job_.spec, slot.variant, slot.point), slot.traced,
                                         listener);
  if (job_.server_missed) run_->waive_server_wait();
  run_->start();
  progress_ = ports_.clock.after(kProgressPeriod, [this] { tick(); });
  queue_.announce(job_);
}

void JobExecution::tick() {
  progress_ = ports_.clock.after(kProgressPeriod, [this] { tick(); });
  if (run_->state() == RunState::running && job_.status.planned) queue_.announce(job_);
}

void JobExecution::run_interval(const Interval& interval) {
  queue_.announce_interval(job_, run_->id(), interval);
}

void JobExecution::run_trace(const TraceProgress& progress) {
  queue_.announce_trace(job_, run_->id(), progress);
}

void JobExecution::run_ended(RunState state, const std::string& error) {
  const auto ended = std::move(run_);
  progress_.reset();
  if (state == RunState::finished || ended->waited_in_vain()) {
    job_.server_missed = state != RunState::finished;
  }
  listener_.run_ended(job_, *ended, state, error);
}

void JobExecution::cancel(const std::string& reason) {
  if (run_) {
    run_->cancel(reason);
  } else {
    give_up_step();
  }
}

void JobExecution::interrupt(const std::string& reason) {
  if (run_) {
    run_->interrupt(reason);
  } else {
    give_up_step();
  }
}

void JobExecution::give_up_step() {
  if (choice_) {
    choice_->give_up();
  } else if (sides_) {
    sides_->give_up();
  }
}

void JobExecution::leave(Sides::Done done) {
  if (job_.stop_reason.empty()) {
    sides_->restore(std::move(done));
  } else {
    sides_->leave(std::move(done));
  }
}

std::optional<BootState> JobExecution::boot_state() const {
  return sides_ ? sides_->boot_state() : std::nullopt;
}

void JobExecution::complete(JobStatus& status) const {
  if (sides_) status.waiting = sides_->waiting();
  if (choice_ && status.waiting.empty()) status.waiting = choice_->waiting();
  if (const auto boots = boot_state()) {
    if (boots->boots) status.boots = *boots->boots;
    status.side = boots->side;
  }
  if (run_ && status.current_run == run_->id()) {
    status.run_state = run_->state();
    status.waiting = run_->waiting();
  }
}

}  // namespace netperfd::core
