// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a table of numbers, such as people publish: values separated by commas (RFC 4180), one measured value
// a line. Runs in a process without privileges.
#pragma once

#include <cstddef>
#include <span>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"

namespace netperfd::workload {

inline constexpr std::size_t kMostTableBytes = std::size_t{8} << 20U;
inline constexpr std::size_t kMostLinesOfTable = 100'000;  // empty ones too
inline constexpr std::size_t kMostPointsOfTable = 64;
inline constexpr std::size_t kLongestTableRow = 4096;  // bytes
inline constexpr std::size_t kLongestTableLabel = 64;  // bytes of the name of a point or a block

// The header names the columns figure, side and value, and unit, better, block and point if they are there.
// The first side that is named is A, the second B. Without blocks, the n-th value of a figure and a side is
// that of the side's run n; with blocks, values of a block and a side are its letters of that side, in the
// order of their lines. A figure of the registry is kept as table.NAME, in its own unit and direction.
//
// The runs are in the order of their points, then of blocks and lines, or of sides. Each has the header and
// its lines as its document. invalid_argument, with line and column, if a line is not as it must be, if a
// figure has values of one side only, in the point or in one of its blocks, or if a limit is exceeded.
[[nodiscard]] Result<ImportedFile> read_table_file(std::span<const std::byte> file);

}  // namespace netperfd::workload
