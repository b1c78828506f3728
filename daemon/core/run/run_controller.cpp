// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/run_controller.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "daemon/analysis/compare/budget_choice.hpp"
#include "daemon/analysis/compare/goodput.hpp"
#include "daemon/core/deferred_ends.hpp"
#include "daemon/core/run/function_choice.hpp"
#include "daemon/core/run/host_faults.hpp"
#include "daemon/core/run/run_noise.hpp"
#include "daemon/core/run/trace_facts.hpp"
#include "daemon/model/units.hpp"

namespace netperfd::core {

RunController::RunController(RunPorts ports, RunId run, const JobSpec& spec, bool traced,
                             RunListener& listener)
    : ports_(ports),
      run_(run),
      spec_(spec),
      traced_(traced && spec.trace),
      listener_(listener),
      wait_(ports.clock, spec.test.path.server_wait) {}

void RunController::start() {
  begin_attempt();
}

void RunController::begin_attempt() {
  deadline_ = ports_.clock.after(spec_.limits.timeout, [this] {
    if (spec_.workload == WorkloadKind::none && state_ == RunState::running) {
      workload_->stop();
      return;
    }
    end_early(RunState::failed, fmt::format("not done within the deadline of {} (limits.timeout)",
                                            format_duration(spec_.limits.timeout)));
  });
  const Status prepared = prepare();
  if (prepared) return;
  abandon_trace();
  result_.error = prepared.error().message;
  // The listener must not be called from inside this call.
  failed_start_ = ports_.clock.after(std::chrono::milliseconds{0}, [this] { finish(); });
}

Status RunController::prepare() {
  if (state_ != RunState::preparing) {
    if (auto begun = step_to(RunState::preparing); !begun) return begun;
  }
  if (auto traced = prepare_trace(); !traced) return traced;
  auto workload = ports_.workload.prepare(spec_, *this);
  if (!workload) {
    lacks_something_ = workload.error().kind == ErrorKind::not_found;
    return std::unexpected(std::move(workload.error()));
  }
  workload_ = std::move(*workload);
  return {};
}

Status RunController::prepare_trace() {
  if (!traced_) return {};
  auto trace = ports_.tracer.prepare(*spec_.trace, *this);
  if (!trace) return go_on_without_trace(trace.error());
  trace_ = std::move(*trace);
  const auto& graph = spec_.trace->function_graph;
  if (graph && !graph->left_out.empty()) {
    flags_.push_back(
        {std::string(kFunctionsLeftOut),
         fmt::format("Only one side of the design has {}: traced on neither, it counts to its callers.",
                     fmt::join(graph->left_out, ", "))});
  }
  if (graph && !graph->not_counted.empty()) {
    flags_.push_back(
        {std::string(kBudgetNotApplied),
         fmt::format("All functions are traced, whatever they cost, because their calls could not be counted "
                     "before the job: {}",
                     graph->not_counted)});
  }
  return {};
}

// A refusal by the kernel is an error only if the job requires the trace. A mistake of the caller always is,
// and so is a tracefs that may still be tracing.
Status RunController::go_on_without_trace(const Error& error) {
  const bool restored = abandon_trace();
  if (!spec_.trace->optional || error.kind == ErrorKind::invalid_argument || !restored)
    return std::unexpected(error);
  trace_record_.emplace().skipped = error.message;
  flags_.push_back({"trace-skipped", fmt::format("not traced: {}", error.message)});
  return {};
}

bool RunController::abandon_trace() {
  if (!trace_) return true;
  const Status restored = trace_->abandon();
  trace_.reset();
  if (!restored) flags_.push_back({std::string(kTracefsNotRestored), restored.error().message});
  return restored.has_value();
}

Status RunController::start_trace() {
  if (!trace_) return {};
  auto started = trace_->start(workload_->pids());
  if (started) started = trace_->mark("start", false);
  if (started) started = trace_->mark(kReleaseMark, false);
  if (!started) return go_on_without_trace(started.error());
  // With probes, the end of the omitted part is the beginning of a phase.
  if (spec_.test.traffic.omit > std::chrono::milliseconds{0} && !spec_.latency) {
    // Timed by our clock: iperf3 begins to count a few milliseconds after its release.
    omitted_ = ports_.clock.after(spec_.test.traffic.omit,
                                  [this] { (void)trace_->mark("omitted part ends", false); });
  }
  return {};
}

// The witness of what tracing shows must not be traced itself, and a traced run is no witness.
void RunController::start_sampling() {
  if (!ports_.sampler || !spec_.sample || traced_) return;
  sampling_ = ports_.sampler->open(*spec_.sample, workload_->pids());
}

void RunController::cancel(const std::string& reason) {
  end_on_request(RunState::canceled, reason);
}

void RunController::interrupt(const std::string& reason) {
  end_on_request(RunState::interrupted, reason);
}

void RunController::end_on_request(RunState state, const std::string& reason) {
  if (spec_.workload == WorkloadKind::none && state_ == RunState::running) {
    workload_->stop();
  } else {
    end_early(state, reason);
  }
}

Status RunController::mark(const std::string& text) {
  if (!trace_ || state_ != RunState::running) {
    return fail(ErrorKind::not_running, fmt::format("run {} is not being traced just now", run_));
  }
  return trace_->mark(text, true);
}

void RunController::end_early(RunState state, const std::string& error) {
  if (early_end_ || (workload_ended_ && !wait_.pending())) return;
  early_end_ = EarlyEnd{state, error};
  if (wait_.pending()) {
    wait_.give_up();
    // The listener must not be called from inside this call.
    failed_start_ = ports_.clock.after(std::chrono::milliseconds{0}, [this] { finish(); });
    return;
  }
  if (workload_) workload_->stop();
}

Status RunController::step_to(RunState state) {
  if (auto stored = ports_.store.set_state(run_, state); !stored) return stored;
  state_ = state;
  return {};
}

void RunController::workload_prepared() {
  if (early_end_) return;
  fingerprint_ = ports_.fingerprints.take(spec_, workload_->pids());
  // Stored before the release, so that the write does not disturb the measurement.
  auto ready = step_to(RunState::running);
  packets_ = ports_.packets.open(spec_, workload_->pids());
  // Before the trace starts, which would otherwise record this reading.
  counting_ = ports_.counters.open(spec_, workload_->pids());
  if (ready) ready = start_trace();
  if (ready) start_sampling();
  if (!ready) {
    end_early(RunState::failed, ready.error().message);
    return;
  }
  if (ports_.host != nullptr) host_ = ports_.host->watch();
  started_ = ports_.clock.now();
  started_since_boot_ = ports_.clock.since_boot();
  workload_->release();
  if (sampling_) sampling_->released();
  counting_->released(workload_->reports_intervals() ? LiveRates{} : [this](const Interval& interval) {
    listener_.run_interval(interval);
  });
  listener_.run_changed();
}

void RunController::workload_interval(const Interval& interval) {
  listener_.run_interval(interval);
}

void RunController::workload_phase(std::string_view phase) {
  if (trace_) (void)trace_->mark(fmt::format("phase {}", phase), false);
  const bool loads = phase == "omitted" || phase == "load";
  if (loads && !std::exchange(loading_, true)) counting_->load_begun();
  // Without a duration, iperf3's test has no phase of ending.
  const bool behind = phase == "ending" || phase == "after";
  if (behind && std::exchange(loading_, false)) counting_->load_ended();
}

void RunController::trace_progress(const TraceProgress& progress) {
  listener_.run_trace(progress);
}

void RunController::workload_stopped() {
  if (std::exchange(workload_stopped_, true)) return;
  // The rest has limits of its own.
  deadline_.reset();
  omitted_.reset();
  if (trace_) {
    // First of all, because later events are not the workload's. If the mark fails, the record is still
    // complete.
    (void)trace_->mark("end", false);
    trace_->stop();
  }
  if (sampling_) sampling_->stop();
  if (packets_) packet_count_ = packets_->count();
  packets_.reset();
  if (counting_ && started_) counters_ = counting_->finish();
  counting_.reset();
  if (sampling_ && started_) samples_ = sampling_->finish();
  sampling_.reset();
  ended_ = ports_.clock.now();
  if (host_) host_changes_ = host_->finish();
  host_.reset();
  if (state_ != RunState::running) return;
  // If the store refuses this step, it refuses the record too, and finish() reports that. The step is taken
  // anyway: nothing is left that could be marked.
  const bool stored = step_to(RunState::collecting).has_value();
  state_ = RunState::collecting;
  if (stored) listener_.run_changed();
}

void RunController::workload_ended(WorkloadResult result) {
  workload_stopped();
  workload_ended_ = true;
  result_ = std::move(result);
  auto& flags = result_.report.flags;
  flags_.insert(flags_.begin(), std::move_iterator{flags.begin()}, std::move_iterator{flags.end()});
  flags.clear();
  finish_if_complete();
}

void RunController::trace_ended(TraceRecord record, std::vector<QualityFlag> flags) {
  trace_record_ = std::move(record);
  std::ranges::move(flags, std::back_inserter(flags_));
  trace_ended_ = true;
  finish_if_complete();
}

void RunController::finish_if_complete() {
  if (!workload_ended_ || (trace_ && !trace_ended_)) return;
  if (!wait_for_server()) finish();
}

bool RunController::wait_for_server() {
  const auto not_restored = [](const QualityFlag& flag) { return flag.code == kTracefsNotRestored; };
  if (early_end_ || result_.server == ServerAbsence::none || state_ != RunState::collecting ||
      std::ranges::any_of(flags_, not_restored)) {
    return false;
  }
  const auto again = [this] {
    forget_attempt();
    begin_attempt();
    listener_.run_changed();
  };
  if (!wait_.wait(result_.server, again)) {
    lacks_something_ = wait_.in_vain() && result_.server == ServerAbsence::absent;
    return false;
  }
  if (!step_to(RunState::preparing)) {
    wait_.give_up();
    return false;
  }
  // A run that ends while it waits has measured nothing.
  started_.reset();
  ended_.reset();
  host_changes_.reset();
  counters_.reset();
  packet_count_.reset();
  samples_.reset();
  trace_record_.reset();
  listener_.run_changed();
  return true;
}

void RunController::forget_attempt() {
  result_ = {};
  flags_.clear();
  workload_stopped_ = false;
  workload_ended_ = false;
  trace_ended_ = false;
  loading_ = false;
  fingerprint_.reset();
  workload_.reset();
  trace_.reset();
}

void RunController::add_wait() {
  if (!wait_.waited()) return;
  flags_.push_back({std::string(kServerWaited), wait_.result_words()});
  if (result_.server != ServerAbsence::none) result_.error += "; " + wait_.result_words();
}

RunRecord RunController::make_record() {
  RunRecord record;
  record.id = run_;
  record.started = started_;
  record.ended = ended_;
  if (early_end_) {
    record.state = early_end_->state;
    record.error = early_end_->error;
    // iperf3's own error shows whether the path was slow or dead.
    if (record.state == RunState::failed && !result_.error.empty()) record.error += "; " + result_.error;
  } else {
    record.state = result_.error.empty() ? RunState::finished : RunState::failed;
    record.error = result_.error;
  }
  record.workload = std::move(result_);
  record.flags = std::move(flags_);
  record.trace = std::move(trace_record_);
  record.traffic = {analysis::goodput_of(record.workload.report), std::move(packet_count_)};
  record.counters = std::move(counters_);
  record.samples = std::move(samples_);
  add_noise(spec_, record);
  if (host_changes_) add_host_faults(*host_changes_, record);
  if (record.trace && record.trace->profile && record.counters) {
    record.trace->profile->tracer_share = analysis::tracer_share(*record.trace, record.counters->deltas);
  }
  if (fingerprint_) add_trace_facts(spec_, record.trace, *fingerprint_);
  record.fingerprint = std::move(fingerprint_);
  return record;
}

void RunController::finish() {
  deadline_.reset();
  add_wait();
  RunRecord record = make_record();
  if (auto stored = ports_.store.finish(record); !stored) {
    record = end_without_record(record, stored.error());
  }
  state_ = record.state;
  listener_.run_ended(record.state, record.error);
}

}  // namespace netperfd::core
