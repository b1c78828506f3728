// SPDX-License-Identifier: GPL-2.0-or-later
// How many rows the verbs list.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>

#include "client/terminal/terminal.hpp"

namespace netperfctl {

// The options --limit and --all; a verb may lack one of them.
struct ListLength {
  std::optional<std::size_t> limit = {};
  bool all = false;
};

// Absent: all. People get about a screen of rows, and a line that says so. A program would take that for all
// there is, so it gets less only if it was told how much.
[[nodiscard]] inline std::optional<std::size_t> rows_to_ask(const ListLength& length, Format format,
                                                            std::size_t for_people) {
  if (length.all) return std::nullopt;
  if (length.limit || format != Format::table) return length.limit;
  return for_people;
}

// To stderr, unless the page itself says that there is more.
inline void say_more(Format format, std::size_t rows, bool more) {
  if (!more || format == Format::table) return;
  complain(fmt::format("these are the newest {}, and there are more: without --limit, all are listed", rows));
}

}  // namespace netperfctl
