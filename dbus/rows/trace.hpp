// SPDX-License-Identifier: GPL-2.0-or-later
// The trace of a run. Times are seconds since the client's release, negative before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd::rows {

// The summary of a trace (GetTrace).
struct Trace {
  std::optional<std::string> skipped;  // why nothing was traced; no other key is present then
  std::optional<std::string> broken;   // why it is unreliable
  std::optional<std::string> clock;
  std::optional<std::uint64_t> buffer_bytes;  // per CPU
  std::optional<std::uint32_t> functions;     // in function_graph's filter
  std::optional<std::vector<std::string>> missing_functions;
  std::optional<bool> workload_only;
  std::optional<std::vector<std::uint32_t>> only_cpus;  // absent: all
  std::optional<double> slice_s;
  std::optional<std::uint64_t> events, lost, stacks_left_out;
  // Rows that did not fit into the daemon's answer; for slices, events that lack theirs.
  std::optional<std::uint64_t> events_left_out, drops_left_out, marks_left_out, cpus_left_out,
      slices_left_out;
};
template <>
inline constexpr auto kFields<Trace> = std::tuple{long_text("skipped", &Trace::skipped),
                                                  long_text("broken", &Trace::broken),
                                                  field("clock", &Trace::clock),
                                                  field("buffer_bytes", &Trace::buffer_bytes),
                                                  field("functions", &Trace::functions),
                                                  field("missing_functions", &Trace::missing_functions),
                                                  field("workload_only", &Trace::workload_only),
                                                  field("only_cpus", &Trace::only_cpus),
                                                  field("slice_s", &Trace::slice_s),
                                                  field("events", &Trace::events),
                                                  field("lost", &Trace::lost),
                                                  field("stacks_left_out", &Trace::stacks_left_out),
                                                  field("events_left_out", &Trace::events_left_out),
                                                  field("drops_left_out", &Trace::drops_left_out),
                                                  field("marks_left_out", &Trace::marks_left_out),
                                                  field("cpus_left_out", &Trace::cpus_left_out),
                                                  field("slices_left_out", &Trace::slices_left_out)};
static_assert(kDescribed<Trace>);

struct TraceCpu {
  std::optional<std::uint32_t> cpu;
  // `records` counts decoded records: events, their stacks, and marks.
  std::optional<std::uint64_t> records, bytes, lost_events, overrun, commit_overrun, dropped_events, damaged;
};
template <>
inline constexpr auto kFields<TraceCpu> = std::tuple{field("cpu", &TraceCpu::cpu),
                                                     field("records", &TraceCpu::records),
                                                     field("bytes", &TraceCpu::bytes),
                                                     field("lost_events", &TraceCpu::lost_events),
                                                     field("overrun", &TraceCpu::overrun),
                                                     field("commit_overrun", &TraceCpu::commit_overrun),
                                                     field("dropped_events", &TraceCpu::dropped_events),
                                                     field("damaged", &TraceCpu::damaged)};
static_assert(kDescribed<TraceCpu>);

struct TraceEvent {
  std::string event;                  // "skb:kfree_skb"
  std::optional<std::string> filter;  // as in the job; absent: every event was counted
  std::optional<std::uint64_t> count;
  std::optional<std::vector<std::uint64_t>> slices;  // trailing zeros are left out
};
template <>
inline constexpr auto kFields<TraceEvent> =
    std::tuple{field("event", &TraceEvent::event), field("filter", &TraceEvent::filter),
               field("count", &TraceEvent::count), field("slices", &TraceEvent::slices)};
static_assert(kDescribed<TraceEvent>);

struct Drop {
  std::optional<std::string> reason, location;
  std::optional<std::uint64_t> count;
};
template <>
inline constexpr auto kFields<Drop> = std::tuple{
    field("reason", &Drop::reason), field("location", &Drop::location), field("count", &Drop::count)};
static_assert(kDescribed<Drop>);

struct Mark {
  std::optional<double> time_s;
  std::optional<std::string> text;
  std::optional<bool> user;  // from Manager.Mark, not netperfd's own
};
template <>
inline constexpr auto kFields<Mark> =
    std::tuple{field("time_s", &Mark::time_s), field("text", &Mark::text), field("user", &Mark::user)};
static_assert(kDescribed<Mark>);

struct SampleField {
  std::string name;
  std::variant<std::int64_t, std::uint64_t, std::string> value;
  std::optional<std::string> text;  // as the kernel prints it; absent: the value itself
};
template <>
inline constexpr auto kFields<SampleField> =
    std::tuple{field("name", &SampleField::name), field("value", &SampleField::value),
               field("text", &SampleField::text)};
static_assert(kDescribed<SampleField>);

// One event with all its fields.
struct Sample {
  std::string event;
  std::optional<std::uint64_t> ordinal;  // 1 is the first of its event
  std::optional<double> time_s;
  std::optional<std::uint32_t> cpu;
  std::optional<std::int32_t> pid;
  std::optional<std::string> task;
  std::optional<std::vector<SampleField>> fields;
};
template <>
inline constexpr auto kFields<Sample> = std::tuple{
    field("event", &Sample::event),  field("ordinal", &Sample::ordinal), field("time_s", &Sample::time_s),
    field("cpu", &Sample::cpu),      field("pid", &Sample::pid),         field("task", &Sample::task),
    field("fields", &Sample::fields)};
static_assert(kDescribed<Sample>);

struct Stack {
  std::optional<std::string> event;
  std::optional<std::uint64_t> count;
  std::optional<std::vector<std::string>> frames;  // innermost first
};
template <>
inline constexpr auto kFields<Stack> =
    std::tuple{field("event", &Stack::event), field("count", &Stack::count), field("frames", &Stack::frames)};
static_assert(kDescribed<Stack>);

}  // namespace netperfd::rows
