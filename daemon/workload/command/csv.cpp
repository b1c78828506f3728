// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "daemon/workload/command/text_lines.hpp"
#include "daemon/workload/csv_row.hpp"

namespace netperfd::workload {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Result<CsvCell> find_cell(std::string_view text, std::string_view column, FigureTake take) {
  std::optional<std::size_t> index;
  std::optional<CsvCell> found;
  for (std::size_t byte = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0; byte < text.size();) {
    CsvRow row = take_csv_row(text.substr(byte));
    const std::size_t begin = byte;
    byte += row.size;
    if (row.open) {
      return fail(ErrorKind::not_found, fmt::format("has a quote in line {} that does not end",
                                                    line_with_byte(text, begin).number));
    }
    if (!index) {
      const auto name = std::ranges::find(row.cells, column);
      if (std::ranges::count(row.cells, column) > 1)
        return fail(ErrorKind::not_found, fmt::format("has more than one column {}", column));
      if (name != row.cells.end()) index = static_cast<std::size_t>(name - row.cells.begin());
      continue;
    }
    if (row.cells.size() == 1 && row.cells.front().empty()) continue;
    if (*index >= row.cells.size()) {
      found = CsvCell{.text = "", .byte = begin};
    } else {
      found = CsvCell{.text = std::move(row.cells[*index]), .byte = begin};
    }
    if (take == FigureTake::first) break;
  }
  if (!index) return fail(ErrorKind::not_found, fmt::format("has no column {}", column));
  if (!found) return fail(ErrorKind::not_found, fmt::format("has no row below the column {}", column));
  return *found;
}

}  // namespace netperfd::workload
