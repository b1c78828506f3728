// Marks as lines of trace_marker; mark_line() in tally.hpp is the other direction.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace netperfd::trace {

struct MarkText {
  std::string text;
  bool user = false;
};

// Nothing where the line is not of netperfd's making.
[[nodiscard]] std::optional<MarkText> read_mark(std::string_view line);

// What others wrote, as is_printable() wants it: control characters become blanks, and where that is not
// enough each byte beyond ASCII a question mark.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace netperfd::trace
