// SPDX-License-Identifier: GPL-2.0-or-later
// Measures which part of a recorded time is the tracer's own.
//
// function_graph takes the time of an entry and then writes its record, so the writing falls within the
// call's own duration (entry_ns). At the return it takes the time first and writes afterwards. This falls
// into the caller, and so does the time between the caller's call instruction and the stamp of the entry
// (callee_ns). The moment of the stamp has changed between kernel versions, and both costs depend on the
// machine, so they are measured.
//
// A parent function P makes k calls whose callees can be traced or not. Let D(x) be the median duration
// recorded for x, and T(x) its true time, with nothing else changed:
//
//   P alone           D = T(P) + entry_ns
//   P with callees    D = T(P) + entry_ns + k * (entry_ns + callee_ns)
//
// So the difference divided by k is entry_ns + callee_ns. A callee that does next to nothing has D = entry_ns
// plus a nanosecond or two. P is the system call lseek on /dev/null, whose file operation only returns a
// number. Rounds of both kinds alternate, so that a change of the CPU's frequency is not taken for the
// tracer's cost. The number of callees seen in a run is never used, since it also depends on the work that is
// really done.
//
// A round's cost is a median over its calls, which interrupts and switches do not move. The result is the
// median over the rounds, and its error follows from their spread. This error does not tell if the CPU was
// slow during all rounds: that shows in the calibrations of other runs.
#include "daemon/trace/calibration.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <sstream>
#include <string>

#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/trace/ring/graph_format.hpp"
#include "daemon/trace/ring/subbuffer.hpp"
#include "daemon/trace/trace_files.hpp"
#include "daemon/trace/tracefs/function_lines.hpp"

namespace netperfd::trace {
namespace {

using analysis::GraphEvent;
using analysis::GraphEventKind;

constexpr int kRounds = 8;
constexpr int kCallsARound = 300;
constexpr std::size_t kFewestCalls = 100;  // of each kind in a round
// The rounds are measured again, so many times in all, if the standard error of a call's cost is more than
// this share of it.
constexpr double kMostError = 0.05;
constexpr int kTries = 3;
// Durations are whole nanoseconds: the standard deviation of their rounding.
constexpr double kRoundingNs = 0.29;
// The middle rounds may differ by at most this share of their median.
constexpr double kMostSpread = 0.5;

const std::vector<std::string> kParents{"ksys_lseek", "__x64_sys_lseek", "__arm64_sys_lseek"};
constexpr const char* kEmpty = "null_lseek";  // does next to nothing
const std::vector<std::string> kCallees{kEmpty, "fdget_pos", "__fdget_pos"};

template <class Value>
Value median(std::vector<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_duration(const std::vector<CalibrationRound::Call>& calls) {
  std::vector<std::uint64_t> durations;
  for (const auto& call : calls) durations.push_back(call.duration_ns);
  return static_cast<double>(median(std::move(durations)));
}

double median_callees(const std::vector<CalibrationRound::Call>& calls) {
  std::vector<std::uint32_t> callees;
  for (const auto& call : calls) callees.push_back(call.callees);
  return median(std::move(callees));
}

// The standard error of the median of independent normal values.
double error_of_median(const std::vector<double>& values) {
  const double sd = analysis::robust_sd(values).value_or(0);
  const double error = std::sqrt(std::numbers::pi / 2) * sd / std::sqrt(static_cast<double>(values.size()));
  return std::hypot(error, kRoundingNs);
}

struct Cost {
  double entry_ns = 0;
  double call_ns = 0;  // entry_ns + callee_ns
};

std::optional<Cost> cost_of(const CalibrationRound& round) {
  if (round.alone.size() < kFewestCalls || round.with_callees.size() < kFewestCalls) return std::nullopt;
  const double callees = median_callees(round.with_callees);
  if (callees < 1) return std::nullopt;
  std::optional<double> entry;
  for (const auto& [address, durations] : round.callee_ns) {
    if (durations.size() < kFewestCalls) continue;
    const auto duration = static_cast<double>(median(durations));
    entry = entry ? std::min(*entry, duration) : duration;
  }
  if (!entry) return std::nullopt;
  return Cost{*entry, (median_duration(round.with_callees) - median_duration(round.alone)) / callees};
}

// Filters by line number: by name it would take longer than the measurement itself.
Status write_filter(Tracefs& tracefs, const TraceSession& session, const FunctionLines& lines,
                    const std::vector<std::string>& functions) {
  const std::string file = session.path("set_ftrace_filter");
  std::vector<std::string> expected;
  for (const std::string& function : functions) {
    for (const std::size_t number : lines.at(function)) {
      const std::string text = std::to_string(number);
      const Status status = expected.empty() ? tracefs.write(file, text) : tracefs.append(file, text);
      if (!status) return status;
      expected.push_back(function);
    }
  }
  const auto text = tracefs.read(file);
  if (!text) return std::unexpected(text.error());
  std::vector<std::string> found;
  std::istringstream filter(*text);
  for (std::string line; std::getline(filter, line);) found.push_back(line.substr(0, line.find(' ')));
  std::ranges::sort(expected);
  std::ranges::sort(found);
  if (found == expected) return {};
  return fail(ErrorKind::io, fmt::format("{} has {} instead of {}", file, fmt::join(found, ", "),
                                         fmt::join(expected, ", ")));
}

void make_calls(int null) {
  for (int i = 0; i < kCallsARound; ++i) (void)::lseek(null, 0, SEEK_SET);
}

// The rings of one session, read into events.
class Rings {
 public:
  [[nodiscard]] static Result<Rings> open(Tracefs& tracefs, const TraceSession& session) {
    auto layout = read_layout(tracefs, session);
    if (!layout) return std::unexpected(std::move(layout.error()));
    auto events = read_formats(tracefs, session.spec());
    if (!events) return std::unexpected(std::move(events.error()));
    auto format = GraphFormat::make(*events);
    if (!format) return std::unexpected(std::move(format.error()));
    auto pipes = open_pipes(tracefs, session);
    if (!pipes) return std::unexpected(std::move(pipes.error()));
    return Rings(*layout, std::move(*format), std::move(*pipes));
  }

  // Reads the rings to their end; tracing must be off.
  [[nodiscard]] Result<std::vector<GraphEvent>> take() {
    std::vector<GraphEvent> events;
    for (const RingPipe& pipe : pipes_) {
      for (;;) {
        const auto size = pipe.file->read(buffer_);
        if (!size) return std::unexpected(size.error());
        if (*size == 0) break;
        add(std::span(buffer_).first(*size), events);
      }
    }
    return events;
  }

 private:
  Rings(SubbufferLayout layout, GraphFormat format, std::vector<RingPipe> pipes)
      : layout_(layout), format_(std::move(format)), pipes_(std::move(pipes)), buffer_(layout.size()) {}

  void add(std::span<const std::byte> subbuffer, std::vector<GraphEvent>& events) const {
    SubbufferWalk walk(subbuffer, layout_);
    RawRecord record;
    GraphEvent event;
    while (walk.next(record)) {
      if (format_.read(record.time, record.data, event)) events.push_back(event);
    }
  }

  SubbufferLayout layout_;
  GraphFormat format_;
  std::vector<RingPipe> pipes_;
  std::vector<std::byte> buffer_;
};

// Others may call the same functions meanwhile, but nobody as often. Our own pid cannot be used: within a PID
// namespace it differs from the one that the kernel records.
std::vector<GraphEvent> of_busiest_task(std::vector<GraphEvent> events) {
  std::map<std::int32_t, std::size_t> calls;
  for (const GraphEvent& event : events) ++calls[event.pid];
  const auto busiest = std::ranges::max_element(calls, {}, [](const auto& task) { return task.second; });
  if (busiest != calls.end()) {
    std::erase_if(events, [&](const GraphEvent& event) { return event.pid != busiest->first; });
  }
  return events;
}

struct Subject {
  std::string parent;
  std::vector<std::string> all;  // the parent first
  FunctionLines lines;           // of all of them
  int null = -1;                 // the descriptor that lseek is called on
  std::optional<bool> alone;     // whether the filter has the parent alone; absent: not written yet
};

Result<std::vector<GraphEvent>> record_calls(Tracefs& tracefs, TraceSession& session, Rings& rings,
                                             Subject& subject, bool alone) {
  Status status;
  // Each change of the filter makes the kernel patch its code, which takes longer than the calls.
  if (subject.alone != alone) {
    const auto functions = alone ? std::vector{subject.parent} : subject.all;
    status = write_filter(tracefs, session, subject.lines, functions);
    subject.alone = alone;
  }
  if (status) status = session.start({});
  if (!status) return std::unexpected(std::move(status.error()));
  make_calls(subject.null);
  if (auto stopped = session.stop(); !stopped) return std::unexpected(std::move(stopped.error()));
  auto events = rings.take();
  return events ? of_busiest_task(std::move(*events)) : std::move(events);
}

Result<CalibrationRound> measure_round(Tracefs& tracefs, TraceSession& session, Rings& rings,
                                       Subject& subject, bool alone_first) {
  std::vector<GraphEvent> alone;
  std::vector<GraphEvent> with_callees;
  for (const bool is_alone : {alone_first, !alone_first}) {
    auto events = record_calls(tracefs, session, rings, subject, is_alone);
    if (!events) return std::unexpected(std::move(events.error()));
    (is_alone ? alone : with_callees) = std::move(*events);
  }
  CalibrationRound round;
  round.add_alone(alone);
  round.add_with_callees(with_callees);
  return round;
}

// The first of the possible parents that the kernel has, and those callees that it has.
std::optional<Subject> subject_in(const std::string& traceable) {
  Subject subject;
  for (const std::string& parent : kParents) {
    subject.lines = lines_of(traceable, std::span(&parent, 1));
    if (subject.lines.empty()) continue;
    subject.parent = parent;
    break;
  }
  subject.lines.merge(lines_of(traceable, kCallees));
  if (subject.parent.empty() || !subject.lines.contains(kEmpty)) return std::nullopt;
  subject.all = {subject.parent};
  for (const std::string& callee : kCallees) {
    if (subject.lines.contains(callee)) subject.all.push_back(callee);
  }
  return subject;
}

constexpr const char* kNoSubject =
    "this kernel does not have the functions that the tracer's cost is measured with";

double error_of_call(const Calibration& found) {
  return *found.entry_error_ns + *found.callee_error_ns;
}

Result<Calibration> measure_in(Tracefs& tracefs, TraceSession& session, Subject& subject) {
  const Fd null{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  if (!null) return fail_errno("open /dev/null", errno);
  subject.null = null.get();
  auto rings = Rings::open(tracefs, session);
  if (!rings) return std::unexpected(std::move(rings.error()));
  Result<Calibration> best = fail(ErrorKind::io, "");
  for (int tries = 0; tries < kTries; ++tries) {
    std::vector<CalibrationRound> rounds;
    for (int i = 0; i <= kRounds; ++i) {
      auto round = measure_round(tracefs, session, *rings, subject, i % 2 == 0);
      if (!round) return best ? best : std::unexpected(std::move(round.error()));
      // In the first round, code and rings are not in the caches yet, and an idle CPU's frequency rises.
      if (i > 0) rounds.push_back(std::move(*round));
    }
    auto found = calibrate(rounds);
    if (!best || (found && error_of_call(*found) < error_of_call(*best))) best = std::move(found);
    if (best && error_of_call(*best) <= kMostError * (best->entry_ns + best->callee_ns)) break;
  }
  return best;
}

Result<Calibration> measure(Tracefs& tracefs, const SessionSettings& settings,
                            std::vector<std::string>& neighbours) {
  // A session with missing functions would be refused without saying that it always will be.
  const auto traceable = tracefs.read("available_filter_functions");
  if (!traceable) return std::unexpected(traceable.error());
  auto subject = subject_in(*traceable);
  if (!subject) return fail(ErrorKind::unsupported, kNoSubject);
  TraceSpec spec;
  spec.function_graph.emplace();
  spec.function_graph->functions = subject->all;
  auto session = TraceSession::open(tracefs, settings, spec);
  if (!session) return std::unexpected(std::move(session.error()));
  neighbours = (*session)->neighbours();
  auto calibration = measure_in(tracefs, **session, *subject);
  if (auto restored = (*session)->restore(); !restored) return std::unexpected(std::move(restored.error()));
  return calibration;
}

}  // namespace

// With one function in the filter, its address is the parent's.
void CalibrationRound::add_alone(const std::vector<GraphEvent>& events) {
  for (const GraphEvent& event : events) {
    if (event.kind != GraphEventKind::exit || event.end < event.start) continue;
    parent_ = event.function;
    alone.push_back({event.end - event.start, 0});
  }
}

void CalibrationRound::add_with_callees(const std::vector<GraphEvent>& events) {
  std::map<std::int32_t, std::uint32_t> callees;  // of the current call, by task
  for (const GraphEvent& event : events) {
    const bool of_parent = event.function == parent_;
    if (event.kind == GraphEventKind::entry && of_parent) callees[event.pid] = 0;
    if (event.kind != GraphEventKind::exit || event.end < event.start) continue;
    const std::uint64_t duration = event.end - event.start;
    const auto under_way = callees.find(event.pid);
    if (under_way == callees.end()) continue;
    if (!of_parent) {
      ++under_way->second;
      callee_ns[event.function].push_back(duration);
      continue;
    }
    with_callees.push_back({duration, under_way->second});
    callees.erase(under_way);
  }
}

Result<Calibration> calibrate(const std::vector<CalibrationRound>& rounds) {
  std::vector<double> entries;
  std::vector<double> calls;
  std::vector<double> callees;
  Calibration calibration;
  for (const CalibrationRound& round : rounds) {
    const auto cost = cost_of(round);
    if (!cost) continue;
    entries.push_back(cost->entry_ns);
    calls.push_back(cost->call_ns);
    callees.push_back(cost->call_ns - cost->entry_ns);
    calibration.calls += round.alone.size() + round.with_callees.size();
  }
  if (calls.size() * 2 <= rounds.size()) {
    return fail(ErrorKind::io, "too few calls were recorded to tell the tracer's own cost");
  }
  const double call = median(calls);
  // Ignores a quarter of the rounds at either end.
  std::ranges::sort(calls);
  const std::size_t apart = calls.size() / 4;
  const double least = calls[apart];
  const double most = calls[calls.size() - 1 - apart];
  if (call <= 0 || most - least > kMostSpread * call) {
    return fail(
        ErrorKind::io,
        fmt::format(
            "the tracer's own cost could not be told: {:.0f} to {:.0f} ns a call in half of {} rounds", least,
            most, calls.size()));
  }
  calibration.entry_ns = median(entries);
  calibration.callee_ns = std::max(0.0, call - calibration.entry_ns);
  calibration.entry_error_ns = error_of_median(entries);
  calibration.callee_error_ns = error_of_median(callees);
  return calibration;
}

Result<Calibration> Calibrator::calibration() {
  if (unsupported_) return std::unexpected(*unsupported_);
  auto measured = measure(tracefs_, settings_, neighbours_);
  if (!measured && measured.error().kind == ErrorKind::unsupported) unsupported_ = measured.error();
  return measured;
}

}  // namespace netperfd::trace
