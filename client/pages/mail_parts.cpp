// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/mail_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

std::string with_replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

// A number and its percent sign stay on one line.
std::string with_whole_percents(std::string words) {
  return with_replaced(std::move(words), " %", std::string{kNoBreak} + "%");
}

}  // namespace

Screen mail_screen() {
  Screen screen;
  screen.width = kMailWidth;
  screen.glyphs = false;
  return screen;
}

std::string mail_paragraph(const std::string& words, std::size_t indent) {
  const std::vector<std::string> lines = wrap(with_whole_percents(words), kMailWidth - indent - kIndent);
  return std::string(indent, ' ') +
         fmt::format("{}\n", fmt::join(lines, "\n" + std::string(indent + kIndent, ' ')));
}

std::string mail_lines(Lines lines) {
  for (Line& line : lines) line.words = with_whole_percents(std::move(line.words));
  return lines_text(mail_screen(), lines);
}

std::string finished_mail(const std::string& text) {
  std::string out;
  for (const char c : with_replaced(text, kNoBreak, " ")) {
    if (c == '\n') out.erase(out.find_last_not_of(' ') + 1);
    out += c;
  }
  return out;
}

}  // namespace netperfctl
