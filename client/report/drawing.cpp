// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "client/report/pictures.hpp"
#include "client/terminal/xml.hpp"

namespace netperfctl::report {
namespace {

constexpr double kMiddleOfCell = kCellHeight / 2;
constexpr std::size_t kTicksOfCells = 4;

std::string span_cell(const Axis& axis, const Span& span) {
  std::string text = fmt::format("<line class=\"zero\" x1=\"{0}\" x2=\"{0}\" y1=\"0\" y2=\"{1}\"/>",
                                 axis.at(0), kCellHeight);
  if (span.low && span.high) {
    text += fmt::format("<line class=\"interval\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>",
                        axis.at(*span.low), axis.at(*span.high), kMiddleOfCell, kMiddleOfCell);
  }
  if (span.value)
    text += fmt::format("<circle class=\"estimate\" cx=\"{}\" cy=\"{}\" r=\"3.5\"/>", axis.at(*span.value),
                        kMiddleOfCell);
  return drawing("cell", kCellHeight, text);
}

}  // namespace

std::string drawing(std::string_view css, double height, std::string_view content) {
  return fmt::format("<svg class=\"{}\" width=\"100%\" height=\"{:.0f}\">{}</svg>\n", css, height, content);
}

std::string horizontal_axis(const Axis& axis, double top, double height, std::string_view unit) {
  std::string text;
  for (const double tick : axis.ticks) {
    const std::string x = axis.at(tick);
    text += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\"/>", x, top,
                        top + height);
    const bool last = tick == axis.ticks.back();
    text += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{:.0f}\">{}{}</text>", x, top + height + 14,
                        tick_text(axis, tick), last ? xml(unit) : "");
  }
  return text;
}

RateUnit rate_unit(double highest) {
  constexpr std::array<RateUnit, 4> kUnits{
      {{1e12, "Tbit/s"}, {1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}}};
  const auto found = std::ranges::find_if(
      kUnits, [highest](const RateUnit& unit) { return highest >= unit.bits_per_second; });
  return found == kUnits.end() ? RateUnit{} : *found;
}

std::string side_mark(std::optional<char> side, bool hollow, std::string_view x, double y, double radius) {
  const std::string css = fmt::format("{}{}",
                                      side == 'A'   ? "a"
                                      : side == 'B' ? "b"
                                                    : "none",
                                      hollow ? " hollow" : "");
  if (side != 'B')
    return fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{:.1f}\" r=\"{}\"/>", css, x, y, radius);
  // Paths know no percentages: it has a corner of its own to stand in. Of the area of a circle, it is wider.
  return fmt::format(
      "<svg x=\"{0}\" y=\"{1:.1f}\" class=\"corner\" width=\"1\" height=\"1\">"
      "<path class=\"{2}\" d=\"M0-{3}L{3} 0L0 {3}L-{3} 0Z\"/></svg>",
      x, y, css, std::round(radius * 4 / 3));
}

DrawnColumn interval_column(std::string title, const std::vector<Span>& rows, std::size_t at) {
  double low = 0;
  double high = 0;
  for (const Span& row : rows) {
    for (const auto& value : {row.low, row.value, row.high}) {
      if (!value) continue;
      low = std::min(low, *value);
      high = std::max(high, *value);
    }
  }
  const Axis axis = linear_axis(low, high, kTicksOfCells);
  DrawnColumn column{.title = std::move(title), .axis = {}, .cells = {}, .at = at};
  column.axis = drawing("cell", kCellHeight + 2, horizontal_axis(axis, 0, 4, ""));
  for (const Span& row : rows) column.cells.push_back(span_cell(axis, row));
  return column;
}

}  // namespace netperfctl::report
