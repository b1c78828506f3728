// SPDX-License-Identifier: GPL-2.0-or-later
// Reads marks from lines of trace_marker; mark_line() in tally.hpp writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace netperfd::trace {

struct MarkText {
  std::string text;
  bool user = false;
};

// Absent if netperfd did not write the line.
[[nodiscard]] std::optional<MarkText> read_mark(std::string_view line);

// Makes other programs' text acceptable to is_printable(): control characters become blanks and, if that is
// not enough, each byte beyond ASCII becomes a question mark.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace netperfd::trace
