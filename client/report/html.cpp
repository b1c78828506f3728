// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "client/terminal/xml.hpp"

namespace netperfctl::report {
namespace {

bool is_empty(const Grid& grid, std::size_t column) {
  return std::ranges::all_of(grid.rows, [column](const Cells& row) {
    return column >= row.size() || row[column].text.empty() || row[column].text == "-";
  });
}

// A button sorts; without the script it is plain text.
std::string title_cell(std::string_view title, bool right) {
  return fmt::format("<th scope=\"col\"{}><button type=\"button\" disabled>{}</button></th>",
                     right ? " class=\"number\"" : "", xml(title));
}

std::string drawn_title(const DrawnColumn& drawn) {
  return fmt::format("<th scope=\"col\" class=\"drawn\">{}{}</th>", xml(drawn.title), drawn.axis);
}

// The first column names the row.
std::string cell(const Column& column, const Cell& cell, bool first) {
  const std::string text = xml(cell.text.empty() ? "-" : cell.text);
  if (first) return fmt::format("<th scope=\"row\">{}</th>", text);
  return fmt::format("<td{}>{}</td>", column.right ? " class=\"number\"" : "", text);
}

struct ShownColumns {
  std::vector<std::size_t> indices;
  std::optional<std::size_t> drawn = {};  // the one that the drawings stand before
  bool notes = false;
};

ShownColumns shown_columns(const Grid& grid, const DrawnColumn* drawn) {
  ShownColumns shown;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    if (grid.columns[i].optional && is_empty(grid, i)) continue;
    shown.indices.push_back(i);
    if (drawn != nullptr && i >= drawn->at && !shown.drawn) shown.drawn = i;
  }
  shown.notes = std::ranges::any_of(grid.notes, [](const Cell& note) { return !note.text.empty(); });
  return shown;
}

std::string head_row(const Grid& grid, const ShownColumns& shown, const DrawnColumn* drawn) {
  std::string text = "<thead><tr>";
  for (const std::size_t i : shown.indices) {
    if (i == shown.drawn) text += drawn_title(*drawn);
    text += title_cell(grid.columns[i].title, grid.columns[i].right);
  }
  if (shown.notes) text += title_cell(grid.note_title, false);
  return text + "</tr></thead>\n";
}

std::string parting_row(const Grid& grid, const ShownColumns& shown) {
  const std::size_t columns = shown.indices.size() + (shown.drawn ? 1 : 0) + (shown.notes ? 1 : 0);
  return fmt::format("<tr class=\"parting\"><td colspan=\"{}\">{}</td></tr>\n", columns,
                     xml(grid.parting.words));
}

}  // namespace

std::string_view css_of(Style style) {
  switch (style) {
    case Style::good:
      return "good";
    case Style::bad:
      return "bad";
    case Style::active:
      return "active";
    case Style::strong:
      return "strong";
    case Style::plain:
    case Style::faint:
      break;
  }
  return {};
}

std::string element(std::string_view name, std::string_view text, std::string_view css) {
  if (css.empty()) return fmt::format("<{0}>{1}</{0}>\n", name, xml(text));
  return fmt::format("<{0} class=\"{2}\">{1}</{0}>\n", name, xml(text), css);
}

std::string section(std::string_view id, std::string_view heading, std::string_view content) {
  if (content.empty()) return {};
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, xml(heading), content);
}

std::string lines_html(const Lines& lines) {
  if (lines.empty()) return {};
  std::string text = "<dl>\n";
  bool first = true;
  for (const Line& line : lines) {
    if (first || !line.key.empty()) text += fmt::format("<dt>{}</dt>", xml(line.key));
    const std::string_view css = css_of(line.style);
    text += css.empty() ? fmt::format("<dd>{}</dd>\n", xml(line.words))
                        : fmt::format("<dd class=\"{}\">{}</dd>\n", css, xml(line.words));
    first = false;
  }
  return text + "</dl>\n";
}

std::string figure(std::string_view caption, std::string_view content) {
  return fmt::format("<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n", xml(caption), content);
}

std::string details(std::string_view summary, std::string_view content) {
  return fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", xml(summary), content);
}

std::string wide(std::string_view name, std::string_view content) {
  return fmt::format("<div class=\"wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n{}</div>\n",
                     xml(name), content);
}

std::string table(const Grid& grid, const DrawnColumn* drawn) {
  const ShownColumns shown = shown_columns(grid, drawn);
  std::string text = fmt::format("<table class=\"sortable\">\n<caption>{}</caption>\n", xml(grid.heading)) +
                     head_row(grid, shown, drawn);
  text += "<tbody>\n";
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    if (row > 0 && row == grid.parting.before) text += parting_row(grid, shown);
    text += "<tr>";
    for (const std::size_t i : shown.indices) {
      if (i == shown.drawn) text += "<td class=\"drawn\">" + drawn->cells[row] + "</td>";
      text += cell(grid.columns[i], grid.rows[row][i], i == 0);
    }
    if (shown.notes) text += fmt::format("<td class=\"note\">{}</td>", xml(grid.notes[row].text));
    text += "</tr>\n";
  }
  return wide(grid.heading, text + "</tbody>\n</table>\n");
}

}  // namespace netperfctl::report
