// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/call_counter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/model/noise.hpp"

namespace netperfd::core {
namespace {

// The client is stopped before that.
constexpr std::chrono::seconds kTraffic{10};

JobSpec shortened(JobSpec job) {
  job.test.traffic.duration = kTraffic;
  job.test.traffic.bytes.reset();
  job.test.traffic.omit = std::chrono::milliseconds{0};
  job.trace->events.clear();
  job.trace->keep_raw_bytes.reset();
  return job;
}

// CPU time without what was stolen and without netperfd's. Absent: not known.
std::optional<double> busy_ns(const Counters& counters) {
  const auto busy = noise::busy_ns(counters.deltas);
  if (!busy) return std::nullopt;
  const std::uint64_t apart = noise::figure(counters.deltas, noise::kSteal).value_or(0) +
                              noise::figure(counters.deltas, noise::kNetperfd).value_or(0);
  return static_cast<double>(*busy - std::min(*busy, apart));
}

Result<analysis::CallCount> count_of(const TraceRecord& record, const Counters& counters) {
  const auto cannot = [](std::string reason) { return fail(ErrorKind::unsupported, std::move(reason)); };
  if (!record.broken.empty()) return cannot(record.broken);
  if (!record.profile) return cannot("the trace has no functions");
  if (!record.profile->calibration) {
    return cannot(fmt::format("the cost of a call is not known: {}", record.profile->not_calibrated));
  }
  const auto busy = busy_ns(counters);
  if (!busy) return cannot("the CPU time is not known");
  analysis::CallCount count;
  for (const FunctionStats& function : record.profile->functions) {
    count.calls[function.name] += function.hits;
  }
  const std::size_t called = record.profile->functions.size();
  count.uncalled = record.functions - std::min<std::size_t>(record.functions, called);
  for (const TraceCpu& cpu : record.cpus) {
    count.records += cpu.records;
    count.lost += lost_of(cpu);
  }
  count.busy_ns = *busy;
  count.reading_ns = static_cast<double>(record.reading_ns.value_or(0));
  count.call_ns = record.profile->calibration->entry_ns + record.profile->calibration->callee_ns;
  return count;
}

}  // namespace

CallCounter::CallCounter(Ports ports, const JobSpec& job)
    : ports_(ports), job_(shortened(job)), wait_(ports.clock, job.test.path.server_wait) {}

void CallCounter::count(Done done) {
  done_ = std::move(done);
  begin_attempt();
}

void CallCounter::begin_attempt() {
  deadline_ =
      ports_.clock.after(kDeadline, [this] { end(fmt::format("not done within {} s", kDeadline.count())); });
  if (const Status prepared = prepare(); !prepared) {
    end_trace();
    failure_ = prepared.error().message;
    next_ = ports_.clock.after(std::chrono::milliseconds{0}, [this] { finish(); });
  }
}

Status CallCounter::prepare() {
  auto trace = ports_.tracer.prepare(*job_.trace, *this);
  if (!trace) return std::unexpected(std::move(trace.error()));
  trace_ = std::move(*trace);
  auto workload = ports_.workload.prepare(job_, *this);
  if (!workload) return std::unexpected(std::move(workload.error()));
  workload_ = std::move(*workload);
  return {};
}

void CallCounter::cancel() {
  if (!wait_.pending()) return end("canceled");
  wait_.give_up();
  failure_ = "canceled";
  next_ = ports_.clock.after(std::chrono::milliseconds{0}, [this] { finish(); });
}

std::string CallCounter::waiting() const {
  return wait_.pending() ? wait_.progress_words() : "counts calls, for the budget of the trace";
}

void CallCounter::end(const std::string& reason) {
  if (!failure_.empty()) return;
  failure_ = reason;
  next_.reset();
  counting_.reset();
  end_trace();
  if (workload_ && !workload_ended_) workload_->stop();
}

void CallCounter::end_trace() {
  if (!trace_ || record_) return;
  if (tracing_) {
    if (!std::exchange(trace_stopped_, true)) trace_->stop();
    return;
  }
  const Status restored = trace_->abandon();
  trace_.reset();
  if (!restored && failure_.empty()) failure_ = restored.error().message;
}

void CallCounter::workload_prepared() {
  if (!failure_.empty()) return;
  workload_->release();
  next_ = ports_.clock.after(kWarmUp, [this] { begin_window(); });
}

void CallCounter::begin_window() {
  counting_ = ports_.counters.open(job_, workload_->pids());
  auto started = trace_->start(workload_->pids());
  if (started) started = trace_->mark(kReleaseMark, false);
  if (!started) return end(started.error().message);
  tracing_ = true;
  window_began_ = ports_.clock.since_boot();
  // The loop counts a delay from the beginning of its turn, and reading the counters may take a second.
  next_ = ports_.clock.after(std::chrono::milliseconds{0},
                             [this] { next_ = ports_.clock.after(kWindow, [this] { end_window(); }); });
}

void CallCounter::end_window() {
  end_trace();
  window_ = ports_.clock.since_boot() - window_began_;
  counters_ = counting_->finish();
  counting_.reset();
  workload_->stop();
}

void CallCounter::workload_stopped() {
  next_.reset();
  counting_.reset();
  end_trace();
}

void CallCounter::workload_ended(WorkloadResult result) {
  workload_stopped();
  workload_ended_ = true;
  if (!counters_ && failure_.empty()) {
    failure_ = result.error.empty() ? "the workload ended too soon" : result.error;
    server_ = result.server;
  }
  finish_if_complete();
}

void CallCounter::trace_ended(TraceRecord record, std::vector<QualityFlag> flags) {
  tracing_ = false;
  record_ = std::move(record);
  const auto not_restored = std::ranges::find(flags, kTracefsNotRestored, &QualityFlag::code);
  if (not_restored != flags.end()) failure_ = not_restored->message;
  finish_if_complete();
}

void CallCounter::finish_if_complete() {
  if (!workload_ended_ || tracing_) return;
  deadline_.reset();
  const auto again = [this] {
    failure_.clear();
    workload_ended_ = false;
    trace_stopped_ = false;
    record_.reset();
    workload_.reset();
    trace_.reset();
    begin_attempt();
  };
  if (server_ != ServerAbsence::none && wait_.wait(std::exchange(server_, ServerAbsence::none), again))
    return;
  finish();
}

void CallCounter::finish() {
  deadline_.reset();
  auto done = std::move(done_);
  if (!failure_.empty() || !record_ || !counters_) {
    done(fail(ErrorKind::unsupported, failure_.empty() ? "nothing was traced" : failure_));
  } else {
    auto count = count_of(*record_, *counters_);
    if (count) count->window_s = window_.count();
    done(std::move(count));
  }
}

}  // namespace netperfd::core
