// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/text_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace netperfd::workload {
namespace {

constexpr std::size_t kLongestShown = 200;
constexpr std::size_t kShownLines = 3;

bool is_blank_line(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

std::string shown_line(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  std::string shown(line.substr(0, kLongestShown));
  for (char& c : shown) {
    if (c == '\t') c = ' ';
    if (c < ' ' || c > '~') c = '?';
  }
  if (line.size() > kLongestShown) shown += "...";
  return shown;
}

std::string last_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < kShownLines) {
    if (text.back() == '\n') text.remove_suffix(1);
    const auto feed = text.rfind('\n');
    const std::size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
    if (!is_blank_line(text.substr(begin))) lines.push_back(shown_line(text.substr(begin)));
    text = text.substr(0, begin);
  }
  if (lines.empty()) return "it is empty";
  std::ranges::reverse(lines);
  return fmt::format("its last {}: {}", lines.size() == 1 ? "line" : "lines", fmt::join(lines, " | "));
}

LineOfText line_with_byte(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte);
  const auto feed = before.rfind('\n');
  const std::size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
  const std::size_t end = std::min(text.find('\n', byte), text.size());
  return {static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1, text.substr(begin, end - begin)};
}

}  // namespace netperfd::workload
