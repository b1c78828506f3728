// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of what a command wrote, for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace netperfd::workload {

// Whole, in ASCII on one line: other characters become '?', and a long text is shortened.
[[nodiscard]] std::string shown_line(std::string_view line);
// "its last lines: a | b", of those that are not empty; "it is empty".
[[nodiscard]] std::string last_lines(std::string_view text);
// The number of the line that has this byte, from 1, and the line.
struct LineOfText {
  std::size_t number = 1;
  std::string_view text;
};
[[nodiscard]] LineOfText line_with_byte(std::string_view text, std::size_t byte);

}  // namespace netperfd::workload
