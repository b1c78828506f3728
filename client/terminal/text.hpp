// SPDX-License-Identifier: GPL-2.0-or-later
// Strings as a terminal shows them: width, cutting, wrapping, and the small pictures made of block glyphs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/terminal/screen.hpp"

namespace netperfctl {

// The indentation below a heading of a page, in columns.
inline constexpr std::size_t kIndent = 2;
// A space at which no line is broken.
inline constexpr std::string_view kNoBreak = "\u00a0";

// `text` with all characters escaped that could control a terminal or make the text look like another one,
// such as \x1b: control characters (C0, DEL, C1) and rows::is_hidden_character(). Characters in `keep` stay.
[[nodiscard]] std::string printable(std::string_view text, std::string_view keep = {});

[[nodiscard]] bool is_utf8(std::string_view text);

// Columns that `text` takes; it holds no control characters.
[[nodiscard]] std::size_t display_width(std::string_view text);

// `text` in at most `width` columns. If it was cut, it ends with an ellipsis.
[[nodiscard]] std::string cut(const Screen& screen, std::string_view text, std::size_t width);

// Broken at line feeds, and at spaces where needed, into lines of at most `width` columns; a longer word
// stands alone on its line, whole.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

// A command line, its words quoted by for_a_shell(), in lines that a shell takes for one: each is broken
// between words to at most `width` columns, and all but the last end with a backslash. All spaces are
// kNoBreak.
[[nodiscard]] std::string in_shell_lines(std::string_view command, std::size_t width);

// Columns of a line that may have colours.
[[nodiscard]] std::size_t shown_width(std::string_view line);
// At most so many columns of such a line, with its colours.
[[nodiscard]] std::string clipped(std::string_view line, std::size_t width);
// Lines that are wider than the screen are broken at spaces, and within a word that is wider alone.
[[nodiscard]] std::string fitted(const Screen& screen, std::string_view text);

// Indents every line of `text` by so many spaces; the second gives the screen on which it fits then.
[[nodiscard]] std::string indented(std::string_view text, std::size_t columns);
[[nodiscard]] Screen narrower(Screen screen, std::size_t columns);

// One of eight glyphs for `level` (0 to 1).
[[nodiscard]] std::string spark(double level);

// One glyph per value, or per mean of neighbours if there are more values than `cells`. The scale begins at
// zero, as that of bars does, and ends at the highest. Empty without glyphs.
[[nodiscard]] std::string sparkline(const Screen& screen, std::span<const double> values, std::size_t cells);

// A bar of `cells` columns and its two ends, filled to `fraction` (0 to 1) by eighths of a cell. Empty
// without glyphs.
[[nodiscard]] std::string bar(const Screen& screen, double fraction, std::size_t cells);
// The same without its ends and without the unfilled part.
[[nodiscard]] std::string solid_bar(const Screen& screen, double fraction, std::size_t cells);

}  // namespace netperfctl
