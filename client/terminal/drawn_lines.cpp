// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/drawn_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

// Room for the ^C that a terminal echoes, which must not begin a new line.
constexpr std::size_t kEcho = 3;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(std::min(end, text.size()))) {
    if (!lines.empty()) text.remove_prefix(1);
    end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
  }
  return lines;
}

// The first lines and the last one, which says how to leave.
void keep_as_many(std::vector<std::string>& lines, std::size_t height) {
  constexpr std::size_t kFewest = 3;
  const std::size_t most = std::max(kFewest, height - std::min<std::size_t>(height, 1));
  if (lines.size() <= most) return;
  const std::size_t hidden = lines.size() - most + 1;
  const auto end = lines.end() - 1;
  lines.erase(end - static_cast<std::ptrdiff_t>(hidden), end);
  lines.insert(lines.end() - 1, fmt::format("{} more lines; the terminal is too low for them", hidden));
}

}  // namespace

std::string DrawnLines::draw(const Screen& screen, std::string_view text) {
  std::string out = erase();
  if (text.empty()) return out;
  std::vector<std::string> lines = lines_of(text);
  if (screen.height) keep_as_many(lines, *screen.height);
  if (screen.width) {
    const std::size_t width = *screen.width - std::min(*screen.width, kEcho);
    for (std::string& line : lines) {
      if (shown_width(line) > width) line = clipped(line, width);
    }
  }
  lines_ = lines.size();
  return out + fmt::format("{}", fmt::join(lines, "\n"));
}

std::string DrawnLines::erase() {
  if (lines_ == 0) return {};
  std::string out = "\r";
  for (std::size_t i = 1; i < lines_; ++i) out += "\x1b[A";
  lines_ = 0;
  return out + "\x1b[J";
}

}  // namespace netperfctl
