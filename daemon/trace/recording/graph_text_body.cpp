// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers and names in a line of function_graph text, and what follows its columns.
#include <limits>

#include "daemon/model/text.hpp"
#include "daemon/trace/recording/graph_text_parts.hpp"

namespace netperfd::trace {

using analysis::ContextRank;

std::optional<std::uint64_t> take_decimal(std::string_view& text, int places) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  std::string_view rest = text;
  const std::size_t digits = std::min(rest.find_first_not_of(kDigits), rest.size());
  if (digits == 0) return std::nullopt;
  std::string_view whole = rest.substr(0, digits);
  auto value = take_number<std::uint64_t>(whole).value_or(kLargest);
  rest.remove_prefix(digits);
  std::string_view fraction;
  if (rest.size() > 1 && rest[0] == '.' && is_digit(rest[1])) {
    rest.remove_prefix(1);
    fraction = rest.substr(0, rest.find_first_not_of(kDigits));
    rest.remove_prefix(fraction.size());
  }
  text = rest;
  for (std::size_t i = 0; i < static_cast<std::size_t>(places); ++i) {
    if (value > kLargest / 10 - 1) return kLargest;
    value = value * 10 + (i < fraction.size() ? static_cast<std::uint64_t>(fraction[i] - '0') : 0);
  }
  return std::min(value, kLargest);
}

std::optional<std::int32_t> pid_of(std::string_view task) {
  task = trimmed(task);
  if (task.ends_with(')')) {
    const std::size_t open = task.rfind('(');
    if (open == std::string_view::npos) return std::nullopt;
    task = trimmed(task.substr(0, open));
  }
  const std::size_t dash = task.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::string_view number = task.substr(dash + 1);
  const auto pid = take_number<std::int32_t>(number);
  return number.empty() ? pid : std::nullopt;
}

// Only what the CPU does has these letters. Without a legend they show where it stands: kernels put up to
// three columns before it.
std::optional<ContextRank> context_of(std::string_view flags, std::optional<std::size_t> column) {
  constexpr std::string_view kFlags = ".dDbBXnNpPlLuUshHzZ0123456789abcdef#";
  constexpr std::string_view kContexts = "shHzZ";
  if (flags.size() < 4 || flags.size() > 10 || flags.find_first_not_of(kFlags) != std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t at = column && *column < flags.size() ? *column : flags.find_first_of(kContexts);
  if (at == std::string_view::npos) return ContextRank::task;
  switch (flags[at]) {
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

std::string_view without_gap(std::string_view text, std::size_t blanks) {
  const std::size_t there = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(std::min(blanks, there));
  return text;
}

namespace {

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
  if (body.starts_with('(')) body.remove_prefix(std::min(body.find(')'), body.size() - 1) + 1);  // the depth
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

}  // namespace

void read_event(std::string_view text, TextLine& line) {
  line.kind = TextLineKind::event;
  text = trimmed(text);
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (colon == std::string_view::npos || !is_word(name, "_", 100)) return;
  line.event = name;
  if (name != "sched_switch" && name != "function") return;
  text.remove_prefix(colon + 1);
  if (name == "function") {
    text = trimmed(text);
    if (!read_function(text.substr(0, text.find(' ')), line)) line.event = {};
    return;
  }
  // Task names may contain anything, so each figure is searched for from its own end.
  const std::size_t arrow = text.rfind("==>");
  if (arrow == std::string_view::npos) return;
  const std::string_view before = text.substr(0, arrow), after = text.substr(arrow);
  line.previous_pid = pid_behind(before, "prev_pid=");
  if (!line.previous_pid) line.previous_pid = pid_before_priority(before);
  line.next_pid = pid_behind(after, "next_pid=");
  if (!line.next_pid) line.next_pid = pid_before_priority(after);
}

namespace {

// "ip_rcv() { (3)": trace-cmd's option fgraph:depth.
void drop_depth(std::string_view& body) {
  if (!body.ends_with(')')) return;
  const std::size_t open = body.rfind(" (");
  if (open == std::string_view::npos) return;
  std::string_view number = body.substr(open + 2);
  const std::string_view before = trimmed(body.substr(0, open));
  const bool is_end =
      before.ends_with('{') || before.ends_with(';') || before.ends_with('}') || before.ends_with("*/");
  if (is_end && take_number<std::uint32_t>(number) && number == ")") body = before;
}

}  // namespace

bool read_body(std::string_view body, TextLine& line) {
  body = body.substr(0, body.find_last_not_of(kTextBlank) + 1);
  const std::size_t indent = std::min(body.find_first_not_of(' '), body.size());
  line.depth = static_cast<std::uint32_t>(std::min<std::size_t>(indent / 2, 1U << 20U));
  body.remove_prefix(indent);
  drop_depth(body);
  if (body.starts_with('}')) return read_exit(body, line);
  if (body.starts_with("/*")) {
    body.remove_prefix(2);
    if (body.find("*/") == std::string_view::npos) line.mark = TextMark::comment;
    read_event(body.substr(0, body.rfind("*/")), line);
    return true;
  }
  return read_call(body, line);
}

}  // namespace netperfd::trace
