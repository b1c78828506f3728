// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/trace/ring/graph_reader.hpp"

#include <regex>
#include <sstream>
#include <stdexcept>

namespace netperfd::trace::test {
namespace {

// The text in the last column: "f [m]();", "f(a=0x1) {", "} /* f [m] ret=0x0 */", "/* sched_switch: ... */".
void read_call(ReadLine& line, const std::string& text) {
  static const std::regex leaf(R"(^([^ (]+(?: \[\w+\])?)\(.*\);(?: /\*.*\*/)?$)");
  static const std::regex entry(R"(^([^ (]+(?: \[\w+\])?)\(.*\) \{(?: /\*.*\*/)?$)");
  static const std::regex exit(R"(^\} /\* ([^ ]+(?: \[\w+\])?)(?: ret=\S+)? \*/$)");
  static const std::regex comment(R"(^/\* (.*) \*/$)");
  std::smatch match;
  if (std::regex_match(text, match, leaf)) {
    line.kind = ReadLine::Kind::leaf;
  } else if (std::regex_match(text, match, entry)) {
    line.kind = ReadLine::Kind::entry;
  } else if (std::regex_match(text, match, exit)) {
    line.kind = ReadLine::Kind::exit;
  } else if (std::regex_match(text, match, comment)) {
    line.kind = ReadLine::Kind::comment;
  } else {
    throw std::runtime_error("no call: " + text);
  }
  line.name = match[1];
}

bool is_about_lines(const std::string& line) {
  static const std::regex task_change(R"(^ *\d+\) .* => .*$)");
  return line.empty() || line.starts_with("#") || line.starts_with(" ----") ||
         line.starts_with(" (Overruns:") || std::regex_match(line, task_change);
}

std::int64_t task_of(const ReadLine& line) {
  return line.pid == 0 ? -1 - std::int64_t{line.cpu} : line.pid;
}

void add(ReadSums& sums, const std::string& duration) {
  const auto range = read_duration(duration);
  ++sums.hits;
  sums.recorded.least += range.least;
  sums.recorded.most += range.most;
}

}  // namespace

std::vector<ReadLine> read_graph_text(const std::string& text) {
  static const std::regex graph(
      R"(^ *(\d+\.\d+) \|  +(\d+)\) +(.+)-(\d+) +\| . (?:([0-9.]+) us +| {12})\|  ( *)(.*)$)");
  static const std::regex function(
      R"(^ *(.+)-(\d+) +\[(\d+)\] \S+ +(\d+\.\d+): (\S+(?: \[\w+\])?)(?:\(.*\))? <-.+$)");
  std::vector<ReadLine> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::smatch match;
    ReadLine result;
    if (is_about_lines(line)) continue;
    if (std::regex_match(line, match, graph)) {
      result.time = match[1];
      result.cpu = static_cast<std::uint32_t>(std::stoul(match[2]));
      result.pid = std::stoi(match[4]);
      result.duration = match[5];
      result.depth = static_cast<std::size_t>(match[6].length()) / 2;
      read_call(result, match[7]);
    } else if (std::regex_match(line, match, function)) {
      result.kind = ReadLine::Kind::hit;
      result.pid = std::stoi(match[2]);
      result.cpu = static_cast<std::uint32_t>(std::stoul(match[3]));
      result.time = match[4];
      result.name = match[5];
    } else {
      throw std::runtime_error("not understood: " + line);
    }
    lines.push_back(result);
  }
  return lines;
}

ReadDuration read_duration(std::string_view printed) {
  const auto point = printed.find('.');
  std::string digits(printed.substr(0, point));
  std::size_t missing = 3;
  if (point != std::string_view::npos) {
    digits += printed.substr(point + 1);
    missing -= printed.size() - point - 1;
  }
  ReadDuration range;
  range.least = range.most = std::stoull(digits);
  for (; missing > 0; --missing) {
    range.least *= 10;
    range.most = range.most * 10 + 9;
  }
  return range;
}

ReadCalls read_calls(const std::vector<ReadLine>& lines) {
  ReadCalls calls;
  std::map<std::int64_t, std::vector<const ReadLine*>> stacks;
  for (const auto& line : lines) {
    auto& stack = stacks[task_of(line)];
    switch (line.kind) {
      case ReadLine::Kind::entry:
        stack.push_back(&line);
        break;
      case ReadLine::Kind::leaf:
        add(calls.functions[line.name], line.duration);
        break;
      case ReadLine::Kind::hit:
        ++calls.functions[line.name].hits;
        break;
      case ReadLine::Kind::exit:
        for (; !stack.empty() && stack.back()->depth > line.depth; stack.pop_back()) ++calls.entries_alone;
        if (!stack.empty() && stack.back()->depth == line.depth && stack.back()->name == line.name) {
          stack.pop_back();
          add(calls.functions[line.name], line.duration);
        } else {
          ++calls.exits_alone;
        }
        break;
      case ReadLine::Kind::comment:
        break;
    }
  }
  for (const auto& [task, stack] : stacks) calls.entries_alone += stack.size();
  return calls;
}

}  // namespace netperfd::trace::test
