// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/graph_text_line.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>

#include "daemon/model/text.hpp"

namespace netperfd::trace {
namespace {

using analysis::ContextRank;

constexpr std::string_view kBlank = " \t";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
}

std::string_view trimmed(std::string_view text) {
  skip_blanks(text);
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

// Removes the word from the front.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number{};
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// A decimal number in units of 10^-places: "1.25" with three places is 1250. Further digits are truncated.
std::optional<std::uint64_t> take_decimal(std::string_view& text, int places) {
  std::string_view rest = text;
  auto value = take_number<std::uint64_t>(rest);
  if (!value) return std::nullopt;
  std::string_view fraction;
  if (rest.size() > 1 && rest[0] == '.' && is_digit(rest[1])) {
    rest.remove_prefix(1);
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    fraction = rest.substr(0, digits);
    rest.remove_prefix(digits);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(places); ++i) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max() / 10 - 1;
    if (*value > kMost) return std::nullopt;
    *value = *value * 10 + (i < fraction.size() ? static_cast<std::uint64_t>(fraction[i] - '0') : 0);
  }
  text = rest;
  return value;
}

// "iperf3-312"; the name may contain anything.
std::optional<std::int32_t> pid_of(std::string_view task) {
  task = trimmed(task);
  const std::size_t dash = task.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::string_view number = task.substr(dash + 1);
  const auto pid = take_number<std::int32_t>(number);
  return number.empty() ? pid : std::nullopt;
}

// The column of latency-format and trace-cmd's flags, "d.h1.": the third character is the context of the CPU.
std::optional<ContextRank> context_of(std::string_view flags) {
  constexpr std::size_t kContext = 2;
  constexpr std::string_view kFlags = ".dDbBXnNpPlLuUshHzZ0123456789abcdef#";
  if (flags.size() < 4 || flags.size() > 8 || flags.find_first_not_of(kFlags) != std::string_view::npos) {
    return std::nullopt;
  }
  switch (flags[kContext]) {
    case 's':
      return ContextRank::softirq;
    case 'h':
    case 'H':
      return ContextRank::hardirq;
    case 'z':
    case 'Z':
      return ContextRank::nmi;
    default:
      return ContextRank::task;
  }
}

// "+ 31.717 us", or blanks in place of a duration; false for anything else.
bool read_duration(std::string_view column, std::optional<std::uint64_t>& duration_ns) {
  constexpr std::string_view kMarks = "+!#*@$";
  column = trimmed(column);
  if (column.empty()) return true;
  if (kMarks.find(column.front()) != std::string_view::npos) column.remove_prefix(1);
  skip_blanks(column);
  duration_ns = take_decimal(column, 3);
  skip_blanks(column);
  return duration_ns && column == "us";
}

// ---- Text after the columns -------------------------------------------------------------------------------

// "hsr_dev_xmit [hsr]".
bool read_function(std::string_view text, TextLine& line) {
  constexpr std::size_t kLongest = 255;
  text = trimmed(text);
  const std::size_t blank = text.find(' ');
  line.function = text.substr(0, blank);
  if (line.function.empty() || line.function.size() > kLongest || !is_printable(line.function)) return false;
  if (blank == std::string_view::npos) return true;
  std::string_view module = trimmed(text.substr(blank));
  if (module.size() < 3 || module.size() > kLongest || module.front() != '[' || module.back() != ']' ||
      !is_printable(module)) {
    return false;
  }
  line.module = module.substr(1, module.size() - 2);
  return true;
}

// "}", "} /* name [module] */" or with a return value "} /* name ret=0x0 */", "} /* = 0x0 */".
bool read_exit(std::string_view body, TextLine& line) {
  line.kind = TextLineKind::exit;
  body.remove_prefix(1);
  skip_blanks(body);
  if (body.empty()) return true;
  if (!take(body, "/*")) return false;
  std::string_view tail = trimmed(body.substr(0, body.find("*/")));
  tail = tail.substr(0, std::min({tail.find("ret="), tail.find("= "), tail.size()}));
  tail = trimmed(tail);
  return tail.empty() || read_function(tail, line);
}

// "name() {", "name();", possibly with arguments, and with a comment after them.
bool read_call(std::string_view body, TextLine& line) {
  const std::size_t open = body.find('(');
  if (open == std::string_view::npos || !read_function(body.substr(0, open), line)) return false;
  std::string_view rest = body.substr(open);
  if (const std::size_t comment = rest.rfind("/*"); comment != std::string_view::npos) {
    rest = rest.substr(0, comment);
  }
  rest = trimmed(rest);
  if (rest.ends_with(");")) {
    line.kind = TextLineKind::leaf;
    return true;
  }
  if (!rest.ends_with('{')) return false;
  rest.remove_suffix(1);
  line.kind = TextLineKind::entry;
  return trimmed(rest).ends_with(')');
}

std::optional<std::int32_t> pid_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  return take_number<std::int32_t>(text);
}

// "iperf3:312 [120]", trace-cmd's notation for a task.
std::optional<std::int32_t> pid_before_priority(std::string_view task) {
  const std::size_t priority = task.rfind(" [");
  const std::size_t colon = task.substr(0, priority).rfind(':');
  if (priority == std::string_view::npos || colon == std::string_view::npos) return std::nullopt;
  std::string_view number = task.substr(colon + 1, priority - colon - 1);
  return take_number<std::int32_t>(number);
}

// "sched_switch: prev_comm=... prev_pid=..."; a text without a name before its colon is a mark.
void read_event(std::string_view text, TextLine& line) {
  line.kind = TextLineKind::event;
  text = trimmed(text);
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (colon == std::string_view::npos || !is_word(name, "_", 100)) return;
  line.event = name;
  if (name != "sched_switch") return;
  text.remove_prefix(colon + 1);
  // Task names may contain anything, so each figure is searched for from its own end.
  const std::size_t arrow = text.rfind("==>");
  if (arrow == std::string_view::npos) return;
  const std::string_view before = text.substr(0, arrow), after = text.substr(arrow);
  line.previous_pid = pid_behind(before, "prev_pid=");
  if (!line.previous_pid) line.previous_pid = pid_before_priority(before);
  line.next_pid = pid_behind(after, "next_pid=");
  if (!line.next_pid) line.next_pid = pid_before_priority(after);
}

bool read_body(std::string_view body, TextLine& line) {
  body = body.substr(0, body.find_last_not_of(kBlank) + 1);
  const std::size_t indent = std::min(body.find_first_not_of(' '), body.size());
  line.depth = static_cast<std::uint32_t>(std::min<std::size_t>(indent / 2, 1U << 20U));
  body.remove_prefix(indent);
  if (body.starts_with('}')) return read_exit(body, line);
  if (body.starts_with("/*")) {
    body.remove_prefix(2);
    read_event(body.substr(0, body.rfind("*/")), line);
    return true;
  }
  return read_call(body, line);
}

// Without the blanks between the column and a body of depth 0.
std::string_view without_gap(std::string_view text, std::size_t blanks) {
  const std::size_t there = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(std::min(blanks, there));
  return text;
}

// ---- The kernel's columns ---------------------------------------------------------------------------------

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
    line.time_ns = microseconds;
  } else {
    if (column.find('.') == std::string_view::npos) return;
    const auto time = take_decimal(column, 9);
    if (!time || !column.empty()) return;
    line.time_ns = time;
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

Column read_column(std::string_view column, TextLine& line) {
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
  if (const auto context = context_of(text); context && !line.context) {
    line.context = context;
    return Column::flags;
  }
  return Column::none;
}

bool read_kernel_line(std::string_view text, TextLine& line) {
  std::string_view rest = text;
  take_time(rest, line);
  take_cpu(rest, line);
  if (line.cpu && is_change(rest, line)) return true;
  std::size_t gap = line.cpu ? 1 : 0;
  while (!line.has_duration_column) {
    const std::size_t bar = rest.find('|');
    if (bar == std::string_view::npos) break;
    const Column column = read_column(rest.substr(0, bar), line);
    if (column == Column::interrupt) return true;
    if (column == Column::none) break;
    rest.remove_prefix(bar + 1);
    gap = line.has_duration_column ? 2 : 1;
  }
  return read_body(without_gap(rest, gap), line);
}

// ---- trace-cmd's columns ----------------------------------------------------------------------------------

// "iperf3-312   [000] d..1.    50.868279: funcgraph_entry: ..."; the task's name may contain anything.
bool read_report_head(std::string_view& rest, TextLine& line) {
  for (std::size_t at = rest.find(" ["); at != std::string_view::npos; at = rest.find(" [", at + 1)) {
    std::string_view behind = rest.substr(at + 2);
    const auto cpu = take_number<std::uint32_t>(behind);
    if (!cpu || !take(behind, "]")) continue;
    const auto pid = pid_of(rest.substr(0, at));
    if (!pid) continue;
    skip_blanks(behind);
    const std::string_view word = behind.substr(0, behind.find(' '));
    if (const auto context = context_of(word); context && word.find(':') == std::string_view::npos) {
      line.context = context;
      behind.remove_prefix(word.size());
      skip_blanks(behind);
    }
    const auto time = take_decimal(behind, 9);
    if (!time || !take(behind, ":")) continue;
    line.cpu = cpu;
    line.pid = pid;
    line.time_ns = time;
    rest = behind;
    return true;
  }
  return false;
}

bool read_report_line(std::string_view text, TextLine& line) {
  std::string_view rest = text;
  if (!read_report_head(rest, line)) return false;
  skip_blanks(rest);
  if (!take(rest, "funcgraph_entry:") && !take(rest, "funcgraph_exit:")) {
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos || !is_word(rest.substr(0, colon), "_", 100)) return false;
    read_event(rest, line);
    return true;
  }
  const std::size_t bar = rest.find('|');
  if (bar == std::string_view::npos || !read_duration(rest.substr(0, bar), line.duration_ns)) return false;
  line.has_duration_column = true;
  return read_body(without_gap(rest.substr(bar + 1), 2), line);
}

// ---- Lines of neither -------------------------------------------------------------------------------------

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
  if (text.starts_with("=> ") || text.starts_with("(Overruns:") || text.starts_with("version =")) return true;
  if (take(text, "cpus=")) return take_number<std::uint32_t>(text) && text.empty();
  return take(text, "CPU ") && take_number<std::uint32_t>(text) && text == " is empty";
}

}  // namespace

std::optional<TextLine> read_text_line(std::string_view text) {
  const std::string_view whole = trimmed(text);
  TextLine line;
  if (says_nothing(whole)) return line;
  if (is_loss(whole, line)) return line;
  line = {};
  if (read_report_line(text, line)) return line;
  line = {};
  if (read_kernel_line(text, line)) return line;
  return std::nullopt;
}

}  // namespace netperfd::trace
