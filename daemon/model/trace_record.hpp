// What a run's trace session saw. Times are nanoseconds since the client's release, negative before it. No
// member ever holds a kernel address: code is named by its symbol, data by a token that is the same for the
// same address within one run and means nothing outside it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daemon/model/function_profile.hpp"

namespace netperfd {

// One CPU's ring buffer, from the kernel's per_cpu/cpuN/stats and from the sub-buffers that were read.
struct TraceCpu {
  std::uint32_t cpu = 0;
  std::uint64_t records = 0;         // decoded: events, and the stacks and marks between them
  std::uint64_t bytes = 0;           // of sub-buffers read
  std::uint64_t lost_events = 0;     // that the sub-buffers themselves report as missing before them
  std::uint64_t overrun = 0;         // overwritten before they were read (stats: "overrun")
  std::uint64_t commit_overrun = 0;  // stats: "commit overrun"
  std::uint64_t dropped_events = 0;  // not written, the buffer was full (stats: "dropped events")
  std::uint64_t damaged = 0;         // sub-buffers with bytes that could not be decoded

  bool operator==(const TraceCpu&) const = default;
};

struct EventCount {
  std::string name;                   // "skb:kfree_skb"
  std::string filter;                 // as asked; empty: none
  std::uint64_t count = 0;            // decoded, from the release on or not
  std::vector<std::uint64_t> slices;  // the same by time, slice i from i * TraceRecord::slice_width on;
                                      // before the release is not in them; trailing zeros are left out

  bool operator==(const EventCount&) const = default;
};

struct EventField {
  std::string name;
  std::variant<std::int64_t, std::uint64_t, std::string> value;
  std::string text;  // as the kernel prints it (an enum's name, a symbol); empty: the value itself

  bool operator==(const EventField&) const = default;
};

// One event whole: among the first or the last few of its name.
struct EventSample {
  std::string event;
  std::uint64_t ordinal = 0;  // 1 for the first of this name
  std::int64_t time_ns = 0;
  std::uint32_t cpu = 0;
  std::int32_t pid = 0;
  std::string task;  // its name; empty where the kernel has forgotten it
  std::vector<EventField> fields;

  bool operator==(const EventSample&) const = default;
};

struct StackCount {
  std::string event;
  std::vector<std::string> frames;  // innermost first, "symbol+0x1c" or "symbol+0x1c [module]"
  std::uint64_t count = 0;

  bool operator==(const StackCount&) const = default;
};

// Packets that skb:kfree_skb freed, by why and where.
struct DropCount {
  std::string reason;    // the kernel's name without its prefix, such as "NO_SOCKET"
  std::string location;  // the function that freed it
  std::uint64_t count = 0;

  bool operator==(const DropCount&) const = default;
};

struct TraceMark {
  std::int64_t time_ns = 0;
  std::string text;
  bool user = false;  // from Manager.Mark, not netperfd's own

  bool operator==(const TraceMark&) const = default;
};

struct TraceRecord {
  std::string skipped;  // not empty: nothing was traced, and this is why; the rest has its defaults
  std::string broken;   // not empty: what happened meanwhile that makes the trace doubtful
  std::string clock;    // of the stamps: "mono"
  std::uint64_t buffer_bytes = 0;              // of one CPU
  std::uint32_t functions = 0;                 // in the filter of function_graph
  std::vector<std::string> missing_functions;  // asked for by name, not traceable
  bool workload_only = false;                  // as asked: softirq work for others is then not seen
  std::chrono::nanoseconds slice_width{0};     // of EventCount::slices
  std::vector<std::uint32_t> only_cpus;        // as asked; empty: all
  std::vector<TraceCpu> cpus;                  // by number
  std::vector<EventCount> events;  // by count, the most frequent first; those asked for also where they never
                                   // occurred
  std::vector<EventSample> samples;        // by time
  std::vector<StackCount> stacks;          // by count within an event
  std::uint64_t stacks_left_out = 0;       // stacks counted, but too many kinds to keep apart
  std::vector<DropCount> drops;            // by count
  std::vector<TraceMark> marks;            // by time
  std::optional<FunctionProfile> profile;  // absent where functions were not traced
  std::string recording;                   // a trace.dat of the raw sub-buffers; empty: not asked for
  std::uint64_t recording_left_out = 0;    // bytes of sub-buffers that found no room in it

  bool operator==(const TraceRecord&) const = default;
};

// Records of this CPU that were written or should have been, and that nobody decoded. The kernel counts an
// overwritten one in its statistics and reports it again in the stream: the larger of the two is taken.
[[nodiscard]] inline std::uint64_t lost_of(const TraceCpu& cpu) {
  return std::max(cpu.lost_events, cpu.overrun) + cpu.commit_overrun + cpu.dropped_events;
}

// Over all names, stacks and marks not counted.
[[nodiscard]] inline std::uint64_t events_of(const TraceRecord& record) {
  std::uint64_t events = 0;
  for (const EventCount& event : record.events) events += event.count;
  return events;
}

}  // namespace netperfd
