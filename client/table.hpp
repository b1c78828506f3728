// A table of text in aligned columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client/screen.hpp"

namespace netperfctl {

struct Column {
  std::string title;
  bool right = false;         // aligned right, as figures are
  std::size_t shrink_to = 0;  // may be cut to so many columns where the screen is narrow; 0: never
  bool optional = false;      // left out where no row has anything in it
  bool wide_only = false;     // left out, before anything is cut, where the screen is too narrow
};

struct Cell {
  std::string text;  // without control characters but '\n', which becomes a space
  Style style = Style::plain;
};

using Cells = std::vector<Cell>;  // one a column

// A line of titles and a line a row. Where the screen is too narrow the widest columns that may shrink do so
// first. `notes`, none or one a row, are a last column NOTE where all fits, else each a line below its row.
[[nodiscard]] std::string render_table(const Screen& screen, std::vector<Column> columns,
                                       std::vector<Cells> rows, std::vector<Cell> notes = {});

}  // namespace netperfctl
