// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/graph_text_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "daemon/trace/recording/graph_text_parts.hpp"

namespace netperfd::trace {
namespace {

// "   50.868279 |", or "      123 us |" of funcgraph-reltime, which precedes the CPU.
void take_time(std::string_view& rest, TextLine& line) {
  std::string_view text = rest;
  skip_blanks(text);
  const std::size_t bar = text.find('|');
  if (bar == std::string_view::npos) return;
  std::string_view column = trimmed(text.substr(0, bar));
  std::string_view behind = text.substr(bar + 1);
  if (column.ends_with(" us")) {
    skip_blanks(behind);
    if (!take_number<std::uint32_t>(behind) || !behind.starts_with(')')) return;
    const auto microseconds = take_decimal(column, 3);
    if (!microseconds || trimmed(column) != "us") return;
    line.time_ns = possible_time(microseconds);
  } else {
    if (column.find('.') == std::string_view::npos) return;
    const auto time = take_decimal(column, 9);
    if (!time || !column.empty()) return;
    line.time_ns = possible_time(time);
  }
  rest = text.substr(bar + 1);
}

void take_cpu(std::string_view& rest, TextLine& line) {
  std::string_view text = rest;
  skip_blanks(text);
  const auto cpu = take_number<std::uint32_t>(text);
  if (!cpu || !take(text, ")")) return;
  line.cpu = cpu;
  rest = text;
}

// "   <idle>-0    =>   iperf3-312  ".
bool is_change(std::string_view text, TextLine& line) {
  const std::size_t arrow = text.find(" => ");
  if (arrow == std::string_view::npos) return false;
  const auto before = pid_of(text.substr(0, arrow)), after = pid_of(text.substr(arrow + 4));
  if (!before || !after) return false;
  line.kind = TextLineKind::change;
  line.pid = before;
  line.next_pid = after;
  return true;
}

enum class Column { task, flags, duration, interrupt, none };

Column read_column(std::string_view column, const TextLegend& legend, TextLine& line) {
  const std::string_view text = trimmed(column);
  if (text == "==========>" || text == "<==========") {
    line.kind = text.front() == '<' ? TextLineKind::interrupt_end : TextLineKind::interrupt_begin;
    return Column::interrupt;
  }
  if (read_duration(column, line.duration_ns)) {
    line.has_duration_column = true;
    return Column::duration;
  }
  line.duration_ns.reset();
  if (const auto pid = pid_of(text); pid && !line.pid) {
    line.pid = pid;
    return Column::task;
  }
  if (const auto context = context_of(text, legend.context_column); context && !line.context) {
    line.context = context;
    return Column::flags;
  }
  return Column::none;
}

bool read_kernel_line(std::string_view text, const TextLegend& legend, TextLine& line) {
  std::string_view rest = text;
  take_time(rest, line);
  take_cpu(rest, line);
  if (line.cpu && is_change(rest, line)) return true;
  std::size_t gap = line.cpu ? 1 : 0;
  while (!line.has_duration_column) {
    const std::size_t bar = rest.find('|');
    if (bar == std::string_view::npos) break;
    const Column column = read_column(rest.substr(0, bar), legend, line);
    if (column == Column::interrupt) return true;
    if (column == Column::none) break;
    rest.remove_prefix(bar + 1);
    gap = line.has_duration_column ? 2 : 1;
  }
  return read_body(without_gap(rest, gap), line);
}

// ---- Lines of neither -------------------------------------------------------------------------------------

// What people put in place of lines that they left out.
bool is_omission(std::string_view text) {
  constexpr std::array<std::string_view, 9> kSigns{
      "[...]", "[ ... ]", "[\xe2\x80\xa6]", "\xe2\x80\xa6", "...", "(...)", "<...>", "[snip]", "<snip>"};
  return std::ranges::find(kSigns, text) != kSigns.end();
}

// "CPU:1 [LOST 42 EVENTS]", or "CPU:1 [42 EVENTS DROPPED]" from trace-cmd.
bool is_loss(std::string_view text, TextLine& line) {
  if (!take(text, "CPU:")) return false;
  line.cpu = take_number<std::uint32_t>(text);
  skip_blanks(text);
  if (!line.cpu || !take(text, "[") || text.find("EVENTS") == std::string_view::npos) return false;
  if (take(text, "LOST")) skip_blanks(text);
  line.lost = take_number<std::uint64_t>(text).value_or(0);
  line.kind = TextLineKind::lost;
  return true;
}

bool says_nothing(std::string_view text) {
  if (text.empty() || text.front() == '#') return true;
  if (text.find_first_not_of('-') == std::string_view::npos) return true;
  // A stack has one line for each frame.
  if (text.starts_with("=> ") || text.starts_with("(Overruns:")) return true;
  // Of a report of several files, each is named: "trace-1.dat: cpus=4".
  if (const std::size_t name = text.find(": "); name < text.find(' ')) text.remove_prefix(name + 2);
  if (text.starts_with("version =")) return true;
  if (take(text, "cpus=")) return take_number<std::uint32_t>(text) && text.empty();
  return take(text, "CPU ") && take_number<std::uint32_t>(text) && text == " is empty";
}

}  // namespace

void TextLegend::read(std::string_view line) {
  const std::size_t arrow = line.find("=> ");
  if (!line.starts_with('#') || arrow == std::string_view::npos) return;
  const std::string_view name = trimmed(line.substr(arrow + 3));
  if (name.starts_with("irqs-off")) columns = 0;
  if (name.starts_with("hardirq/softirq")) context_column = columns;
  ++columns;
}

std::optional<TextLine> read_text_line(std::string_view text, const TextLegend& legend) {
  const std::string_view whole = trimmed(text);
  TextLine line;
  if (says_nothing(whole)) return line;
  if (is_loss(whole, line)) return line;
  if (is_omission(whole)) {
    line.kind = TextLineKind::omission;
    return line;
  }
  line = {};
  if (read_report_line(text, legend, line)) return line;
  line = {};
  if (read_kernel_line(text, legend, line)) return line;
  return std::nullopt;
}

bool begins_like_text_line(std::string_view text) {
  TextLine line;
  std::string_view rest = text;
  take_time(rest, line);
  take_cpu(rest, line);
  return line.cpu || line.time_ns || read_report_head(rest, {}, line);
}

}  // namespace netperfd::trace
