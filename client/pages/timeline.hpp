// SPDX-License-Identifier: GPL-2.0-or-later
// Divides a run's time into equal cells, so that charts of different data line up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl {

// From the client's release, which is 0, to `end_s`.
struct TimeAxis {
  double end_s = 0;
  std::size_t cells = 0;  // 0: there is no time to show
};

// One value per cell; empty if unknown.
using TimeCells = std::vector<std::optional<double>>;

// Length: the run's intervals; without intervals the run; if the run has not ended, its events and marks.
// Resolution: the finer of intervals and slices, but at most `most_cells`.
[[nodiscard]] TimeAxis time_axis(const ShowView& view, std::size_t most_cells);

// Bits per second of one direction, measured by one side, sender or receiver. Includes omitted intervals,
// since the events of that time are included too.
[[nodiscard]] TimeCells rate_cells(const TimeAxis& axis, const ShowView& view, Direction direction,
                                   bool sender);
// What the slices of a trace tell of time.
struct SliceTime {
  double slice_s = 0;
  double known_to_s = std::numeric_limits<double>::infinity();  // nothing was watched after it
  bool gaps = false;  // records were lost: no event in a slice may be an event that was lost
};
[[nodiscard]] SliceTime slice_time(const TraceDetails& details);
// Events per second.
[[nodiscard]] TimeCells event_cells(const TimeAxis& axis, std::span<const std::uint64_t> slices,
                                    const SliceTime& time);
// What a second has most, of the whole run where that is shorter. Empty where slices have no width.
[[nodiscard]] std::optional<double> busiest_second(const TimeAxis& axis,
                                                   std::span<const std::uint64_t> slices,
                                                   const SliceTime& time);

enum class Zero {
  glyph,  // the lowest one, as sparkline() has it
  dot,    // none at all, and any is more than a dot
};

// One glyph per cell, a space if unknown, no trailing spaces. The scale begins at zero and ends at the
// highest of the cells. Empty without glyphs.
[[nodiscard]] std::string draw_cells(const Screen& screen, const TimeCells& cells, Zero zero);
// The highest of the cells; empty if none is known.
[[nodiscard]] std::optional<double> highest_of(const TimeCells& cells);

// The letter of each mark of a user at its time, "|" for netperfd's own and "+" where several meet. Letters
// run from `a` on, and `*` when they are used up.
[[nodiscard]] std::string draw_marks(const TimeAxis& axis, std::span<const MarkView> marks);
// The letter of the user's mark number `index`, from 0 on.
[[nodiscard]] char mark_letter(std::size_t index);

}  // namespace netperfctl
