// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/reading/record_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/analysis/calls/histogram.hpp"
#include "daemon/model/named_figure_check.hpp"
#include "daemon/model/text.hpp"
#include "dbus/rows/field.hpp"

namespace netperfd::reading {
namespace {

// The first error; empty if there is none.
class Finding {
 public:
  void require(bool holds, std::string_view what) {
    if (!holds && text_.empty()) text_ = what;
  }
  [[nodiscard]] const std::string& found() const { return text_; }

 private:
  std::string text_;
};

// ---- every value, by the description of its row

enum class Checked { texts, everything };

// Finds texts that are not printable or too long, counts that the store cannot keep, which has signed
// numbers, and figures that are not finite. Names them by their keys: "trace.profile.functions.hits".
class ValueCheck {
 public:
  ValueCheck(Finding& finding, Checked checked) : finding_(finding), checked_(checked) {}

  template <rows::Described Row>
  void check(const Row& row) {
    rows::visit_fields(row, [&](const auto& field, const auto& member) {
      if (field.key == kRecording || field.key == kRaw || field.key == kValues) return;
      const std::size_t length = path_.size();
      path_.append(path_.empty() ? "" : ".").append(field.key);
      check(member);
      path_.resize(length);
    });
  }
  void check(const std::string& text) { require(text.size() <= kLongestText && is_printable(text)); }
  void check(std::uint64_t count) {
    require(checked_ == Checked::texts ||
            count <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  }
  void check(double figure) { require(checked_ == Checked::texts || std::isfinite(figure)); }
  template <class T>
  void check(const std::optional<T>& value) {
    if (value) check(*value);
  }
  template <class T>
  void check(const std::vector<T>& list) {
    for (const T& element : list) check(element);
  }
  template <class First, class Second>
  void check(const std::pair<First, Second>& pair) {
    check(pair.first);
    check(pair.second);
  }
  // The value of an event's field: the store keeps any number.
  template <class... T>
  void check(const std::variant<T...>& value) {
    if (const auto* text = std::get_if<std::string>(&value)) check(*text);
  }
  // The store keeps every value of these types.
  template <class T>
    requires(std::is_enum_v<T> || std::signed_integral<T> || (std::unsigned_integral<T> && sizeof(T) < 8))
  void check(T /*value*/) {}
  template <class Rep, class Period>
  void check(std::chrono::duration<Rep, Period> /*time*/) {}
  template <class Clock, class Duration>
  void check(std::chrono::time_point<Clock, Duration> /*time*/) {}
  void check(const TestSpec& asked) {
    check(asked.path.server);
    check(asked.traffic.bytes);
    check(asked.traffic.bitrate);
    check(asked.iperf3.length_bytes);
  }

 private:
  // Bytes, not texts. Those of a bundle's values are checked when they are stored.
  static constexpr std::string_view kRecording = "recording", kRaw = "raw", kValues = "values";

  void require(bool holds) {
    if (!holds) finding_.require(false, path_);
  }

  Finding& finding_;
  Checked checked_;
  std::string path_;
};

// ---- the figures of a trace

void check_cpus(const TraceRecord& record, Finding& finding) {
  std::set<std::uint32_t> numbers;
  for (const TraceCpu& cpu : record.cpus) {
    finding.require(cpu.cpu < kMostCpus && numbers.insert(cpu.cpu).second, "a CPU's number");
  }
}

void check_events(const TraceRecord& record, Finding& finding) {
  std::set<std::string_view> names;
  for (const EventCount& event : record.events) {
    finding.require(names.insert(event.name).second, "an event is there twice");
  }
}

void check_histogram(const Histogram& histogram, Finding& finding) {
  const auto last = analysis::bucket_of(std::numeric_limits<std::uint64_t>::max());
  std::uint32_t least = 0;
  for (const auto& [bucket, count] : histogram.buckets) {
    finding.require(bucket >= least && bucket <= last && count > 0, "a histogram's bucket");
    least = bucket + 1;
  }
}

void check_functions(const FunctionProfile& profile, Finding& finding) {
  std::set<std::tuple<std::string_view, std::string_view, std::uint32_t>> names;
  for (const FunctionStats& one : profile.functions) {
    finding.require(names.emplace(one.name, one.module, one.duplicate).second, "a function is there twice");
    check_histogram(one.histogram, finding);
  }
}

void check_paths(const FunctionProfile& profile, Finding& finding) {
  const std::size_t functions = profile.functions.size();
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const CallEdge& edge : profile.edges) {
    finding.require(edge.caller < functions && edge.callee < functions, "an edge's function");
    finding.require(edges.emplace(edge.caller, edge.callee).second, "an edge is there twice");
  }
  for (std::size_t i = 0; i < profile.tree.size(); ++i) {
    const CallNode& node = profile.tree[i];
    finding.require(node.function < functions, "a call's function");
    finding.require(!node.parent || *node.parent < i, "a call's parent");
  }
}

// ---- an iperf3 document

void check_directions(const WorkloadReport& report, Finding& finding) {
  for (const auto* list : {&report.sums, &report.streams}) {
    for (const Totals& totals : *list) {
      finding.require(totals.direction != Direction::both, "a sum's direction");
    }
  }
  for (const Interval& interval : report.intervals) {
    finding.require(interval.direction != Direction::both, "an interval's direction");
  }
}

void check_workload(const ImportedWorkload& workload, Finding& finding) {
  const auto& [asked, report, flags, started, system, options_unknown, tool, facts, figures, place] =
      workload;
  // An imported run without a server's name counts as one without a document.
  finding.require(asked.path.server.empty() != tool.empty(), "the server's name");
  constexpr std::size_t kLongestTool = 32;
  finding.require(tool.empty() || is_word(tool, "_-", kLongestTool), "the tool's name");
  finding.require(!place || !tool.empty(), "a table's tool");
  finding.require(tool.empty() == figures.empty() && problem_of(figures).empty(), "the tool's figures");
  const std::string_view group = tool.empty() ? kIperf3Facts : tool;
  for (const Fact& fact : facts) finding.require(fact.group == group, "the tool's facts");
  using std::chrono::milliseconds;
  constexpr auto kLongest = std::chrono::floor<milliseconds>(std::chrono::nanoseconds::max());
  for (const auto time :
       {asked.traffic.duration.value_or(asked.traffic.omit), asked.traffic.omit, asked.traffic.interval}) {
    finding.require(time >= milliseconds{0} && time <= kLongest, "a duration");
  }
  check_directions(report, finding);
  constexpr WallTime kLast{std::chrono::seconds{253'402'300'799}};  // of the year 9999
  finding.require(!started || (*started >= WallTime{} && *started <= kLast), "the time of its start");
}

// Each point of a table becomes a job with two sides.
void check_places(const ImportedFile& file, Finding& finding) {
  std::vector<const ImportedWorkload*> runs{&*file.workload};
  for (const ImportedMore& more : file.more) runs.push_back(&more.workload);
  const std::optional<TablePlace>& first = runs.front()->place;
  std::string_view names[2];
  std::map<std::string_view, std::set<bool>> points;
  for (const ImportedWorkload* run : runs) {
    finding.require(run->place.has_value() == first.has_value(), "a run without a place in the table");
    if (!run->place) continue;
    const TablePlace& place = *run->place;
    std::string_view& name = names[place.is_b ? 1 : 0];
    finding.require(is_word(place.side, "._-", kMaxVariantName), "the name of a side");
    finding.require(name.empty() || name == place.side, "a side with two names");
    name = place.side;
    finding.require(!first || (place.block != 0) == (first->block != 0), "a run without a block");
    finding.require(place.block <= kMostRunsOfTable, "the number of a block");
    points[place.point].insert(place.is_b);
  }
  finding.require(!first || names[0] != names[1], "two sides of one name");
  for (const auto& [point, sides] : points) finding.require(sides.size() == 2, "a point with one side");
}

void check_trace(const TraceRecord& record, Finding& finding) {
  finding.require(record.slice_width.count() >= 0, "the width of a slice");
  check_cpus(record, finding);
  check_events(record, finding);
  if (!record.profile) return;
  check_functions(*record.profile, finding);
  check_paths(*record.profile, finding);
}

bool is_sha256(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == kDigits && std::ranges::all_of(text, is_digit);
}

Status refusal_of(const Finding& finding, std::string_view source) {
  if (finding.found().empty()) return {};
  return fail(ErrorKind::invalid_argument,
              fmt::format("what was read of {} is not as it must be: {}", source, finding.found()));
}

constexpr std::string_view kTheFile = "the file";

// ---- the output of netperfd's own iperf3

Status check_sizes(const ParsedReport& parsed, std::size_t most_intervals) {
  const WorkloadReport& report = parsed.report;
  struct List {
    std::string_view name;
    std::size_t size;
    std::size_t most;
  };
  for (const List& list :
       {List{"intervals", report.intervals.size(), most_intervals},
        List{"streams", report.streams.size(), kMostStreams}, List{"sums", report.sums.size(), kMostSums},
        List{"flags", parsed.flags.size(), kMostFlags}}) {
    if (list.size <= list.most) continue;
    return fail(ErrorKind::invalid_argument,
                fmt::format("it has {} {}, and the test that was asked for has at most {}", list.size,
                            list.name, list.most));
  }
  return {};
}

}  // namespace

Status check_texts(const TraceRecord& record) {
  Finding finding;
  ValueCheck(finding, Checked::texts).check(record);
  return refusal_of(finding, kTheFile);
}

Status check_file(const ImportedFile& file) {
  Finding finding;
  finding.require(
      int{file.trace.has_value()} + int{file.workload.has_value()} + int{file.bundle.has_value()} == 1,
      "a trace, a document or a bundle");
  ValueCheck(finding, Checked::everything).check(file);
  finding.require(file.sha256.empty() || is_sha256(file.sha256), "its digest");
  if (file.workload) check_workload(*file.workload, finding);
  if (file.workload) check_places(file, finding);
  finding.require(file.more.empty() || file.workload, "further runs beside a document");
  for (const ImportedMore& more : file.more) check_workload(more.workload, finding);
  if (file.trace) check_trace(*file.trace, finding);
  return refusal_of(finding, kTheFile);
}

std::size_t most_intervals(const TestSpec& asked) {
  if (!asked.traffic.duration || asked.traffic.interval.count() <= 0) return kMostLiveIntervals;
  // An iperf3 that is late prints intervals that were cut.
  constexpr std::uint64_t kMargin = 1'000;
  const auto times =
      static_cast<std::uint64_t>((*asked.traffic.duration + asked.traffic.omit) / asked.traffic.interval);
  if (times > kMostLiveIntervals) return kMostLiveIntervals;
  const std::uint64_t directions = asked.traffic.direction == Direction::both ? 2 : 1;
  const std::uint64_t rows = directions * (std::uint64_t{asked.traffic.streams} + 1);
  return std::min<std::uint64_t>(kMostLiveIntervals, (times + times / 4) * rows + kMargin);
}

Status check_report(const ParsedReport& report, std::size_t most_intervals) {
  if (auto sizes = check_sizes(report, most_intervals); !sizes) return sizes;
  if (report.server != ServerAbsence::none && (report.error.empty() || !report.report.intervals.empty())) {
    return fail(ErrorKind::invalid_argument, "the server is said to be absent from a test that began");
  }
  if (report.lacks_something && (report.error.empty() || !report.report.intervals.empty()))
    return fail(ErrorKind::invalid_argument, "a test that began is said to lack something");
  Finding finding;
  ValueCheck(finding, Checked::everything).check(report);
  check_directions(report.report, finding);
  return refusal_of(finding, "iperf3's output");
}

Status check_latency(const ParsedLatency& latency) {
  Finding finding;
  ValueCheck(finding, Checked::everything).check(latency);
  const auto known = [](const auto& words, const std::string& word) {
    return std::ranges::find(words, std::string_view(word)) != words.end();
  };
  std::set<std::string_view> probes;
  for (const rows::LatencyProbe& probe : latency.report.probes) {
    finding.require(probes.insert(probe.name).second, "a probe is there twice");
    finding.require(known(kProbeProtocols, probe.protocol), "a probe's protocol");
  }
  std::set<std::pair<std::string_view, std::string_view>> phases;
  for (const rows::LatencyPhase& phase : latency.report.phases) {
    finding.require(probes.contains(phase.probe) && known(kLatencyPhases, phase.phase), "a phase's name");
    finding.require(phases.emplace(phase.probe, phase.phase).second, "a phase is there twice");
  }
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> spans;
  for (const LatencySpan& span : latency.report.spans) {
    const rows::LatencySpan& of = span.figures;
    finding.require(phases.contains({of.probe, of.phase}) && known(kLatencySpans, of.span), "a span's name");
    finding.require(spans.emplace(of.probe, of.phase, of.span).second, "a span is there twice");
    check_histogram(span.histogram, finding);
  }
  for (const rows::LatencyInterval& interval : latency.report.intervals) {
    finding.require(phases.contains({interval.probe, interval.phase}), "an interval's phase");
  }
  return refusal_of(finding, "the prober's output");
}

}  // namespace netperfd::reading
