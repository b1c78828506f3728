// SPDX-License-Identifier: GPL-2.0-or-later
// A comparison as plain text for a mail or a commit message, with whole names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_lines.hpp"
#include "client/pages/comparison_parts.hpp"
#include "client/pages/comparison_refusal.hpp"
#include "client/pages/comparison_setting.hpp"
#include "client/pages/comparison_tables.hpp"
#include "client/pages/mail_parts.hpp"
#include "client/pages/render.hpp"
#include "client/pages/show_parts.hpp"
#include "client/pages/witness_text.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

constexpr std::size_t kMailGap = 2;

// The texts of a column, which leaves the table.
std::vector<std::string> taken_column(Grid& grid, std::size_t column) {
  std::vector<std::string> texts;
  const auto at = static_cast<std::ptrdiff_t>(column);
  grid.columns.erase(grid.columns.begin() + at);
  for (Cells& row : grid.rows) {
    texts.push_back(std::move(row[column].text));
    row.erase(row.begin() + at);
  }
  return texts;
}

bool has_text(const std::string& text) {
  return !text.empty() && text != "-";
}

void add_note(Cell& note, const std::string& words) {
  note.text += (note.text.empty() ? "" : "; ") + words;
}

void fold_trace(Grid& grid, std::size_t column) {
  const std::vector<std::string> texts = taken_column(grid, column);
  // If nothing was traced, that is said above the table.
  const auto is_not_traced = [](const std::string& text) { return text == "not traced"; };
  if (std::ranges::all_of(texts, is_not_traced)) return;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!has_text(texts[i])) continue;
    Cell note{is_not_traced(texts[i]) ? texts[i] : "trace: " + texts[i]};
    if (!grid.notes[i].text.empty()) add_note(note, grid.notes[i].text);
    grid.notes[i] = std::move(note);
  }
}

void fold_share(Grid& grid, std::size_t column) {
  constexpr std::string_view kShare = "share";
  const std::vector<std::string> texts = taken_column(grid, column);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string& note = grid.notes[i].text;
    if (!has_text(texts[i]) || note.empty()) continue;
    if (note.starts_with(kShare)) {
      note.replace(0, kShare.size(), fmt::format("share {},", texts[i]));
    } else {
      note = fmt::format("share {}; {}", texts[i], note);
    }
  }
}

void fold_cpu(Grid& grid, std::size_t column_a) {
  const std::vector<std::string> b = taken_column(grid, column_a + 1);
  const std::vector<std::string> a = taken_column(grid, column_a);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (has_text(a[i]) || has_text(b[i])) add_note(grid.notes[i], fmt::format("CPU {} -> {}", a[i], b[i]));
  }
}

// The width is for names and for what was measured. The rest becomes words below its row.
void fold_into_notes(Grid& grid) {
  grid.notes.resize(grid.rows.size());
  for (std::size_t column = grid.columns.size(); column-- > 1;) {
    const std::string title = grid.columns[column].title;
    if (title == "TRACE") fold_trace(grid, column);
    if (title == "SHARE") fold_share(grid, column);
    if (title == "CPU A") fold_cpu(grid, column);
  }
}

// The table without its names, a line each. Columns become notes until it fits into `room`.
std::vector<std::string> figure_lines(Grid& grid, std::size_t room) {
  std::string table;
  while (true) {
    table = render_table({}, grid.columns, grid.rows);
    if (table_width(table) <= room) break;
    const auto weight = [](const Column& column) { return 10 * column.yields + column.leaves; };
    const auto least = std::ranges::max_element(grid.columns, {}, weight);
    if (weight(*least) == 0) break;
    const std::string title = least->title;
    const auto texts = taken_column(grid, static_cast<std::size_t>(least - grid.columns.begin()));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (has_text(texts[i])) add_note(grid.notes[i], fmt::format("{} {}", title, texts[i]));
    }
  }
  std::vector<std::string> lines;
  for (std::size_t end = 0; (end = table.find('\n')) != std::string::npos; table.erase(0, end + 1))
    lines.push_back(table.substr(0, end));
  return lines;
}

// A name that leaves no room for its figures has a line of its own.
std::string mail_table(Grid grid) {
  if (grid.heading.empty()) return {};
  std::string text = "\n" + mail_paragraph(grid.heading);
  if (grid.rows.empty()) return text;
  fold_into_notes(grid);
  constexpr std::size_t kUsualName = 24;
  std::vector<std::string> names{grid.columns.front().title};
  std::ranges::move(taken_column(grid, 0), std::back_inserter(names));
  const std::vector<std::string> figures = figure_lines(grid, kMailWidth - kIndent - kMailGap - kUsualName);
  const std::size_t widest = std::ranges::max(figures, {}, display_width).size();
  const std::size_t room = std::max(kMailWidth, kIndent + kMailGap + widest) - kIndent - kMailGap - widest;
  std::size_t column = 0;
  for (const std::string& name : names) {
    if (display_width(name) <= room) column = std::max(column, display_width(name));
  }
  for (std::size_t i = 0; i < names.size() && i < figures.size(); ++i) {
    if (grid.parting.before > 0 && i == grid.parting.before + 1)
      text += mail_paragraph(grid.parting.words, kIndent);
    const bool fits = display_width(names[i]) <= column;
    text += std::string(kIndent, ' ') + names[i];
    const std::size_t begun = fits ? display_width(names[i]) : 0;
    if (!fits) text += "\n" + std::string(kIndent, ' ');
    text += std::string(column - begun + kMailGap, ' ') + figures[i] + "\n";
    if (i == 0 || !has_text(grid.notes[i - 1].text)) continue;
    text += mail_paragraph(grid.notes[i - 1].text, 2 * kIndent);
  }
  return text;
}

// Below a table.
std::string mail_end(std::string_view words) {
  while (words.ends_with('\n')) words.remove_suffix(1);
  return words.empty() ? "" : mail_paragraph(std::string{words}, kIndent);
}

// "received   118.0 -> 320.4 Mbit/s   +171 %   IMPROVEMENT", and what it means.
std::string mail_answer(const comparing::Answer& answer) {
  std::string words;
  for (const std::string& part : {answer.medians, answer.change, answer.verdict}) {
    if (!part.empty()) words += (words.empty() ? "" : "   ") + part;
  }
  const std::size_t width = kIndent + display_width(answer.figure);
  if (width >= show::kKeyColumns && width + kMailGap + display_width(words) <= kMailWidth)
    return fmt::format("  {}  {}\n", answer.figure, words) + mail_lines(answer.lines);
  const bool has_column = width < show::kKeyColumns;
  const std::string name = has_column ? "" : mail_paragraph(answer.figure, kIndent);
  return name + mail_lines({{has_column ? answer.figure : "", words}}) + mail_lines(answer.lines);
}

std::string mail_functions(const CompareView& view) {
  Grid sampled = comparing::sampled_grid(view);
  Grid traced = comparing::functions_grid(view);
  std::string text = mail_lines(comparing::cost(view));
  if (!sampled.rows.empty()) {
    const std::string more = comparing::more_sampled(view, sampled.rows.size());
    text += mail_table(std::move(sampled)) + mail_end(more);
  }
  if (!traced.rows.empty()) {
    const std::string more = comparing::more_functions(view, traced.rows.size());
    text += mail_table(std::move(traced)) + mail_end(comparing::not_found_words(view)) + mail_end(more);
  }
  return text + mail_lines(comparing::explanation(view)) + mail_table(comparing::confirmation_grid(view));
}

}  // namespace

std::string compare_mail(const CompareView& asked) {
  const Screen screen = mail_screen();
  const CompareView view = comparing::printable_view(asked);
  std::string text = mail_paragraph(comparing::question(view)) + "\n" +
                     mail_lines(comparing::setting(screen, view)) + "\n" +
                     mail_lines(comparing::overall_verdict(view));
  for (const comparing::Answer& answer : comparing::answers_of(view)) text += mail_answer(answer);
  if (const auto refusal = comparing::refusal(view)) {
    text += mail_lines({{"", refusal->words}}) + mail_lines(comparing::refusing_facts(screen, view)) +
            mail_lines(comparing::next_lines(screen, *refusal));
  }
  if (!comparing::hides_figures(view)) text += mail_functions(view);
  for (const Section& section : comparing::environment(screen, view)) {
    text += "\n" + (section.heading.empty() ? "" : mail_paragraph(section.heading));
    text += mail_lines(section.lines);
  }
  text += mail_lines(comparing::evidence(view.details.comparison)) + mail_lines(comparing::own_noise(view)) +
          mail_lines({comparing::command_line(screen, "again", view.command)});
  return finished_mail(text);
}

}  // namespace netperfctl
