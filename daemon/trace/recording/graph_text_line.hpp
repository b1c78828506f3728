// SPDX-License-Identifier: GPL-2.0-or-later
// Parses one line of function_graph text, as written by the kernel in `trace` and `trace_pipe` or by
// trace-cmd in its report.
//
// The kernel's columns are all optional (trace_options funcgraph-abstime, -cpu, -proc, -duration, -overhead,
// -tail, latency-format):
//    50.868279 |   0)   iperf3-312   |  d.h1. | + 31.717 us   |      ip_output() {
// trace-cmd's have another order:
//   iperf3-312   [000] d..1.    50.868279: funcgraph_entry:      + 31.717 us   |      ip_output();
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "daemon/analysis/calls/graph_event.hpp"

namespace netperfd::trace {

enum class TextLineKind {
  nothing,  // a header, a rule, an empty line
  entry,
  exit,
  leaf,  // an entry with its exit
  event,
  change,           // another task runs on the CPU from here on
  interrupt_begin,  // the arrows of funcgraph-irqs
  interrupt_end,
  lost,      // records of this CPU are missing here
  omission,  // "[...]": somebody left lines out
};

// What the head of a text says about its columns.
struct TextLegend {
  // Of the flags: the character that tells whether the CPU is in an interrupt. Kernels with
  // need-resched-lazy have one more before it.
  std::optional<std::size_t> context_column;
  std::size_t columns = 0;  // seen so far

  // Takes what the line tells: "#                   / _----=> need-resched".
  void read(std::string_view line);
};

// Whether a mark's text ends with the line.
enum class TextMark {
  whole,
  comment,  // it ends with the end of a comment, in a later line
  plain,    // nothing tells
};

// Members that the line does not have are absent. Texts are parts of the line.
struct TextLine {
  TextLineKind kind = TextLineKind::nothing;
  std::optional<std::uint32_t> cpu;
  std::optional<std::uint64_t> time_ns;
  std::optional<std::int32_t> pid;           // for change: the task that ran before
  std::optional<std::int32_t> next_pid;      // for change and the event sched_switch
  std::optional<std::int32_t> previous_pid;  // for the event sched_switch
  bool has_duration_column = false;
  std::optional<std::uint64_t> duration_ns;
  std::uint32_t depth = 0;    // from the indentation
  std::string_view function;  // for exit: empty if the brace does not name its function
  std::string_view module;
  std::string_view event;   // its name without its system; empty: a mark
  std::string_view source;  // the file or instance that a report names
  std::optional<analysis::ContextRank> context;
  TextMark mark = TextMark::whole;
  std::uint64_t lost = 0;  // 0: the text does not give the number
};

// Absent if it is none of these.
[[nodiscard]] std::optional<TextLine> read_text_line(std::string_view line, const TextLegend& legend = {});

// Whether a line that cannot be read has the first columns of one.
[[nodiscard]] bool begins_like_text_line(std::string_view line);

// For error messages: an example of a valid line.
inline constexpr std::string_view kExpectedTextLine =
    "expected is a line of function_graph, such as \" 0)   1.234 us    |  ip_rcv();\" or, of trace-cmd "
    "report, "
    "\"iperf3-312 [000] 50.868279: funcgraph_entry: 1.234 us | ip_rcv();\"";

}  // namespace netperfd::trace
