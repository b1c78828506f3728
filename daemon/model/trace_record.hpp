// SPDX-License-Identifier: GPL-2.0-or-later
// The record of a run's trace session. Times are nanoseconds since the client's release, negative before it.
// No member ever holds a kernel address: code is named by its symbol. Data is named by a token, which is the
// same for the same address within one run and means nothing outside it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "daemon/model/function_profile.hpp"
#include "dbus/rows/field.hpp"

namespace netperfd {

// One CPU's ring buffer, from the kernel's per_cpu/cpuN/stats and from the sub-buffers read.
struct TraceCpu {
  std::uint32_t cpu = 0;
  std::uint64_t records = 0;         // decoded: events, and the stacks and marks between them
  std::uint64_t bytes = 0;           // of the sub-buffers read
  std::uint64_t lost_events = 0;     // missing records, reported by the sub-buffers that follow them
  std::uint64_t overrun = 0;         // overwritten before they were read (stats: "overrun")
  std::uint64_t commit_overrun = 0;  // stats: "commit overrun"
  std::uint64_t dropped_events = 0;  // not written because the buffer was full (stats: "dropped events")
  std::uint64_t damaged = 0;         // sub-buffers with bytes that could not be decoded

  bool operator==(const TraceCpu&) const = default;
};
template <>
inline constexpr auto rows::kFields<TraceCpu> =
    std::tuple{rows::field("cpu", &netperfd::TraceCpu::cpu),
               rows::field("records", &netperfd::TraceCpu::records),
               rows::field("bytes", &netperfd::TraceCpu::bytes),
               rows::field("lost_events", &netperfd::TraceCpu::lost_events),
               rows::field("overrun", &netperfd::TraceCpu::overrun),
               rows::field("commit_overrun", &netperfd::TraceCpu::commit_overrun),
               rows::field("dropped_events", &netperfd::TraceCpu::dropped_events),
               rows::field("damaged", &netperfd::TraceCpu::damaged)};
static_assert(rows::kDescribed<TraceCpu>);

// Of an event, or of a function. Beyond it, the recording merges two slices into one.
inline constexpr std::size_t kMostSlices = 600;

struct EventCount {
  std::string name;                   // "skb:kfree_skb"
  std::string filter;                 // as in the job; empty: none
  std::uint64_t count = 0;            // decoded, including those before the release
  std::vector<std::uint64_t> slices;  // counts by time, slice i starting at i * TraceRecord::slice_width;
                                      // events before the release are not included; trailing zeros are left
                                      // out

  bool operator==(const EventCount&) const = default;
};
template <>
inline constexpr auto rows::kFields<EventCount> = std::tuple{
    rows::field("name", &netperfd::EventCount::name), rows::field("filter", &netperfd::EventCount::filter),
    rows::field("count", &netperfd::EventCount::count), rows::field("slices", &netperfd::EventCount::slices)};
static_assert(rows::kDescribed<EventCount>);

struct EventField {
  std::string name;
  std::variant<std::int64_t, std::uint64_t, std::string> value;
  std::string text;  // as the kernel prints it (an enum's name, a symbol); empty: same as the value

  bool operator==(const EventField&) const = default;
};
template <>
inline constexpr auto rows::kFields<EventField> = std::tuple{
    rows::field("name", &netperfd::EventField::name), rows::field("value", &netperfd::EventField::value),
    rows::field("text", &netperfd::EventField::text)};
static_assert(rows::kDescribed<EventField>);

// A complete event: one of the first or last few with its name.
struct EventSample {
  std::string event;
  std::uint64_t ordinal = 0;  // 1 for the first of this name
  std::int64_t time_ns = 0;
  std::uint32_t cpu = 0;
  std::int32_t pid = 0;
  std::string task;  // its name; empty if the kernel no longer knows it
  std::vector<EventField> fields;

  bool operator==(const EventSample&) const = default;
};
template <>
inline constexpr auto rows::kFields<EventSample> =
    std::tuple{rows::field("event", &netperfd::EventSample::event),
               rows::field("ordinal", &netperfd::EventSample::ordinal),
               rows::field("time_ns", &netperfd::EventSample::time_ns),
               rows::field("cpu", &netperfd::EventSample::cpu),
               rows::field("pid", &netperfd::EventSample::pid),
               rows::field("task", &netperfd::EventSample::task),
               rows::field("fields", &netperfd::EventSample::fields)};
static_assert(rows::kDescribed<EventSample>);

struct StackCount {
  std::string event;
  std::vector<std::string> frames;  // innermost first, "symbol+0x1c" or "symbol+0x1c [module]"
  std::uint64_t count = 0;

  bool operator==(const StackCount&) const = default;
};
template <>
inline constexpr auto rows::kFields<StackCount> = std::tuple{
    rows::field("event", &netperfd::StackCount::event), rows::field("frames", &netperfd::StackCount::frames),
    rows::field("count", &netperfd::StackCount::count)};
static_assert(rows::kDescribed<StackCount>);

// Packets freed by skb:kfree_skb, by reason and location.
struct DropCount {
  std::string reason;    // the kernel's name without its prefix, such as "NO_SOCKET"
  std::string location;  // the function that freed it
  std::uint64_t count = 0;

  bool operator==(const DropCount&) const = default;
};
template <>
inline constexpr auto rows::kFields<DropCount> =
    std::tuple{rows::field("reason", &netperfd::DropCount::reason),
               rows::field("location", &netperfd::DropCount::location),
               rows::field("count", &netperfd::DropCount::count)};
static_assert(rows::kDescribed<DropCount>);

struct TraceMark {
  std::int64_t time_ns = 0;
  std::string text;
  bool user = false;  // set by Manager.Mark, not by netperfd itself

  bool operator==(const TraceMark&) const = default;
};
template <>
inline constexpr auto rows::kFields<TraceMark> = std::tuple{
    rows::field("time_ns", &netperfd::TraceMark::time_ns), rows::field("text", &netperfd::TraceMark::text),
    rows::field("user", &netperfd::TraceMark::user)};
static_assert(rows::kDescribed<TraceMark>);

struct TraceRecord {
  std::string skipped;             // not empty: the reason why nothing was traced; the rest has its defaults
  std::string broken;              // not empty: an event during the trace that makes it doubtful
  std::string clock;               // of the time stamps: "mono"
  std::uint64_t buffer_bytes = 0;  // for each CPU
  std::uint32_t functions = 0;     // number of functions in the filter of function_graph
  std::vector<std::string> missing_functions;  // requested by name, but not traceable
  bool workload_only = false;                  // as in the job; softirq work for other tasks is then not seen
  std::chrono::nanoseconds slice_width{0};     // of EventCount::slices
  std::vector<std::uint32_t> only_cpus;        // as in the job; empty: all
  std::vector<TraceCpu> cpus;                  // by number
  std::vector<EventCount> events;     // the most frequent first; requested events are included even if they
                                      // never occurred
  std::vector<EventSample> samples;   // by time
  std::vector<StackCount> stacks;     // by count within an event
  std::uint64_t stacks_left_out = 0;  // counted stacks beyond the limit of different ones
  std::vector<DropCount> drops;       // by count
  std::vector<TraceMark> marks;       // by time
  std::optional<FunctionProfile> profile;   // absent if functions were not traced
  std::string recording;                    // a trace.dat of the raw sub-buffers; empty: not requested
  std::uint64_t recording_left_out = 0;     // bytes of sub-buffers that did not fit into it
  std::optional<std::uint64_t> reading_ns;  // CPU time of netperfd to read and decode while tracing was on

  bool operator==(const TraceRecord&) const = default;
};
template <>
inline constexpr auto rows::kFields<TraceRecord> =
    std::tuple{rows::field("skipped", &netperfd::TraceRecord::skipped),
               rows::field("broken", &netperfd::TraceRecord::broken),
               rows::field("clock", &netperfd::TraceRecord::clock),
               rows::field("buffer_bytes", &netperfd::TraceRecord::buffer_bytes),
               rows::field("functions", &netperfd::TraceRecord::functions),
               rows::field("missing_functions", &netperfd::TraceRecord::missing_functions),
               rows::field("workload_only", &netperfd::TraceRecord::workload_only),
               rows::field("slice_width_ns", &netperfd::TraceRecord::slice_width),
               rows::field("only_cpus", &netperfd::TraceRecord::only_cpus),
               rows::field("cpus", &netperfd::TraceRecord::cpus),
               rows::field("events", &netperfd::TraceRecord::events),
               rows::field("samples", &netperfd::TraceRecord::samples),
               rows::field("stacks", &netperfd::TraceRecord::stacks),
               rows::field("stacks_left_out", &netperfd::TraceRecord::stacks_left_out),
               rows::field("drops", &netperfd::TraceRecord::drops),
               rows::field("marks", &netperfd::TraceRecord::marks),
               rows::field("profile", &netperfd::TraceRecord::profile),
               rows::field("recording", &netperfd::TraceRecord::recording),
               rows::field("recording_left_out", &netperfd::TraceRecord::recording_left_out),
               rows::field("reading_ns", &netperfd::TraceRecord::reading_ns)};
static_assert(rows::kDescribed<TraceRecord>);

// Records of this CPU that were not decoded although they were written or should have been. The kernel counts
// an overwritten record in its statistics and reports it again in the stream, so the larger of the two is
// used.
[[nodiscard]] inline std::uint64_t lost_of(const TraceCpu& cpu) {
  return std::max(cpu.lost_events, cpu.overrun) + cpu.commit_overrun + cpu.dropped_events;
}

// Number of events of all names; stacks and marks are not counted.
[[nodiscard]] inline std::uint64_t events_of(const TraceRecord& record) {
  std::uint64_t events = 0;
  for (const EventCount& event : record.events) events += event.count;
  return events;
}

// The text of netperfd's own mark at time 0, written right before the client is released.
inline constexpr const char* kReleaseMark = "release";

// Events since the previous progress report.
struct TraceProgress {
  double seconds = 0;                                         // seconds that it covers
  std::vector<std::pair<std::string, std::uint64_t>> events;  // decoded, by name, only those that occurred
  std::uint64_t lost = 0;                                     // events, over all CPUs
  // A few functions with the most calls that ended in this time, by hits.
  std::vector<std::pair<std::string, std::uint64_t>> functions;
};

}  // namespace netperfd
