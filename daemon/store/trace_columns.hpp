// The columns of a trace's tables that trace_writer and trace_reader share. Each list is next to the members
// it stands for and in the same order.
#pragma once

#include <string_view>
#include <tuple>

#include "daemon/model/trace_record.hpp"

namespace netperfd::store {

inline constexpr std::string_view kTraceColumns =
    "skipped, broken, clock, buffer_bytes, functions, workload_only, slice_width_ns, stacks_left_out, "
    "recording_left_out";

template <class T>  // TraceRecord or const TraceRecord
[[nodiscard]] auto trace_members(T& t) {
  return std::tie(t.skipped, t.broken, t.clock, t.buffer_bytes, t.functions, t.workload_only, t.slice_width,
                  t.stacks_left_out, t.recording_left_out);
}

inline constexpr std::string_view kTraceCpuColumns =
    "cpu, records, bytes, lost_events, overrun, commit_overrun, dropped_events, damaged";

template <class C>  // TraceCpu or const TraceCpu
[[nodiscard]] auto trace_cpu_members(C& c) {
  return std::tie(c.cpu, c.records, c.bytes, c.lost_events, c.overrun, c.commit_overrun, c.dropped_events,
                  c.damaged);
}

inline constexpr std::string_view kEventColumns = "name, filter, count";

template <class E>  // EventCount or const EventCount
[[nodiscard]] auto event_members(E& e) {
  return std::tie(e.name, e.filter, e.count);
}

inline constexpr std::string_view kSampleColumns = "event, ordinal, time_ns, cpu, pid, task";

template <class S>  // EventSample or const EventSample
[[nodiscard]] auto sample_members(S& s) {
  return std::tie(s.event, s.ordinal, s.time_ns, s.cpu, s.pid, s.task);
}

inline constexpr std::string_view kDropColumns = "reason, location, count";

template <class D>  // DropCount or const DropCount
[[nodiscard]] auto drop_members(D& d) {
  return std::tie(d.reason, d.location, d.count);
}

inline constexpr std::string_view kMarkColumns = "time_ns, text, user";

template <class M>  // TraceMark or const TraceMark
[[nodiscard]] auto mark_members(M& m) {
  return std::tie(m.time_ns, m.text, m.user);
}

}  // namespace netperfd::store
