// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/lines.hpp"

#include <utility>

#include "client/pages/show_parts.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {

std::string lines_text(const Screen& screen, const Lines& lines) {
  std::string text;
  for (const Line& line : lines) text += show::field(screen, line.key, line.words, line.style);
  return text;
}

std::string section_text(const Screen& screen, const Section& section) {
  const std::string heading =
      section.heading.empty() ? "" : paint(screen, Style::strong, section.heading) + "\n";
  return "\n" + heading + lines_text(screen, section.lines);
}

std::string grid_text(const Screen& screen, Grid grid, const std::string& end) {
  const std::string table =
      grid.rows.empty()
          ? ""
          : render_table(narrower(screen, kIndent), std::move(grid.columns), std::move(grid.rows),
                         std::move(grid.notes), grid.note_title, grid.parting);
  return "\n" + paint(screen, Style::strong, grid.heading) + "\n" + indented(table + end, kIndent);
}

}  // namespace netperfctl
