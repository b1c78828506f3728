// One record of function_graph, or of what lies between them, as the pairing of calls needs it.
#pragma once

#include <cstdint>

namespace netperfd::analysis {

enum class GraphEventKind : std::uint8_t {
  entry,
  exit,
  hit,          // of the function tracer: a call without an end
  task_switch,  // sched:sched_switch; pid is the previous task, next_pid the next
  lost,         // records of this CPU were lost right before `time`
  release,      // the client was let go: time 0 of the run
};

// In the order of rank: one of a higher rank comes over one of a lower.
enum class ContextRank : std::uint8_t { task, softirq, hardirq, nmi };

struct GraphEvent {
  std::uint64_t time = 0;      // the record's stamp, of the trace clock
  std::uint64_t function = 0;  // its address as recorded
  std::uint64_t start = 0;     // of exit: calltime and rettime, of trace_clock_local; both 0 where the
  std::uint64_t end = 0;       // kernel does not tell them
  std::int32_t pid = 0;
  std::int32_t next_pid = 0;
  std::uint32_t overrun = 0;  // of exit: calls that the kernel could not follow, a count of the task's
  std::uint16_t depth = 0;    // 0 for the outermost
  GraphEventKind kind = GraphEventKind::entry;
  ContextRank context = ContextRank::task;
};

}  // namespace netperfd::analysis
