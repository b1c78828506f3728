// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/table.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

constexpr std::size_t kGap = 2;

bool says_nothing(const Cell& cell) {
  return cell.text.empty() || cell.text == "-";
}

void drop_columns(std::vector<Column>& columns, std::vector<Cells>& rows,
                  const std::function<bool(std::size_t)>& drops) {
  for (std::size_t i = columns.size(); i-- > 0;) {
    if (!drops(i)) continue;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
    for (Cells& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

bool is_empty(const std::vector<Cells>& rows, std::size_t column) {
  return std::ranges::all_of(rows, [column](const Cells& row) { return says_nothing(row[column]); });
}

std::vector<std::size_t> widths_of(const std::vector<Column>& columns, const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t width = display_width(columns[i].title);
    for (const Cells& row : rows) width = std::max(width, display_width(row[i].text));
    widths.push_back(width);
  }
  return widths;
}

std::size_t total(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

void shrink(const Screen& screen, const std::vector<Column>& columns, std::vector<std::size_t>& widths) {
  while (screen.width && total(widths) > *screen.width) {
    std::size_t widest = columns.size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool can_shrink = columns[i].shrink_to > 0 && widths[i] > columns[i].shrink_to;
      if (can_shrink && (widest == columns.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == columns.size()) return;
    --widths[widest];
  }
}

std::string render_row(const Screen& screen, const std::vector<Column>& columns,
                       const std::vector<std::size_t>& widths, const Cells& cells) {
  std::string line;
  std::string blanks;  // those at the end of a line are never written
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string text = cut(screen, cells[i].text, widths[i]);
    const std::size_t missing = widths[i] - std::min(widths[i], display_width(text));
    if (columns[i].right) blanks.append(missing, ' ');
    if (!text.empty()) {
      line += blanks + paint(screen, cells[i].style, text);
      blanks.clear();
    }
    blanks.append((columns[i].right ? 0 : missing) + kGap, ' ');
  }
  return line + "\n";
}

std::string parting_line(const Screen& screen, const Parting& parting) {
  const std::string words = screen.width ? cut(screen, parting.words, *screen.width) : parting.words;
  return paint(screen, Style::faint, words) + "\n";
}

// Of a text of others, such as an error, a page has its beginning.
std::vector<std::string> note_lines(const Screen& screen, const std::string& text, std::size_t room) {
  constexpr std::size_t kMost = 4;
  if (!screen.width) return {text};
  std::vector<std::string> lines = wrap(text, room);
  if (lines.size() > kMost) {
    lines[kMost - 1] += " " + lines[kMost];
    lines.resize(kMost);
  }
  for (std::string& line : lines) line = cut(screen, line, room);
  return lines;
}

}  // namespace

std::string render_table(const Screen& screen, std::vector<Column> columns, std::vector<Cells> rows,
                         std::vector<Cell> notes, const std::string& note_title, const Parting& parting) {
  const auto flatten = [](Cell& cell) { std::ranges::replace(cell.text, '\n', ' '); };
  for (Cells& row : rows) std::ranges::for_each(row, flatten);
  std::ranges::for_each(notes, flatten);
  drop_columns(columns, rows, [&](std::size_t i) { return columns[i].optional && is_empty(rows, i); });
  const auto too_wide = [&](std::size_t more) {
    return screen.width && total(widths_of(columns, rows)) + more > *screen.width;
  };

  std::size_t note_width = 0;
  for (const Cell& note : notes) note_width = std::max(note_width, display_width(note.text));
  if (note_width > 0 && !too_wide(kGap + note_width)) {
    columns.push_back({.title = note_title});
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(std::exchange(notes[i], {}));
  }
  while (too_wide(0)) {
    const std::size_t highest = std::ranges::max(columns, {}, &Column::leaves).leaves;
    if (highest == 0) break;
    drop_columns(columns, rows, [&](std::size_t i) { return columns[i].leaves == highest; });
  }
  std::vector<std::size_t> widths = widths_of(columns, rows);
  shrink(screen, columns, widths);
  while (screen.width && total(widths) > *screen.width) {
    const std::size_t highest = std::ranges::max(columns, {}, &Column::yields).yields;
    if (highest == 0) break;
    drop_columns(columns, rows, [&](std::size_t i) { return columns[i].yields == highest; });
    widths = widths_of(columns, rows);
    shrink(screen, columns, widths);
  }

  Cells titles;
  for (const Column& column : columns) titles.push_back({column.title, Style::strong});
  std::string table = render_row(screen, columns, widths, titles);
  const std::size_t indent = widths.front() + kGap;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && i == parting.before) table += parting_line(screen, parting);
    table += render_row(screen, columns, widths, rows[i]);
    if (notes.empty() || notes[i].text.empty()) continue;
    const std::size_t whole = screen.width.value_or(std::string::npos);
    const std::size_t room = whole - std::min(whole, indent);
    for (const std::string& line : note_lines(screen, notes[i].text, room))
      table += std::string(indent, ' ') + paint(screen, notes[i].style, line) + "\n";
  }
  return table;
}

std::size_t table_width(std::string_view table) {
  std::size_t width = 0;
  while (!table.empty()) {
    const std::size_t end = std::min(table.find('\n'), table.size());
    width = std::max(width, display_width(table.substr(0, end)));
    table.remove_prefix(std::min(end + 1, table.size()));
  }
  return width;
}

std::string render_table_with_bars(const Screen& screen, std::vector<Column> columns, std::vector<Cells> rows,
                                   std::span<const std::optional<double>> sizes) {
  constexpr std::size_t kFewest = 5;
  constexpr std::size_t kMost = 20;
  Screen plain = screen;
  plain.colour = false;
  const std::size_t taken = table_width(render_table(plain, columns, rows)) + kGap;
  const double largest = sizes.empty() ? 0 : std::ranges::max(sizes).value_or(0);
  if (!screen.width || !screen.glyphs || taken + kFewest > *screen.width || largest <= 0)
    return render_table(screen, std::move(columns), std::move(rows));
  const std::size_t cells = std::min(kMost, *screen.width - taken);
  columns.push_back({.title = ""});
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].push_back({solid_bar(screen, sizes[i].value_or(0) / largest, cells), Style::faint});
  return render_table(screen, std::move(columns), std::move(rows));
}

}  // namespace netperfctl
