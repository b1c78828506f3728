// SPDX-License-Identifier: GPL-2.0-or-later
// What a page says, before it is laid out: the text page and the report have the same words.
#pragma once

#include <string>
#include <vector>

#include "client/terminal/screen.hpp"
#include "client/terminal/table.hpp"

namespace netperfctl {

struct Line {
  std::string key;  // empty: it belongs to the line before
  std::string words;
  Style style = Style::plain;
};
using Lines = std::vector<Line>;

struct Section {
  std::string heading;  // may be empty
  Lines lines;
};

struct Grid {
  std::string heading = {};
  std::vector<Column> columns = {};
  std::vector<Cells> rows = {};
  std::vector<Cell> notes = {};  // none or one per row
  std::string note_title = "NOTE";
  Parting parting = {};
};

[[nodiscard]] std::string lines_text(const Screen& screen, const Lines& lines);
// With an empty line above it.
[[nodiscard]] std::string section_text(const Screen& screen, const Section& section);
// The heading and, below it, the table and `end`.
[[nodiscard]] std::string grid_text(const Screen& screen, Grid grid, const std::string& end = {});

}  // namespace netperfctl
