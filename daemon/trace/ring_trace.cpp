// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring_trace.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "daemon/analysis/calls/call_tracker.hpp"
#include "daemon/trace/ring/cpu_statistics.hpp"
#include "daemon/trace/ring/event_format.hpp"
#include "daemon/trace/ring/own_events.hpp"
#include "daemon/trace/ring/trace_flags.hpp"
#include "daemon/trace/trace_files.hpp"

namespace netperfd::trace {
namespace {

// All marks are kept: a caller in a loop must not fill the record.
constexpr std::uint32_t kUserMarks = 1'000;

// trace_marker writes into the buffer of the CPU that it is called on, and is ignored if tracing_cpumask
// excludes that CPU. So the thread moves to a traced CPU for the duration of a write.
class OnTracedCpu {
 public:
  explicit OnTracedCpu(const std::vector<std::uint32_t>& cpus) {
    if (cpus.empty() || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t traced;
    CPU_ZERO(&traced);
    for (const std::uint32_t cpu : cpus) CPU_SET(cpu, &traced);
    moved_ = sched_setaffinity(0, sizeof traced, &traced) == 0;
  }
  OnTracedCpu(const OnTracedCpu&) = delete;
  OnTracedCpu& operator=(const OnTracedCpu&) = delete;
  ~OnTracedCpu() {
    if (moved_) (void)sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  bool moved_ = false;
};

// Limit for bytes that are read or decoded halfway: enough for millions of calls, but only a small part of
// the machine's memory.
std::size_t most_held_bytes() {
  constexpr std::size_t kMost = std::size_t{256} << 20;
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return kMost / 4;
  return std::min(kMost, static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes) / 16);
}

// Sets up the pairing of function calls into a profile while they are read.
Status set_up_calls(Tracefs& tracefs, const TraceSession& session, const TraceSpec& asked,
                    const TracedFunctions& functions, TallySettings& tally) {
  auto graph = GraphFormat::make(tally.events);
  if (!graph) return std::unexpected(std::move(graph.error()));
  tally.graph = std::move(*graph);
  // An option of the tracer that is on by default.
  const auto sleep = tracefs.read(session.path("options/sleep-time"));
  tally.calls.sleep_in_recorded = sleep ? std::optional(!sleep->starts_with('0')) : std::nullopt;
  tally.calls.off_cpu_known = shows_switches(session.spec());
  if (is_own_event(asked, kSwitchEvent)) tally.hidden.emplace_back(kSwitchEvent);
  tally.function = [&functions](std::uint64_t address) { return functions.name_of(address); };
  return {};
}

}  // namespace

Result<RingTrace::Parts> RingTrace::make_parts(Tracefs& tracefs, const TraceSession& session,
                                               const TraceSpec& spec, const RingTraceSettings& settings) {
  Parts parts;
  auto layout = read_layout(tracefs, session);
  if (!layout) return std::unexpected(std::move(layout.error()));
  parts.tally.layout = *layout;
  parts.layout = *layout;
  parts.most_held_bytes = settings.most_held_bytes > 0 ? settings.most_held_bytes : most_held_bytes();
  // The rest is for the reader, which must not have to wait for decoding.
  parts.tally.most_held_bytes = parts.most_held_bytes / 4 * 3;
  auto events = read_formats(tracefs, session.spec());
  if (!events) return std::unexpected(std::move(events.error()));
  parts.tally.events = std::move(*events);
  if (spec.function_graph) {
    auto functions = TracedFunctions::read(settings.proc, settings.sys, Symbols::random_key());
    if (!functions) return std::unexpected(std::move(functions.error()));
    parts.functions = std::move(*functions);
    auto set_up = set_up_calls(tracefs, session, spec, *parts.functions, parts.tally);
    if (!set_up) return std::unexpected(std::move(set_up.error()));
  }
  auto pipes = open_pipes(tracefs, session);
  if (!pipes) return std::unexpected(std::move(pipes.error()));
  parts.pipes = std::move(*pipes);
  auto marker = tracefs.open(session.path("trace_marker"), OpenMode::write);
  if (!marker) return std::unexpected(std::move(marker.error()));
  parts.marker = std::move(*marker);
  return parts;
}

Result<std::unique_ptr<RingTrace>> RingTrace::open(TracePorts ports, std::unique_ptr<TraceSession> session,
                                                   const TraceSpec& spec, RingTraceSettings settings) {
  auto parts = make_parts(ports.tracefs, *session, spec, settings);
  if (!parts) return std::unexpected(std::move(parts.error()));
  return std::unique_ptr<RingTrace>(
      new RingTrace(ports, std::move(session), spec, std::move(settings), std::move(*parts)));
}

RingTrace::RingTrace(TracePorts ports, std::unique_ptr<TraceSession> session, const TraceSpec& spec,
                     RingTraceSettings settings, Parts parts)
    : ports_(ports),
      spec_(spec),
      settings_(std::move(settings)),
      session_(std::move(session)),
      marker_(std::move(parts.marker)),
      functions_(std::move(parts.functions)),
      tally_(std::move(parts.tally)) {
  if (spec_.keep_raw_bytes) keeper_.emplace(*spec_.keep_raw_bytes);
  if (spec_.viewer) tasks_.emplace(ports_.clock, settings_.proc, *spec_.viewer);
  const DrainSettings draining = drain_settings(parts);
  drain_.emplace(ports_.clock, tally_, std::move(parts.pipes), draining, IdleCpus{settings_.proc},
                 keeper_ ? &*keeper_ : nullptr);
}

DrainSettings RingTrace::drain_settings(const Parts& parts) const {
  DrainSettings settings;
  settings.reader.layout = parts.layout;
  // Twice the capacity of the rings, since sub-buffers may be read half full.
  settings.reader.rest_bytes = 2 * session_->buffer_bytes() * parts.pipes.size() + parts.layout.size();
  settings.thread.most_bytes = parts.most_held_bytes;
  settings.thread.ring_bytes = session_->buffer_bytes();
  return settings;
}

Status RingTrace::start(const std::vector<pid_t>& workload) {
  // The reader first: a ring may fill while its thread is being created.
  if (auto started = drain_->start(); !started) return started;
  if (auto started = session_->start(workload); !started) return started;
  started_ = true;
  if (tasks_) tasks_->start(workload);
  told_at_ = ports_.clock.since_boot();
  progress_ = ports_.clock.after(settings_.progress_period, [this] { tell_progress(); });
  return {};
}

Status RingTrace::mark(const std::string& text, bool user) {
  if (user && ++user_marks_ > kUserMarks) {
    return fail(ErrorKind::no_space, fmt::format("a run takes {} marks of its caller at most", kUserMarks));
  }
  const OnTracedCpu here(spec_.cpus);
  return marker_->write(mark_line(text, user));
}

void RingTrace::tell_progress() {
  progress_ = ports_.clock.after(settings_.progress_period, [this] { tell_progress(); });
  const std::chrono::microseconds now = ports_.clock.since_boot();
  const std::chrono::duration<double> passed = now - std::exchange(told_at_, now);
  ports_.listener.trace_progress(tally_.take_progress(passed.count()));
}

void RingTrace::stop() {
  progress_.reset();
  if (tasks_) tasks_->stop();
  // Must be read before tracing is turned off.
  const auto on = started_ ? ports_.tracefs.read(session_->path("tracing_on")) : "1";
  const auto stopped = session_->stop();
  if (started_) broken_ = session_->disturbance();
  if (on && !on->starts_with('1')) broken_ = "somebody switched tracing off";
  if (!stopped && broken_.empty()) broken_ = stopped.error().message;
  drain_->finish([this](const Status& drained) { end(drained); });
}

Status RingTrace::abandon() {
  progress_.reset();
  drain_.reset();
  marker_.reset();
  return session_->restore();
}

void RingTrace::end(const Status& drained) {
  if (!drained && broken_.empty()) broken_ = drained.error().message;
  TraceRecord record = make_record();
  describe(record);
  marker_.reset();
  const Status restored = session_->restore();
  auto neighbours = std::move(settings_.neighbours);
  for (const std::string& neighbour : session_->neighbours()) {
    if (std::ranges::find(neighbours, neighbour) == neighbours.end()) neighbours.push_back(neighbour);
  }
  auto flags = trace_flags(record, neighbours, restored, tally_.uncounted_losses());
  ports_.listener.trace_ended(std::move(record), std::move(flags));
}

TraceRecord RingTrace::make_record() {
  // Task names are optional; the kernel keeps only a few of them.
  const auto task_names = ports_.tracefs.read("saved_cmdlines").value_or("");
  const auto function = [this](std::uint64_t address) { return functions_->name_of(address); };
  if (functions_ && functions_->still_current())
    return tally_.finish(functions_->symbols(), task_names, function, screen());
  // Without symbols every address is shown as a token.
  const auto symbols = Symbols::load(settings_.proc + "/kallsyms", Symbols::random_key());
  return tally_.finish(symbols ? *symbols : Symbols::parse("", Symbols::random_key()), task_names,
                       functions_ ? analysis::FunctionNamer(function) : analysis::FunctionNamer(), screen());
}

void RingTrace::describe(TraceRecord& record) {
  record.broken = broken_;
  const bool has_release =
      std::ranges::find(record.marks, kReleaseMark, &TraceMark::text) != record.marks.end();
  if (!has_release && events_of(record) > 0 && record.broken.empty()) {
    record.broken = "the mark of the release was lost: times count from the first event that was read";
  }
  record.clock = session_->clock();
  record.buffer_bytes = session_->buffer_bytes();
  record.functions = session_->functions();
  record.missing_functions = session_->missing_functions();
  record.workload_only = spec_.workload_only;
  record.only_cpus = spec_.cpus;
  record.reading_ns = static_cast<std::uint64_t>(drain_->cpu_time().count());
  for (EventCount& event : record.events) {
    const auto asked = std::ranges::find(spec_.events, event.name, &EventSpec::name);
    if (asked != spec_.events.end()) event.filter = asked->filter;
  }
  add_statistics(record);
  if (record.profile) {
    record.profile->depth = spec_.function_graph->depth;
    record.profile->builds = functions_->builds_of(*record.profile);
    if (settings_.calibration) {
      record.profile->calibration = *settings_.calibration;
      analysis::correct_self_times(*record.profile, *settings_.calibration);
    } else {
      record.profile->not_calibrated = settings_.calibration.error().message;
    }
  }
  if (keeper_) add_recording(record);
}

void RingTrace::add_recording(TraceRecord& record) {
  record.recording_left_out = keeper_->left_out();
  const TaskScreen tasks = screen();
  auto facts = read_recording_facts(ports_.tracefs, *session_, settings_.proc, tasks_ ? &tasks : nullptr);
  if (facts) {
    record.recording = make_trace_dat(*facts, keeper_->take());
  } else if (record.broken.empty()) {
    record.broken = fmt::format("the recording could not be kept: {}", facts.error().message);
  }
}

void RingTrace::add_statistics(TraceRecord& record) {
  for (TraceCpu& cpu : record.cpus) {
    const auto text = ports_.tracefs.read(session_->path(fmt::format("per_cpu/cpu{}/stats", cpu.cpu)));
    if (text) {
      read_statistics(*text, cpu);
    } else if (record.broken.empty()) {
      record.broken = text.error().message;
    }
  }
}

}  // namespace netperfd::trace
