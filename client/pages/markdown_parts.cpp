// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/markdown_parts.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/terminal/text.hpp"

namespace netperfctl::markdown {
namespace {

// The same where a block begins: it is no quote, heading or list.
std::string at_start(std::string text) {
  constexpr std::string_view kBlocks = ">#+-=";
  return text.empty() || !kBlocks.contains(text.front()) ? text : "\\" + text;
}

// Without the alignment of pages: several spaces become one, and a line feed ends a clause.
std::string on_one_line(std::string_view words) {
  std::string out;
  for (const char c : words) {
    if (c == '\n') out += ';';
    const char shown = c == '\n' ? ' ' : c;
    if (shown != ' ' || !out.ends_with(' ')) out += shown;
  }
  return out;
}

// Lines without a key belong to the one before.
std::vector<Line> joined(const Lines& lines) {
  std::vector<Line> items;
  for (const Line& line : lines) {
    if (line.key.empty() && !items.empty()) {
      items.back().words += "; " + line.words;
    } else {
      items.push_back(line);
    }
  }
  return items;
}

bool is_empty_column(const Grid& grid, std::size_t column) {
  for (const Cells& cells : grid.rows) {
    if (!cells[column].text.empty() && cells[column].text != "-") return false;
  }
  return true;
}

}  // namespace

std::string plain(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_[]<|~&$";
  std::string out;
  for (const char c : text) {
    if (kMarkup.contains(c)) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string cell(std::string_view words) {
  return plain(on_one_line(words));
}

std::string item(const Line& line) {
  const std::string words = cell(line.words);
  return line.key.empty() ? fmt::format("- {}\n", at_start(words))
                          : fmt::format("- **{}**: {}\n", plain(line.key), words);
}

std::string items(const Lines& lines) {
  std::string text;
  for (const Line& line : joined(lines)) text += item(line);
  return text.empty() ? text : "\n" + text;
}

std::string bold_line(std::string_view words) {
  return fmt::format("\n**{}**\n", plain(words));
}

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += fmt::format(" {} |", cell);
  return text + "\n";
}

std::string setting_table(const Lines& lines) {
  std::string text = row({"", ""}) + row({"---", "---"});
  for (const Line& line : joined(lines)) text += row({plain(line.key), cell(line.words)});
  return text;
}

std::string paragraph(std::string_view words) {
  while (words.ends_with('\n')) words.remove_suffix(1);
  return words.empty() ? "" : "\n" + at_start(plain(words)) + "\n";
}

std::string grid_table(const Grid& grid) {
  if (grid.heading.empty()) return {};
  std::string text = bold_line(grid.heading);
  if (grid.rows.empty()) return text;
  std::vector<std::string> titles;
  std::vector<std::string> rules;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    if (grid.columns[i].optional && is_empty_column(grid, i)) continue;
    shown.push_back(i);
    titles.push_back(plain(grid.columns[i].title));
    rules.emplace_back(grid.columns[i].right ? "---:" : "---");
  }
  const bool notes = !grid.notes.empty();
  if (notes) {
    titles.push_back(plain(grid.note_title));
    rules.emplace_back("---");
  }
  text += "\n" + row(titles) + row(rules);
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    std::vector<std::string> cells;
    if (i > 0 && i == grid.parting.before) {
      std::vector<std::string> parting(titles.size());
      parting.front() = fmt::format("*{}*", plain(grid.parting.words));
      text += row(parting);
    }
    for (const std::size_t column : shown) cells.push_back(cell(grid.rows[i][column].text));
    if (notes) cells.push_back(cell(grid.notes[i].text));
    text += row(cells);
  }
  return text;
}

std::string command_block(std::string_view command) {
  return fmt::format("\n```sh\n{}\n```\n", printable(command));
}

}  // namespace netperfctl::markdown
