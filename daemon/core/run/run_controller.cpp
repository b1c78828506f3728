// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/run_controller.hpp"

#include <fmt/format.h>

#include <utility>

#include "daemon/analysis/compare/budget_choice.hpp"
#include "daemon/core/deferred_ends.hpp"
#include "daemon/core/run/host_faults.hpp"
#include "daemon/core/run/run_noise.hpp"
#include "daemon/core/run/trace_facts.hpp"
#include "daemon/model/units.hpp"

namespace netperfd::core {

RunController::RunController(RunPorts ports, RunId run, JobSpec spec, bool traced, RunListener& listener)
    : ports_(ports),
      run_(run),
      spec_(std::move(spec)),
      traced_(traced && spec_.trace),
      listener_(listener),
      wait_(ports.clock, spec_.test.path.server_wait) {}

void RunController::start() {
  begin_attempt();
}

void RunController::begin_attempt() {
  AttemptListener& listener = *this;
  attempt_ = std::make_unique<Attempt>(ports_, spec_, traced_, listener);
  const Status prepared = prepare();
  if (prepared) return;
  failed_preparation_ = prepared.error().message;
  lacks_something_ = attempt_->lacks_something();
  finish_later();
}

Status RunController::prepare() {
  if (state_ != RunState::preparing) {
    if (auto begun = step_to(RunState::preparing); !begun) return begun;
  }
  return attempt_->prepare();
}

// The listener must not be called from inside start() or cancel().
void RunController::finish_later() {
  finish_ = ports_.clock.after(std::chrono::milliseconds{0}, [this] { finish(); });
}

bool RunController::waits_for_caller() const {
  return !spec_.workload.ends_by_itself && state_ == RunState::running;
}

void RunController::cancel(const std::string& reason) {
  end_on_request(RunState::canceled, reason);
}

void RunController::interrupt(const std::string& reason) {
  end_on_request(RunState::interrupted, reason);
}

void RunController::end_on_request(RunState state, const std::string& reason) {
  if (waits_for_caller()) {
    attempt_->stop();
  } else {
    end_early(state, reason);
  }
}

void RunController::attempt_is_late() {
  end_on_request(RunState::failed, fmt::format("not done within the deadline of {} (limits.timeout)",
                                               format_duration(spec_.limits.timeout)));
}

Status RunController::mark(const std::string& text) {
  if (!attempt_ || !attempt_->is_traced() || state_ != RunState::running) {
    return fail(ErrorKind::not_running, fmt::format("run {} is not being traced just now", run_));
  }
  return attempt_->mark(text);
}

void RunController::end_early(RunState state, const std::string& error) {
  if (early_end_ || (attempt_ && attempt_->workload_has_ended())) return;
  early_end_ = EarlyEnd{state, error};
  if (wait_.pending()) {
    wait_.give_up();
    finish_later();
  } else if (attempt_) {
    attempt_->stop();
  }
}

Status RunController::step_to(RunState state) {
  if (auto stored = ports_.store.set_state(run_, state); !stored) return stored;
  state_ = state;
  return {};
}

void RunController::attempt_prepared() {
  if (early_end_) return;
  attempt_->take_fingerprint();
  // Stored before the release, so that the write does not disturb the measurement.
  Status ready = step_to(RunState::running);
  if (ready) ready = attempt_->begin();
  if (ready) {
    listener_.run_changed();
  } else {
    end_early(RunState::failed, ready.error().message);
  }
}

void RunController::attempt_stopped() {
  if (state_ != RunState::running) return;
  // If the store refuses this step, it refuses the record too, and finish() reports that. The step is taken
  // anyway: nothing is left that could be marked.
  const bool stored = step_to(RunState::collecting).has_value();
  state_ = RunState::collecting;
  if (stored) listener_.run_changed();
}

void RunController::attempt_ended() {
  lacks_something_ = attempt_->lacks_something();
  if (!wait_for_server()) finish();
}

bool RunController::wait_for_server() {
  const ServerAbsence server = attempt_->server();
  if (early_end_ || server == ServerAbsence::none || state_ != RunState::collecting ||
      !attempt_->has_restored()) {
    return false;
  }
  const auto again = [this] {
    begin_attempt();
    listener_.run_changed();
  };
  if (!wait_.wait(server, again)) {
    lacks_something_ = wait_.in_vain() && server == ServerAbsence::absent;
    return false;
  }
  if (!step_to(RunState::preparing)) {
    wait_.give_up();
    return false;
  }
  // A run that ends while it waits has measured nothing.
  RunRecord failed = attempt_->take().record;
  left_ = {};
  left_.record.workload = std::move(failed.workload);
  left_.record.flags = std::move(failed.flags);
  left_.record.fingerprint = std::move(failed.fingerprint);
  attempt_.reset();
  listener_.run_changed();
  return true;
}

void RunController::add_wait(RunRecord& record) const {
  if (!wait_.waited()) return;
  WorkloadResult& result = record.workload;
  record.flags.push_back({std::string(kServerWaited), wait_.result_words()});
  if (result.server != ServerAbsence::none) result.error += "; " + wait_.result_words();
}

RunRecord RunController::make_record() {
  AttemptResult left = attempt_ ? attempt_->take() : std::move(left_);
  RunRecord& record = left.record;
  record.id = run_;
  if (!failed_preparation_.empty()) record.workload.error = failed_preparation_;
  add_wait(record);
  if (early_end_) {
    record.state = early_end_->state;
    record.error = early_end_->error;
    // iperf3's own error shows whether the path was slow or dead.
    if (record.state == RunState::failed && !record.workload.error.empty())
      record.error += "; " + record.workload.error;
  } else {
    record.state = record.workload.error.empty() ? RunState::finished : RunState::failed;
    record.error = record.workload.error;
  }
  add_noise(spec_, record);
  if (left.host) add_host_faults(*left.host, record);
  if (record.trace && record.trace->profile && record.counters) {
    record.trace->profile->tracer_share = analysis::tracer_share(*record.trace, record.counters->deltas);
  }
  if (record.fingerprint) {
    for (const MachineSetting& set : spec_.machine)
      record.fingerprint->facts.push_back({std::string(kMachineFacts), set.target, set.value});
  }
  if (record.fingerprint) add_trace_facts(spec_, record.trace, *record.fingerprint);
  return std::move(record);
}

void RunController::finish() {
  storing_.emplace(ports_.store, ports_.clock, make_record(), [this](RunRecord record, const Status& stored) {
    if (!stored) record = end_without_record(record, stored.error());
    state_ = record.state;
    listener_.run_ended(record.state, record.error);
  });
  storing_->begin();
}

}  // namespace netperfd::core
