#include "daemon/core/run_controller.hpp"

#include <fmt/format.h>

#include <utility>

#include "daemon/model/units.hpp"

namespace netperfd::core {

RunController::RunController(RunPorts ports, RunId run, const JobSpec& spec, RunListener& listener)
    : ports_(ports), run_(run), spec_(spec), listener_(listener) {}

void RunController::start() {
  deadline_ = ports_.clock.after(spec_.limits.timeout, [this] {
    end_early(RunState::failed, fmt::format("not done within the deadline of {} (limits.timeout)",
                                            format_duration(spec_.limits.timeout)));
  });
  Status begun = step_to(RunState::preparing);
  if (begun) {
    auto prepared = ports_.workload.prepare(spec_, *this);
    if (prepared) {
      workload_ = std::move(*prepared);
      return;
    }
    begun = std::unexpected(std::move(prepared.error()));
  }
  failed_start_ = ports_.clock.after(std::chrono::milliseconds{0}, [this, error = begun.error().message] {
    WorkloadResult nothing;
    nothing.error = error;
    finish(std::move(nothing));
  });
}

void RunController::cancel(const std::string& reason) {
  end_early(RunState::canceled, reason);
}

void RunController::end_early(RunState state, const std::string& error) {
  if (early_end_ || state_ == RunState::collecting) return;
  early_end_ = EarlyEnd{state, error};
  if (workload_) workload_->stop();
}

Status RunController::step_to(RunState state) {
  if (auto stored = ports_.store.set_state(run_, state); !stored) return stored;
  state_ = state;
  return {};
}

void RunController::workload_prepared() {
  if (early_end_) return;
  // Stored before the release: the write must not fall into the measurement.
  if (auto stored = step_to(RunState::running); !stored) {
    end_early(RunState::failed, stored.error().message);
    return;
  }
  started_ = ports_.clock.now();
  workload_->release();
  listener_.run_changed();
}

void RunController::workload_interval(const Interval& interval) {
  listener_.run_interval(interval);
}

void RunController::workload_ended(WorkloadResult result) {
  ended_ = ports_.clock.now();
  if (state_ == RunState::running) {
    // Where the store refuses this step it refuses the record too, and finish() says so.
    if (step_to(RunState::collecting)) listener_.run_changed();
  }
  finish(std::move(result));
}

RunRecord RunController::make_record(WorkloadResult result) const {
  RunRecord record;
  record.id = run_;
  record.started = started_;
  record.ended = ended_;
  if (early_end_) {
    record.state = early_end_->state;
    record.error = early_end_->error;
    // What iperf3 said of it tells a slow path from a dead one.
    if (record.state == RunState::failed && !result.error.empty()) record.error += "; " + result.error;
  } else {
    record.state = result.error.empty() ? RunState::finished : RunState::failed;
    record.error = result.error;
  }
  record.workload = std::move(result);
  return record;
}

void RunController::finish(WorkloadResult result) {
  deadline_.reset();
  RunRecord record = make_record(std::move(result));
  if (auto stored = ports_.store.finish(record); !stored) {
    record.state = RunState::failed;
    record.error = fmt::format("the run could not be stored: {}", stored.error().message);
  }
  state_ = record.state;
  listener_.run_ended(record.state, record.error);
}

}  // namespace netperfd::core
