// SPDX-License-Identifier: GPL-2.0-or-later
// One record of function_graph, or a record between them that the pairing of calls needs.
#pragma once

#include <cstdint>

namespace netperfd::analysis {

enum class GraphEventKind : std::uint8_t {
  entry,
  exit,
  hit,          // of the function tracer: a call without a recorded end
  task_switch,  // sched:sched_switch; pid is the previous task, next_pid the next
  lost,         // records of this CPU were lost right before `time`
  release,      // the client was let go: time 0 of the run
};

// In order of rank: a higher rank preempts a lower one.
enum class ContextRank : std::uint8_t { task, softirq, hardirq, nmi };

// Values of GraphEvent::start if the recording is text: it has durations, but no calltime. `end` is then the
// duration later. An end before the start is a duration that cannot be.
inline constexpr std::uint64_t kOnlyDuration = 1;
inline constexpr std::uint64_t kDurationAndStamp = 2;  // and `time` is a real stamp

struct GraphEvent {
  std::uint64_t time = 0;      // the record's stamp, of the trace clock
  std::uint64_t function = 0;  // the function's address as recorded
  std::uint64_t start = 0;     // for exit: calltime and rettime, of trace_clock_local; both 0 if the
  std::uint64_t end = 0;       // kernel does not record them
  std::int32_t pid = 0;
  std::int32_t next_pid = 0;
  std::uint32_t overrun = 0;  // for exit: calls that the kernel could not follow, counted per task
  std::uint16_t depth = 0;    // 0 for the outermost
  GraphEventKind kind = GraphEventKind::entry;
  ContextRank context = ContextRank::task;
};

// Whether an exit has a duration, and one that a call may take.
[[nodiscard]] constexpr bool is_timed(const GraphEvent& event) {
  return event.start != 0 && event.end != 0;
}
[[nodiscard]] constexpr bool is_possible(const GraphEvent& event) {
  constexpr std::uint64_t kLongest = 100ULL * 24 * 3'600 * 1'000'000'000;  // 100 days
  return is_timed(event) && event.end >= event.start && event.end - event.start <= kLongest;
}

}  // namespace netperfd::analysis
