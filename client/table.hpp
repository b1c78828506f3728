// A table of text in aligned columns.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/screen.hpp"

namespace netperfctl {

struct Column {
  std::string title;
  bool right = false;         // aligned right, as figures are
  std::size_t shrink_to = 0;  // may be cut to so many columns where the screen is narrow; 0: never
  bool optional = false;      // left out where no row has anything in it
  // Left out, before anything is cut, where the screen is too narrow: the highest first, until the rest fits;
  // 0 stays.
  std::size_t leaves = 0;
};

struct Cell {
  std::string text;  // without control characters but '\n', which becomes a space
  Style style = Style::plain;
};

using Cells = std::vector<Cell>;  // one a column

// A line of titles and a line a row. Where the screen is too narrow the widest columns that may shrink do so
// first. `notes`, none or one a row, are a last column `note_title` where all fits, else each a line below
// its row.
[[nodiscard]] std::string render_table(const Screen& screen, std::vector<Column> columns,
                                       std::vector<Cells> rows, std::vector<Cell> notes = {},
                                       const std::string& note_title = "NOTE");

// The same with a bar behind each row, in the room that is left on a terminal, as long as its part of the
// largest of `sizes`, one a row. Without such room, and in a pipe, it is render_table().
[[nodiscard]] std::string render_table_with_bars(const Screen& screen, std::vector<Column> columns,
                                                 std::vector<Cells> rows,
                                                 std::span<const std::optional<double>> sizes);

// Columns of its longest line.
[[nodiscard]] std::size_t table_width(std::string_view table);

}  // namespace netperfctl
