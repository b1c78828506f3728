// SPDX-License-Identifier: GPL-2.0-or-later
// A cell of a text of comma-separated values, as RFC 4180 has them. Lines before the one with the names of
// the columns are left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/model/command_spec.hpp"

namespace netperfd::workload {

struct CsvCell {
  std::string text;
  std::size_t byte = 0;  // at which its line begins
};

// Of the first or last row below the names. A quote counts where a cell begins. not_found, with a clause, if
// there is no such column, more than one, no row, or a quote that does not end.
[[nodiscard]] Result<CsvCell> find_cell(std::string_view text, std::string_view column, FigureTake take);

}  // namespace netperfd::workload
