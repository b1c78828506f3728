#include "daemon/import/record_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "daemon/analysis/calls/histogram.hpp"
#include "daemon/model/text.hpp"

namespace netperfd::import {
namespace {

// The first error; empty if there is none.
class Finding {
 public:
  void require(bool holds, std::string_view what) {
    if (!holds && text_.empty()) text_ = what;
  }
  void text(const std::string& text, std::string_view what) {
    require(text.size() <= kLongestText && is_printable(text), what);
  }
  // The store keeps signed numbers.
  void counts(std::initializer_list<std::uint64_t> counts, std::string_view what) {
    for (const std::uint64_t count : counts) {
      require(count <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()), what);
    }
  }
  void counts(const std::vector<std::uint64_t>& list, std::string_view what) {
    for (const std::uint64_t count : list) counts({count}, what);
  }
  [[nodiscard]] const std::string& found() const { return text_; }

 private:
  std::string text_;
};

// ---- the texts of a trace

void find_wrong_text(const FunctionProfile& profile, Finding& finding) {
  for (const FunctionStats& one : profile.functions) {
    finding.text(one.name, "a function's name");
    finding.text(one.module, "a function's module");
  }
  finding.text(profile.not_calibrated, "the calibration");
  for (const Build& build : profile.builds) {
    for (const auto* text : {&build.module, &build.release, &build.build_id, &build.srcversion}) {
      finding.text(*text, "a build");
    }
  }
}

void find_wrong_text(const TraceRecord& record, Finding& finding) {
  finding.text(record.skipped, "why it was skipped");
  finding.text(record.broken, "why it is doubtful");
  finding.text(record.clock, "the clock");
  for (const EventCount& event : record.events) {
    finding.text(event.name, "an event's name");
    finding.text(event.filter, "an event's filter");
  }
  for (const EventSample& sample : record.samples) {
    finding.text(sample.event, "a sample's event");
    finding.text(sample.task, "a task's name");
    for (const EventField& field : sample.fields) {
      finding.text(field.name, "a field's name");
      finding.text(field.text, "a field's text");
      if (const auto* text = std::get_if<std::string>(&field.value)) finding.text(*text, "a field's value");
    }
  }
  for (const StackCount& stack : record.stacks) {
    finding.text(stack.event, "a stack's event");
    for (const std::string& frame : stack.frames) finding.text(frame, "a stack's frame");
  }
  for (const DropCount& drop : record.drops) {
    finding.text(drop.reason, "a drop's reason");
    finding.text(drop.location, "a drop's location");
  }
  for (const TraceMark& mark : record.marks) finding.text(mark.text, "a mark's text");
  for (const std::string& name : record.missing_functions) finding.text(name, "a function's name");
  if (record.profile) find_wrong_text(*record.profile, finding);
}

// ---- the figures of a trace

void check_cpus(const TraceRecord& record, Finding& finding) {
  std::set<std::uint32_t> numbers;
  for (const TraceCpu& cpu : record.cpus) {
    finding.require(cpu.cpu < kMostCpus && numbers.insert(cpu.cpu).second, "a CPU's number");
    finding.counts({cpu.records, cpu.bytes, cpu.lost_events, cpu.overrun, cpu.commit_overrun,
                    cpu.dropped_events, cpu.damaged},
                   "a CPU's figures");
  }
}

void check_events(const TraceRecord& record, Finding& finding) {
  std::set<std::string_view> names;
  for (const EventCount& event : record.events) {
    finding.require(names.insert(event.name).second, "an event is there twice");
    finding.counts({event.count}, "an event's count");
    finding.counts(event.slices, "an event's slices");
  }
  for (const EventSample& sample : record.samples) {
    finding.counts({sample.ordinal}, "a sample's place");
  }
}

void check_lists(const TraceRecord& record, Finding& finding) {
  for (const StackCount& stack : record.stacks) finding.counts({stack.count}, "a stack's count");
  for (const DropCount& drop : record.drops) finding.counts({drop.count}, "a drop's count");
}

void check_histogram(const Histogram& histogram, Finding& finding) {
  const auto last = analysis::bucket_of(std::numeric_limits<std::uint64_t>::max());
  std::uint32_t least = 0;
  for (const auto& [bucket, count] : histogram.buckets) {
    finding.require(bucket >= least && bucket <= last && count > 0, "a histogram's bucket");
    finding.counts({count}, "a histogram's count");
    least = bucket + 1;
  }
}

void check_functions(const FunctionProfile& profile, Finding& finding) {
  std::set<std::tuple<std::string_view, std::string_view, std::uint32_t>> names;
  for (const FunctionStats& one : profile.functions) {
    finding.require(names.emplace(one.name, one.module, one.duplicate).second, "a function is there twice");
    finding.counts(
        {one.hits, one.total_ns, one.self_ns, one.recorded_ns, one.interrupted_ns, one.off_cpu_ns,
         one.callees, one.interruptions, one.roots, one.interrupt_roots, one.min_ns, one.max_ns, one.p50_ns,
         one.p90_ns, one.p99_ns.value_or(0), one.p999_ns.value_or(0), one.corrected_self_ns.value_or(0)},
        "a function's figures");
    finding.counts(one.slice_hits, "a function's slices");
    finding.counts(one.slice_self_ns, "a function's slices");
    check_histogram(one.histogram, finding);
  }
}

void check_paths(const FunctionProfile& profile, Finding& finding) {
  const std::size_t functions = profile.functions.size();
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const CallEdge& edge : profile.edges) {
    finding.require(edge.caller < functions && edge.callee < functions, "an edge's function");
    finding.require(edges.emplace(edge.caller, edge.callee).second, "an edge is there twice");
    finding.counts({edge.hits, edge.total_ns}, "an edge's figures");
  }
  for (std::size_t i = 0; i < profile.tree.size(); ++i) {
    const CallNode& node = profile.tree[i];
    finding.require(node.function < functions, "a call's function");
    finding.require(!node.parent || *node.parent < i, "a call's parent");
    finding.counts({node.hits, node.total_ns, node.self_ns}, "a call's figures");
  }
}

void check_profile(const FunctionProfile& profile, Finding& finding) {
  check_functions(profile, finding);
  check_paths(profile, finding);
  const CallDamage& damage = profile.damage;
  finding.counts({damage.open_at_start, damage.open_at_end, damage.unmatched_exits, damage.unmatched_entries,
                  damage.over_losses, damage.depth_overruns, damage.clipped, damage.out_of_order,
                  damage.tree_overflow, profile.slice_ns},
                 "the damage to calls");
  if (const auto& calibration = profile.calibration) {
    finding.require(std::isfinite(calibration->entry_ns) && std::isfinite(calibration->callee_ns),
                    "the calibration");
    finding.counts({calibration->calls}, "the calibration");
  }
}

// ---- an iperf3 document

void check_figures(std::initializer_list<std::optional<double>> figures, Finding& finding) {
  for (const auto figure : figures) {
    finding.require(!figure || std::isfinite(*figure), "a figure of the document");
  }
}

void check_counts(std::initializer_list<std::optional<std::uint64_t>> counts, Finding& finding) {
  for (const auto count : counts) finding.counts({count.value_or(0)}, "a count of the document");
}

void check_totals(const Totals& totals, Finding& finding) {
  finding.require(totals.direction != Direction::both, "a sum's direction");
  check_figures({totals.seconds, totals.sent_bits_per_second, totals.received_bits_per_second,
                 totals.jitter_ms, totals.lost_percent},
                finding);
  check_counts({totals.sent_bytes, totals.received_bytes, totals.retransmits, totals.max_snd_cwnd,
                totals.min_rtt, totals.mean_rtt, totals.max_rtt, totals.packets, totals.out_of_order},
               finding);
}

void check_interval(const Interval& interval, Finding& finding) {
  finding.require(interval.direction != Direction::both, "an interval's direction");
  check_figures({interval.start_s, interval.end_s, interval.seconds, interval.bits_per_second,
                 interval.jitter_ms, interval.lost_percent},
                finding);
  check_counts({interval.bytes, interval.retransmits, interval.snd_cwnd, interval.rtt, interval.rttvar,
                interval.pmtu, interval.packets},
               finding);
}

void check_flags(const std::vector<QualityFlag>& flags, Finding& finding) {
  for (const QualityFlag& flag : flags) {
    finding.text(flag.code, "a flag");
    finding.text(flag.message, "a flag");
  }
}

void check_workload(const ImportedWorkload& workload, Finding& finding) {
  const auto& [asked, report, started] = workload;
  // An imported run without a server's name counts as one without a document.
  finding.text(asked.server, "the server's name");
  finding.require(!asked.server.empty(), "the server's name");
  check_counts({asked.bytes, asked.bitrate, asked.length_bytes}, finding);
  for (const auto time : {asked.duration.value_or(asked.omit), asked.omit, asked.interval}) {
    finding.require(time.count() >= 0, "a duration");
  }
  finding.text(report.version, "iperf3's version");
  finding.text(report.congestion, "the congestion control");
  for (const auto& end : {report.client, report.server}) {
    if (end) finding.text(end->host, "the name of a host");
  }
  check_figures({report.cpu_client_percent, report.cpu_server_percent}, finding);
  for (const Totals& totals : report.sums) check_totals(totals, finding);
  for (const Totals& totals : report.streams) check_totals(totals, finding);
  for (const Interval& interval : report.intervals) check_interval(interval, finding);
  check_flags(report.flags, finding);
  constexpr WallTime kLast{std::chrono::seconds{253'402'300'799}};  // of the year 9999
  finding.require(!started || (*started >= WallTime{} && *started <= kLast), "the time of its start");
}

Status refusal_of(const Finding& finding) {
  if (finding.found().empty()) return {};
  return fail(ErrorKind::invalid_argument,
              fmt::format("what was read of the file is not as it must be: {}", finding.found()));
}

}  // namespace

Status check_texts(const TraceRecord& record) {
  Finding finding;
  find_wrong_text(record, finding);
  return refusal_of(finding);
}

Status check_record(const TraceRecord& record) {
  Finding finding;
  find_wrong_text(record, finding);
  finding.require(record.slice_width.count() >= 0, "the width of a slice");
  finding.counts({record.buffer_bytes, record.stacks_left_out, record.recording_left_out}, "a count");
  check_cpus(record, finding);
  check_events(record, finding);
  check_lists(record, finding);
  if (record.profile) check_profile(*record.profile, finding);
  return refusal_of(finding);
}

Status check_file(const ImportedFile& file) {
  Finding finding;
  finding.require(file.trace.has_value() != file.workload.has_value(), "a trace or a document");
  check_flags(file.flags, finding);
  if (file.workload) check_workload(*file.workload, finding);
  if (auto refused = refusal_of(finding); !refused || !file.trace) return refused;
  return check_record(*file.trace);
}

}  // namespace netperfd::import
