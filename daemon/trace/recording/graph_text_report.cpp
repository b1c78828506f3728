// SPDX-License-Identifier: GPL-2.0-or-later
// Lines in the columns of trace-cmd report, which are also those of the kernel for events.
#include "daemon/model/text.hpp"
#include "daemon/trace/recording/graph_text_parts.hpp"

namespace netperfd::trace {
namespace {

// "50.868279:", or in the kernel's latency format "  123us!:".
std::optional<std::uint64_t> take_stamp(std::string_view& text) {
  constexpr std::string_view kMarks = " +!#*@$";
  std::string_view seconds = text, microseconds = text;
  const auto time = take_decimal(seconds, 9);
  if (!time) return std::nullopt;
  if (take(seconds, ":")) {
    text = seconds;
    return time;
  }
  const auto relative = take_decimal(microseconds, 3);
  if (!take(microseconds, "us")) return std::nullopt;
  microseconds.remove_prefix(std::min(microseconds.find_first_not_of(kMarks), microseconds.size()));
  if (!take(microseconds, ":")) return std::nullopt;
  text = microseconds;
  return relative;
}

// "[000] d..1.", or in one word, as with trace-cmd report -l, "0d..1.".
bool take_cpu_and_flags(std::string_view& text, const TextLegend& legend, TextLine& line) {
  std::string_view rest = text;
  const bool brackets = take(rest, "[");
  line.cpu = take_number<std::uint32_t>(rest);
  if (!line.cpu || (brackets && !take(rest, "]"))) return false;
  if (brackets) skip_blanks(rest);
  const std::string_view word = rest.substr(0, rest.find(' '));
  line.context = context_of(word, legend.context_column);
  if (!brackets && (!line.context || is_digit(word.front()))) return false;
  if (line.context && take(rest, word)) skip_blanks(rest);
  text = rest;
  return true;
}

// "trace-1.dat:      iperf3-312": a report of several files or instances names that of each line.
std::string_view source_of(std::string_view task) {
  task = trimmed(task);
  const std::size_t end = task.find(": ");
  if (end == std::string_view::npos ||
      task.substr(0, end).find_first_of(kTextBlank) != std::string_view::npos) {
    return {};
  }
  return task.substr(0, end);
}

// "(+130)" of trace-cmd report --ts-diff.
void drop_difference(std::string_view& text) {
  if (!text.starts_with("(+")) return;
  const std::size_t close = text.find(')');
  if (close == std::string_view::npos) return;
  text.remove_prefix(close + 1);
  skip_blanks(text);
}

}  // namespace

// The task's name may contain anything.
bool read_report_head(std::string_view& rest, const TextLegend& legend, TextLine& line) {
  for (std::size_t at = rest.find(' '); at != std::string_view::npos; at = rest.find(' ', at + 1)) {
    std::string_view behind = rest.substr(at + 1);
    if (behind.empty() || (behind.front() != '[' && !is_digit(behind.front()))) continue;
    const auto pid = pid_of(rest.substr(0, at));
    if (!pid || !take_cpu_and_flags(behind, legend, line)) continue;
    const auto time = take_stamp(behind);
    if (!time) continue;
    line.pid = pid;
    line.time_ns = possible_time(time);
    line.source = source_of(rest.substr(0, at));
    rest = behind;
    return true;
  }
  return false;
}

bool read_report_line(std::string_view text, const TextLegend& legend, TextLine& line) {
  std::string_view rest = text;
  if (!read_report_head(rest, legend, line)) return false;
  skip_blanks(rest);
  drop_difference(rest);
  if (rest.starts_with("<stack trace>") || rest.starts_with("<user stack trace>")) {
    line.kind = TextLineKind::nothing;
    return true;
  }
  if (!take(rest, "funcgraph_entry:") && !take(rest, "funcgraph_exit:")) {
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos || !is_word(rest.substr(0, colon), "_", 100)) return false;
    read_event(rest, line);
    if (line.event == "print" || line.event == "tracing_mark_write") line.mark = TextMark::plain;
    return true;
  }
  const std::size_t bar = rest.find('|');
  if (bar == std::string_view::npos || !read_duration(rest.substr(0, bar), line.duration_ns)) return false;
  line.has_duration_column = true;
  return read_body(without_gap(rest.substr(bar + 1), 2), line);
}

}  // namespace netperfd::trace
