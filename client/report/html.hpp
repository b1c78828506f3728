// SPDX-License-Identifier: GPL-2.0-or-later
// Elements of the page. All texts that these functions get are any text; xml() escapes them here.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "client/pages/lines.hpp"

namespace netperfctl::report {

// The class of a style; empty for plain text.
[[nodiscard]] std::string_view css_of(Style style);
// <NAME>text</NAME>; with a class if it is not empty.
[[nodiscard]] std::string element(std::string_view name, std::string_view text, std::string_view css = {});
// <section> with a heading, which a link can lead to; empty if `content`, which is HTML, is.
[[nodiscard]] std::string section(std::string_view id, std::string_view heading, std::string_view content);
// A definition list; a line without a key belongs to the key before.
[[nodiscard]] std::string lines_html(const Lines& lines);
// A <figure> with its caption above `content`, which is HTML.
[[nodiscard]] std::string figure(std::string_view caption, std::string_view content);
// `content`, which is HTML, scrolls if it is wider than the page, also with the arrow keys.
[[nodiscard]] std::string wide(std::string_view name, std::string_view content);
// What is shown after a click. `content` is HTML.
[[nodiscard]] std::string details(std::string_view summary, std::string_view content);

// A column of drawings, with its axis in the head of the table.
struct DrawnColumn {
  std::string title;
  std::string axis;                // HTML
  std::vector<std::string> cells;  // HTML, one per row
  std::size_t at = 0;              // before this column of the grid, or the next one that is shown
};

// A table whose columns a script can sort. Optional columns that are empty are left out, and so are notes.
[[nodiscard]] std::string table(const Grid& grid, const DrawnColumn* drawn = nullptr);

}  // namespace netperfctl::report
