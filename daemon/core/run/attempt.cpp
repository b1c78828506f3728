// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/attempt.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "daemon/analysis/compare/goodput.hpp"
#include "daemon/core/run/function_choice.hpp"
#include "daemon/model/named_figure_check.hpp"

namespace netperfd::core {

Attempt::Attempt(const RunPorts& ports, const JobSpec& spec, bool traced, AttemptListener& listener)
    : ports_(ports), spec_(spec), traced_(traced), listener_(listener) {}

Status Attempt::prepare() {
  deadline_ = ports_.clock.after(spec_.limits.timeout, [this] { listener_.attempt_is_late(); });
  if (auto traced = prepare_trace(); !traced) return traced;
  auto workload = ports_.workload.prepare(spec_, *this);
  if (!workload) {
    lacks_something_ = workload.error().kind == ErrorKind::not_found;
    abandon_trace();
    return std::unexpected(std::move(workload.error()));
  }
  workload_ = std::move(*workload);
  return {};
}

Status Attempt::prepare_trace() {
  if (!traced_) return {};
  auto trace = ports_.tracer.prepare(*spec_.trace, *this);
  if (!trace) return go_on_without_trace(trace.error());
  trace_ = std::move(*trace);
  const auto& graph = spec_.trace->function_graph;
  if (graph && !graph->left_out.empty()) {
    add_flags(
        {{std::string(kFunctionsLeftOut),
          fmt::format("Only one side of the design has {}: traced on neither, it counts to its callers.",
                      fmt::join(graph->left_out, ", "))}});
  }
  if (graph && !graph->not_counted.empty()) {
    add_flags({{std::string(kBudgetNotApplied),
                fmt::format(
                    "All functions are traced, whatever they cost, because their calls could not be counted "
                    "before the job: {}",
                    graph->not_counted)}});
  }
  return {};
}

// A refusal by the kernel is an error only if the job requires the trace. A mistake of the caller always is,
// and so is a tracefs that may still be tracing.
Status Attempt::go_on_without_trace(const Error& error) {
  const bool restored = abandon_trace();
  if (!spec_.trace->optional || error.kind == ErrorKind::invalid_argument || !restored)
    return std::unexpected(error);
  record_.trace.emplace().skipped = error.message;
  add_flags({{"trace-skipped", fmt::format("not traced: {}", error.message)}});
  return {};
}

bool Attempt::abandon_trace() {
  if (!trace_) return true;
  const Status restored = trace_->abandon();
  trace_.reset();
  if (!restored) add_flags({{std::string(kTracefsNotRestored), restored.error().message}});
  return restored.has_value();
}

Status Attempt::start_trace() {
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
void Attempt::start_sampling() {
  if (!ports_.sampler || !spec_.sample || traced_) return;
  sampling_ = ports_.sampler->open(*spec_.sample, workload_->pids());
}

Status Attempt::begin() {
  packets_ = ports_.packets.open(spec_, workload_->pids());
  // Before the trace starts, which would otherwise record this reading.
  counting_ = ports_.counters.open(spec_, workload_->pids());
  if (std::string lacking = counting_->lacking(); !lacking.empty()) {
    lacks_something_ = true;
    return fail(ErrorKind::not_found, std::move(lacking));
  }
  if (auto started = start_trace(); !started) return started;
  start_sampling();
  if (ports_.host != nullptr) host_ = ports_.host->watch();
  record_.started = ports_.clock.now();
  released_ = ports_.clock.since_boot();
  workload_->release();
  if (sampling_) sampling_->released();
  counting_->released(workload_->reports_intervals() ? LiveRates{} : [this](const Interval& interval) {
    listener_.attempt_interval(interval);
  });
  return {};
}

void Attempt::stop() {
  if (workload_) workload_->stop();
}

// What a client does once, before it is connected, is no cost of its bytes.
void Attempt::workload_begun() {
  if (sampling_) sampling_->released();
  if (counting_) counting_->test_begun();
}

void Attempt::workload_phase(std::string_view phase) {
  if (trace_) (void)trace_->mark(fmt::format("phase {}", phase), false);
  const bool loads = phase == "omitted" || phase == "load";
  if (loads && !std::exchange(loading_, true)) counting_->load_begun();
  // Without a duration, iperf3's test has no phase of ending.
  const bool behind = phase == "ending" || phase == "after";
  if (behind && std::exchange(loading_, false)) counting_->load_ended();
}

void Attempt::workload_stopped() {
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
  finish_readings();
  listener_.attempt_stopped();
}

void Attempt::finish_readings() {
  if (sampling_) sampling_->stop();
  if (packets_) record_.traffic.packets = packets_->count();
  packets_.reset();
  if (counting_ && released_) record_.counters = counting_->finish();
  counting_.reset();
  if (sampling_ && released_) record_.samples = sampling_->finish();
  sampling_.reset();
  record_.ended = ports_.clock.now();
  if (host_) host_changes_ = host_->finish();
  host_.reset();
}

void Attempt::workload_ended(WorkloadResult result) {
  workload_stopped();
  workload_ended_ = true;
  lacks_something_ = lacks_something_ || result.lacks_something;
  // The workload's own flags come first.
  auto flags = std::exchange(record_.flags, std::exchange(result.flags, {}));
  if (const std::string problem = problem_of(result.figures); problem.empty()) {
    record_.figures = std::exchange(result.figures, {});
  } else {
    result.figures.clear();
    if (result.error.empty()) result.error = problem;
  }
  record_.workload = std::move(result);
  add_flags(std::move(flags));
  end_if_complete();
}

void Attempt::trace_ended(TraceRecord record, std::vector<QualityFlag> flags) {
  record_.trace = std::move(record);
  add_flags(std::move(flags));
  trace_ended_ = true;
  end_if_complete();
}

void Attempt::add_flags(std::vector<QualityFlag> flags) {
  for (const QualityFlag& flag : flags) restored_ = restored_ && flag.code != kTracefsNotRestored;
  std::ranges::move(flags, std::back_inserter(record_.flags));
}

void Attempt::end_if_complete() {
  if (workload_ended_ && (!trace_ || trace_ended_)) listener_.attempt_ended();
}

AttemptResult Attempt::take() {
  record_.traffic.goodput_bytes = analysis::goodput_of(record_.workload.report);
  return {std::move(record_), std::move(host_changes_)};
}

}  // namespace netperfd::core
