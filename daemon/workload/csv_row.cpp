// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/csv_row.hpp"

#include <algorithm>

namespace netperfd::workload {
namespace {

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_blank_of_csv(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

CsvRow take_csv_row(std::string_view text, std::size_t most) {
  CsvRow row;
  std::string cell;
  bool quoted = false, closed = false;
  std::size_t i = 0;
  const auto end_cell = [&] {
    row.cells.emplace_back(without_blanks(cell));
    cell.clear();
    closed = false;
  };
  const auto note_stray_quote = [&] {
    if (!row.stray_quote) row.stray_quote = row.cells.size();
  };
  for (; i < text.size(); ++i) {
    if (i == most) {
      row.too_long = true;
      break;
    }
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += '"';
      ++i;
    } else if (c == '"' && (quoted || without_blanks(cell).empty())) {
      if (closed) note_stray_quote();
      closed = quoted;
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      end_cell();
    } else if (!quoted && c == '\n') {
      break;
    } else if (c != '\r') {
      if (!quoted && (c == '"' || (closed && !is_blank_of_csv(c)))) note_stray_quote();
      cell += c;
    }
  }
  end_cell();
  row.open = quoted && !row.too_long;
  row.size = std::min(i + 1, text.size());
  return row;
}

}  // namespace netperfd::workload
