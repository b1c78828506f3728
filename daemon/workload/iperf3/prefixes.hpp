// SPDX-License-Identifier: GPL-2.0-or-later
// A document in a log that begins each line with a time, a name or a number.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace netperfd::workload {

struct Stripped {
  std::string text;       // with the same lines
  std::size_t lines = 0;  // that had the prefix
  std::size_t prefix_bytes = 0;
  std::size_t next = 0;  // where to look for another prefix
};

// The lines without the prefix that the first line has which ends with `{`, from `from` on, and that the next
// line has, too. Numbers and blanks in it may differ from line to line. Absent: there is no such line.
[[nodiscard]] std::optional<Stripped> without_prefixes(std::string_view bytes, std::size_t from);

}  // namespace netperfd::workload
