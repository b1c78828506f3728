// SPDX-License-Identifier: GPL-2.0-or-later
// What the comparisons in GitHub-flavoured Markdown consist of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/pages/lines.hpp"

namespace netperfctl::markdown {

// As text that is nothing but text, on one line; the second without the alignment of pages.
[[nodiscard]] std::string plain(std::string_view text);
[[nodiscard]] std::string cell(std::string_view words);

// A line of a table, of escaped cells.
[[nodiscard]] std::string row(const std::vector<std::string>& cells);
[[nodiscard]] std::string grid_table(const Grid& grid);
[[nodiscard]] std::string setting_table(const Lines& lines);

// An item of a list; all items, with an empty line above.
[[nodiscard]] std::string item(const Line& line);
[[nodiscard]] std::string items(const Lines& lines);

[[nodiscard]] std::string bold_line(std::string_view words);
// Below a table.
[[nodiscard]] std::string paragraph(std::string_view words);
[[nodiscard]] std::string command_block(std::string_view command);

}  // namespace netperfctl::markdown
