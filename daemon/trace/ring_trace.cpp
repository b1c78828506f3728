#include "daemon/trace/ring_trace.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <random>
#include <utility>

#include "daemon/trace/event_format.hpp"
#include "daemon/trace/trace_files.hpp"
#include "daemon/trace/trace_flags.hpp"

namespace netperfd::trace {
namespace {

// All of them are kept: a caller in a loop must not fill the record.
constexpr std::uint32_t kUserMarks = 1'000;

// trace_marker writes into the buffer of the CPU it is called on, and nowhere where tracing_cpumask leaves
// that one out: the thread moves to a CPU that is traced, for the length of a write.
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

std::uint64_t random_key() {
  std::random_device device;
  return std::uint64_t{device()} << 32U | device();
}

}  // namespace

Result<std::unique_ptr<RingTrace>> RingTrace::open(TracePorts ports, std::unique_ptr<TraceSession> session,
                                                   const TraceSpec& spec, RingTraceSettings settings) {
  TallySettings tally;
  auto layout = read_layout(ports.tracefs, *session);
  if (!layout) return std::unexpected(std::move(layout.error()));
  tally.layout = *layout;
  auto events = read_formats(ports.tracefs, spec);
  if (!events) return std::unexpected(std::move(events.error()));
  tally.events = std::move(*events);
  auto pipes = open_pipes(ports.tracefs, *session);
  if (!pipes) return std::unexpected(std::move(pipes.error()));
  auto marker = ports.tracefs.open(session->path("trace_marker"), OpenMode::write);
  if (!marker) return std::unexpected(std::move(marker.error()));
  return std::unique_ptr<RingTrace>(new RingTrace(ports, std::move(session), spec, std::move(settings),
                                                  std::move(tally), std::move(*pipes), std::move(*marker)));
}

RingTrace::RingTrace(TracePorts ports, std::unique_ptr<TraceSession> session, const TraceSpec& spec,
                     RingTraceSettings settings, TallySettings tally, std::vector<RingPipe> pipes,
                     std::unique_ptr<TracefsFile> marker)
    : ports_(ports),
      spec_(spec),
      settings_(std::move(settings)),
      session_(std::move(session)),
      marker_(std::move(marker)),
      pipes_(std::move(pipes)),
      // Twice what the rings can hold: sub-buffers may be read half full.
      drain_settings_{.subbuffer_bytes = tally.layout.size(),
                      .rest_bytes = 2 * session_->buffer_bytes() * pipes_.size() + tally.layout.size()},
      tally_(std::move(tally)) {}

Status RingTrace::start(const std::vector<pid_t>& workload) {
  if (auto started = session_->start(workload); !started) return started;
  drain_.emplace(ports_.clock, tally_, std::move(pipes_), drain_settings_);
  told_at_ = ports_.clock.now();
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
  const WallTime now = ports_.clock.now();
  const std::chrono::duration<double> passed = now - std::exchange(told_at_, now);
  ports_.listener.trace_progress(tally_.take_progress(passed.count()));
}

void RingTrace::stop() {
  progress_.reset();
  const bool started = drain_.has_value();
  // Never started: nothing to read, but the way to the end is the same.
  if (!started) drain_.emplace(ports_.clock, tally_, std::move(pipes_), drain_settings_);
  // The one thing that is to be known before it is switched off.
  const auto on = started ? ports_.tracefs.read(session_->path("tracing_on")) : "1";
  const auto stopped = session_->stop();
  if (started) broken_ = session_->disturbance();
  if (on && !on->starts_with('1')) broken_ = "somebody switched tracing off";
  if (!stopped && broken_.empty()) broken_ = stopped.error().message;
  drain_->finish([this](const Status& drained) { end(drained); });
}

Status RingTrace::abandon() {
  progress_.reset();
  drain_.reset();
  pipes_.clear();
  marker_.reset();
  return session_->restore();
}

void RingTrace::end(const Status& drained) {
  if (!drained && broken_.empty()) broken_ = drained.error().message;
  TraceRecord record = make_record();
  marker_.reset();
  const Status restored = session_->restore();
  auto flags = trace_flags(record, session_->neighbours(), restored);
  ports_.listener.trace_ended(std::move(record), std::move(flags));
}

TraceRecord RingTrace::make_record() {
  // Without symbols every address is shown as a token.
  const auto symbols = Symbols::load(settings_.kallsyms, random_key());
  // Names of tasks are an ornament; the kernel keeps but a few of them.
  const auto task_names = ports_.tracefs.read("saved_cmdlines");
  TraceRecord record =
      tally_.finish(symbols ? *symbols : Symbols::parse("", random_key()), task_names ? *task_names : "");
  record.broken = broken_;
  const bool has_release =
      std::ranges::find(record.marks, core::kReleaseMark, &TraceMark::text) != record.marks.end();
  if (!has_release && events_of(record) > 0 && record.broken.empty()) {
    record.broken = "the mark of the release was lost: times count from the first event that was read";
  }
  record.clock = session_->clock();
  record.buffer_bytes = session_->buffer_bytes();
  record.functions = session_->functions();
  record.missing_functions = session_->missing_functions();
  record.workload_only = spec_.workload_only;
  record.only_cpus = spec_.cpus;
  for (EventCount& event : record.events) {
    const auto asked = std::ranges::find(spec_.events, event.name, &EventSpec::name);
    if (asked != spec_.events.end()) event.filter = asked->filter;
  }
  add_statistics(record);
  return record;
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
