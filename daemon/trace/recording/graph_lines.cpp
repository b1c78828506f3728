// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/graph_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace netperfd::trace {
namespace {

using analysis::GraphEvent;

constexpr std::size_t kMostIndented = 1'000;  // a greater depth means damage
constexpr std::string_view kNoDuration = "              |  ";
constexpr std::string_view kRule = " ------------------------------------------\n";

void indent(std::string& out, std::size_t depth) {
  out.append(2 * std::min(depth, kMostIndented), ' ');
}

// The kernel's mark before a duration, which depends on its length.
char mark_of(std::uint64_t ns) {
  constexpr std::uint64_t kMicrosecond = 1'000;
  constexpr std::array<std::pair<std::uint64_t, char>, 6> kMarks{{{1'000'000 * kMicrosecond, '$'},
                                                                  {100'000 * kMicrosecond, '@'},
                                                                  {10'000 * kMicrosecond, '*'},
                                                                  {1'000 * kMicrosecond, '#'},
                                                                  {100 * kMicrosecond, '!'},
                                                                  {10 * kMicrosecond, '+'}}};
  const auto* const found = std::ranges::find_if(kMarks, [&](const auto& mark) { return ns > mark.first; });
  return found == kMarks.end() ? ' ' : found->second;
}

// At most seven digits: a long duration has fewer decimals, or none.
void put_duration(std::string& out, const GraphEvent& exit) {
  if (exit.start == 0 && exit.end == 0) {
    out += kNoDuration;
    return;
  }
  constexpr std::size_t kDigits = 7;
  constexpr std::size_t kWidth = 8;
  const auto ns = exit.end - exit.start;
  auto text = fmt::format("{}", ns / 1'000);
  if (text.size() < kDigits) {
    const auto fraction = fmt::format("{:03}", ns % 1'000);
    text += '.';
    text += fraction.substr(0, kDigits + 1 - text.size());
  }
  fmt::format_to(std::back_inserter(out), "{} {} us ", mark_of(ns), text);
  out.append(kWidth - std::min(kWidth, text.size()), ' ');
  out += "|  ";
}

}  // namespace

GraphLines::GraphLines(const GraphTextOptions& options, TextNames& names, std::uint32_t last_cpu)
    : options_(options), names_(names), cpu_digits_(fmt::formatted_size("{}", last_cpu)) {}

void GraphLines::header(std::string& out) {
  out +=
      "# tracer: function_graph\n"
      "#\n"
      "#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS\n"
      "#      |          |     |    |           |   |                     |   |   |   |\n";
}

void GraphLines::leaf(std::string& out, std::uint32_t cpu, const GraphEvent& entry, const GraphEvent& exit) {
  task_change(out, cpu, entry.pid);
  arrow(out, cpu, entry, "==========>");
  columns(out, cpu, entry.time, entry.pid);
  auto& state = cpus_[cpu];
  state.depth = int{entry.depth} - 1;
  if (entry.depth < kDeepest) state.open[entry.depth] = 0;
  put_duration(out, exit);
  indent(out, entry.depth);
  out += names_.function(exit.function);
  out += "();\n";
  auto end = exit;
  end.time = entry.time;  // as in the kernel's text, which uses the entry's time
  arrow(out, cpu, end, "<==========");
}

void GraphLines::entry(std::string& out, std::uint32_t cpu, const GraphEvent& event) {
  task_change(out, cpu, event.pid);
  arrow(out, cpu, event, "==========>");
  columns(out, cpu, event.time, event.pid);
  auto& state = cpus_[cpu];
  state.depth = event.depth;
  if (event.depth < kDeepest) state.open[event.depth] = event.function;
  out += kNoDuration;
  indent(out, event.depth);
  out += names_.function(event.function);
  out += "() {\n";
}

void GraphLines::exit(std::string& out, std::uint32_t cpu, const GraphEvent& event) {
  auto& state = cpus_[cpu];
  state.depth = int{event.depth} - 1;
  bool known = true;
  if (event.depth < kDeepest) {
    known = state.open[event.depth] == event.function;
    state.open[event.depth] = 0;
  }
  task_change(out, cpu, event.pid);
  columns(out, cpu, event.time, event.pid);
  put_duration(out, event);
  indent(out, event.depth);
  out += '}';
  if (!known || options_.tail) {
    out += " /* ";
    out += names_.function(event.function);
    out += " */";
  }
  out += '\n';
  if (options_.overruns) fmt::format_to(std::back_inserter(out), " (Overruns: {})\n", event.overrun);
  arrow(out, cpu, event, "<==========");
}

void GraphLines::comment(std::string& out, std::uint32_t cpu, std::uint64_t time, std::int32_t pid,
                         std::string_view text) {
  task_change(out, cpu, pid);
  columns(out, cpu, time, pid);
  out += kNoDuration;
  const auto depth = cpus_[cpu].depth;
  if (depth > 0) indent(out, static_cast<std::size_t>(depth) + 1);
  out += "/* ";
  out += text;
  out += " */\n";
}

void GraphLines::lost(std::string& out, std::uint32_t cpu, std::uint64_t count) {
  if (count == 0) {
    fmt::format_to(std::back_inserter(out), "CPU:{} [LOST EVENTS]\n", cpu);
  } else {
    fmt::format_to(std::back_inserter(out), "CPU:{} [LOST {} EVENTS]\n", cpu, count);
  }
}

void GraphLines::task_change(std::string& out, std::uint32_t cpu, std::int32_t pid) {
  auto& state = cpus_[cpu];
  if (state.last_pid == pid) return;
  if (state.last_pid != -1) {
    out += kRule;
    put_cpu(out, cpu);
    out += names_.task_column(state.last_pid);
    out += " => ";
    out += names_.task_column(pid);
    out += '\n';
    out += kRule;
    out += '\n';
  }
  state.last_pid = pid;
}

void GraphLines::columns(std::string& out, std::uint32_t cpu, std::uint64_t time, std::int32_t pid) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  fmt::format_to(std::back_inserter(out), "{:5}.{:06} |  ", time / kSecond, time % kSecond / 1'000);
  put_cpu(out, cpu);
  out += names_.task_column(pid);
  out += " | ";
}

void GraphLines::arrow(std::string& out, std::uint32_t cpu, const GraphEvent& event, std::string_view arrow) {
  const auto [begin, end] = options_.interrupt_code;
  if (event.function < begin || event.function >= end) return;
  columns(out, cpu, event.time, event.pid);
  fmt::format_to(std::back_inserter(out), "  {} |\n", arrow);
}

void GraphLines::put_cpu(std::string& out, std::uint32_t cpu) const {
  fmt::format_to(std::back_inserter(out), " {:{}}) ", cpu, cpu_digits_);
}

}  // namespace netperfd::trace
