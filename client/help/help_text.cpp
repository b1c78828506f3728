// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/help/help_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "client/terminal/terminal.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

constexpr std::size_t kInAPipe = 80;
constexpr std::size_t kWidest = 100;  // longer lines are hard to read

struct Entry {
  std::string heading, text;
};

std::string paragraph(std::string_view text, std::size_t width) {
  std::string out;
  for (const std::string& line : wrap(text, width)) out += line + "\n";
  return out;
}

// `heading` in a column of `column` columns and `text` beside it, or below if the heading is longer.
std::string entry(const Entry& entry, std::size_t column, std::size_t width) {
  const std::size_t left = kIndent + column + 2;
  std::string out = std::string(kIndent, ' ') + entry.heading;
  if (entry.text.empty()) return out + "\n";
  bool beside = display_width(entry.heading) <= column;
  for (const std::string& line : wrap(entry.text, width - std::min(width, left))) {
    out += beside ? std::string(left - display_width(out.substr(out.rfind('\n') + 1)), ' ')
                  : "\n" + std::string(left, ' ');
    out += line;
    beside = false;
  }
  return out + "\n";
}

std::string entries(std::string_view title, const std::vector<Entry>& list, std::size_t width) {
  if (list.empty()) return {};
  constexpr std::size_t kWidestHeading = 20;
  std::size_t column = 0;
  for (const Entry& one : list) {
    const std::size_t heading = display_width(one.heading);
    if (heading <= kWidestHeading) column = std::max(column, heading);
  }
  std::string out = title.empty() ? "\n" : fmt::format("\n{}:\n", title);
  // Below 60 columns there is too little room beside a heading.
  if (width < 60) column = std::min<std::size_t>(column, 10);
  for (const Entry& one : list) out += entry(one, column, width);
  return out;
}

std::vector<Entry> entries_of(const std::vector<ArgumentText>& arguments) {
  std::vector<Entry> list;
  for (const ArgumentText& argument : arguments) list.push_back({argument.heading(), argument.about});
  return list;
}

std::string verbs_by_task(const std::vector<VerbLine>& verbs, std::size_t width) {
  std::string out;
  for (auto first = verbs.begin(); first != verbs.end();) {
    const auto last =
        std::find_if(first, verbs.end(), [&](const VerbLine& line) { return line.task != first->task; });
    std::vector<Entry> list;
    for (auto line = first; line != last; ++line)
      list.push_back({fmt::format("{:<9}", line->verb), line->about});
    out += entries(first->task, list, width);
    first = last;
  }
  return out;
}

}  // namespace

std::string help_text(const CommandPage& page, std::size_t width) {
  std::string out = paragraph("Usage: " + page.usage(), width) + "\n" + paragraph(page.about + ".", width);
  if (!page.details.empty()) out += "\n" + paragraph(page.details, width);
  out += verbs_by_task(page.verbs, width);
  out += entries("", entries_of(page.positionals), width);
  out += entries("Options", entries_of(page.options), width);
  out += entries("Options of every verb", entries_of(page.common), width);
  if (!page.examples.empty()) out += "\nExample:\n";
  for (const std::string& line : page.examples) out += "  " + line + "\n";
  std::vector<Entry> exits;
  for (const ExitCode& code : page.exits)
    exits.push_back({fmt::format("{:>3}", static_cast<int>(code.exit)), std::string{code.meaning}});
  out += entries("Exit codes", exits, width);
  if (page.name.empty())
    out += "\n" +
           paragraph("`netperfctl help VERB` explains a verb; so does its manual page, netperfctl-VERB(1).",
                     width);
  return out;
}

std::string HelpFormatter::make_help(const CLI::App* command, std::string /*name*/,
                                     CLI::AppFormatMode /*mode*/) const {
  const std::size_t width = screen_of(stdout).width.value_or(kInAPipe);
  return help_text(page_of(*command), std::min(width, kWidest));
}

}  // namespace netperfctl
