// SPDX-License-Identifier: GPL-2.0-or-later
// A table of text in aligned columns.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/terminal/screen.hpp"

namespace netperfctl {

struct Column {
  std::string title;
  bool right = false;         // aligned right, as figures are
  std::size_t shrink_to = 0;  // may be cut to so many columns on a narrow screen; 0: never
  bool optional = false;      // left out if it is empty in all rows
  // If the screen is too narrow, columns are left out before any is cut: the highest value first, until the
  // rest fits; 0 is never left out.
  std::size_t leaves = 0;
  // The same, but only where cutting is not enough.
  std::size_t yields = 0;
};

struct Cell {
  std::string text;  // without control characters but '\n', which becomes a space
  Style style = Style::plain;
};

using Cells = std::vector<Cell>;  // one per column

// Parts the rows of a table in two groups by a line of words.
struct Parting {
  std::size_t before = 0;  // this row; 0: there is one group
  std::string words = {};
};

// A line of titles and one line per row. If the screen is too narrow, the widest columns that may shrink do
// so first. `notes`, none or one per row, form a last column `note_title` if everything fits. Otherwise each
// is a line below its row.
[[nodiscard]] std::string render_table(const Screen& screen, std::vector<Column> columns,
                                       std::vector<Cells> rows, std::vector<Cell> notes = {},
                                       const std::string& note_title = "NOTE", const Parting& parting = {});

// The same with a bar after each row, in the space left on a terminal. A bar's length is proportional to the
// row's value in `sizes`, one per row; the largest fills the space. Without space, and in a pipe, it is
// render_table().
[[nodiscard]] std::string render_table_with_bars(const Screen& screen, std::vector<Column> columns,
                                                 std::vector<Cells> rows,
                                                 std::span<const std::optional<double>> sizes);

// The width of its longest line, in columns.
[[nodiscard]] std::size_t table_width(std::string_view table);

}  // namespace netperfctl
