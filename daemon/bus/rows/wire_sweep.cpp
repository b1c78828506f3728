// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/rows/wire_sweep.hpp"

#include <cstddef>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire_comparison.hpp"
#include "dbus/rows/sweep.hpp"

namespace netperfd::bus {
namespace {

rows::SweepFigure row_of(const ComparedPoint& point) {
  rows::SweepFigure row;
  row.point = point.point;
  row.name = point.name;
  row.values = point.values;
  row.runs_a = point.runs_a;
  row.runs_b = point.runs_b;
  row.point_verdict = to_string(point.verdict);
  row.caveat = if_any(point.caveat);
  return row;
}

rows::SweepFigure row_of(const ComparedPoint& point, const FigureResult& figure) {
  rows::SweepFigure row = row_of(point);
  row.figure = figure.name;
  row.unit = figure.unit;
  row.better = to_string(figure.better);
  row.verdict = to_string(figure.verdict);
  if (figure.leaning) row.leaning = to_string(*figure.leaning);
  row.threshold = figure.threshold;
  row.pairing = to_string(figure.pairing);
  row.effect = effect_of(figure.effect);
  row.p_adjusted = figure.p_adjusted;
  row.reach = reach_of(figure.effect);
  return row;
}

Row trend_row(const SweepTrend& trend) {
  rows::SweepTrend row;
  row.figure = trend.figure;
  row.axis = trend.axis;
  row.at = if_any(trend.at);
  row.points = trend.points;
  row.blocks = trend.blocks;
  row.ratio = trend.ratio;
  row.low = trend.low;
  row.high = trend.high;
  if (trend.low || trend.high) row.level = trend.level;
  row.p_adjusted = trend.p_adjusted;
  row.monotone = trend.monotone;
  return to_wire(row);
}

Row head_row(const SweepComparison& compared) {
  rows::Sweep row;
  row.name_a = compared.name_a;
  row.name_b = compared.name_b;
  row.axes = compared.axes;
  row.points = static_cast<std::uint32_t>(compared.points.size());
  row.tests = compared.tests;
  row.level = compared.level;
  if (compared.fewest > 0) row.fewest = compared.fewest;
  return to_wire(row);
}

}  // namespace

WireSweep wire_sweep(const SweepComparison& compared) {
  WireSweep wire{.sweep = head_row(compared), .figures = {}, .trends = {}};
  std::size_t bytes = wire.sweep.bytes();
  const auto add = [&bytes](Rows& rows, Row row) {
    bytes += row.bytes();
    if (bytes > kRowsBudgetBytes) throw to_dbus(too_much_for_a_message());
    rows.push_back(std::move(row));
  };
  for (const ComparedPoint& point : compared.points) {
    if (point.figures.empty()) add(wire.figures, to_wire(row_of(point)));
    for (const FigureResult& figure : point.figures) add(wire.figures, to_wire(row_of(point, figure)));
  }
  for (const SweepTrend& trend : compared.trends) add(wire.trends, trend_row(trend));
  return wire;
}

}  // namespace netperfd::bus
