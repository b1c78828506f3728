// SPDX-License-Identifier: GPL-2.0-or-later
// The drawings of a report, as elements of SVG. Their places are percentages, so that a drawing is as wide as
// its page while its text keeps its size.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/report/axis.hpp"
#include "client/report/html.hpp"
#include "client/report/report.hpp"

namespace netperfctl::report {

inline constexpr double kCellHeight = 18;  // of a drawing within a row, in pixels

// <svg> of that class and height; `content` is SVG.
[[nodiscard]] std::string drawing(std::string_view css, double height, std::string_view content);
// The ticks of a horizontal axis from `top` down, with their numbers and `unit` behind the last one.
[[nodiscard]] std::string horizontal_axis(const Axis& axis, double top, double height, std::string_view unit);

// What a rate is divided by on an axis up to `highest`, and the name of the unit.
struct RateUnit {
  double bits_per_second = 1;
  const char* name = "bit/s";
};
[[nodiscard]] RateUnit rate_unit(double highest);

// The mark of a side: a circle for A, a diamond for B, hollow if the run is traced. `x` is as of Axis::at().
inline constexpr double kMarkRadius = 4.5;
[[nodiscard]] std::string side_mark(std::optional<char> side, bool hollow, std::string_view x, double y,
                                    double radius = kMarkRadius);

// The change of throughput with its interval, 0 and the threshold. Empty without a change.
[[nodiscard]] std::string effect_figure(const ComparisonView& head);
// The throughput of all runs in their order. Empty if none is known.
[[nodiscard]] std::string runs_figure(const std::vector<SidedRun>& runs);
// The throughput of a run over time, its events and its marks. Empty if there is nothing over time.
[[nodiscard]] std::string time_figure(const ShowView& view);

// A cell per row: its interval, and a line where there is no difference. Rows without an interval have their
// estimate alone, or nothing.
struct Span {
  std::optional<double> low, value, high;
};
[[nodiscard]] DrawnColumn interval_column(std::string title, const std::vector<Span>& rows, std::size_t at);
// How long the calls of functions take on both sides, in the typical traced run of each. Empty if there is
// none.
[[nodiscard]] std::string durations_part(const CompareView& view, const std::vector<ShownRun>& shown);

}  // namespace netperfctl::report
