// SPDX-License-Identifier: GPL-2.0-or-later
// One row of a text of comma-separated values, as RFC 4180 has them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd::workload {

struct CsvRow {
  std::vector<std::string> cells;  // without blanks around them; a quoted one may have line feeds
  std::size_t size = 0;            // bytes of the row and its line feed
  bool open = false;               // the text ends within quotes
  bool too_long = false;           // it has more than `most` bytes: the cells are not all
  // The number of the first cell, from 0, that has a quote within, or something behind its closing quote.
  std::optional<std::size_t> stray_quote;
};

// The first row. A quote counts where a cell begins; another one is taken as it is. Carriage returns are left
// out.
[[nodiscard]] CsvRow take_csv_row(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace netperfd::workload
