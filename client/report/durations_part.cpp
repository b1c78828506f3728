// SPDX-License-Identifier: GPL-2.0-or-later
// How long a call of a function takes: percentiles, and a histogram of each side on one logarithmic scale.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "client/pages/slots.hpp"
#include "client/pages/witness_text.hpp"
#include "client/report/pictures.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::report {
namespace {

constexpr std::size_t kFunctions = 8;
constexpr std::size_t kBars = 80;  // of a histogram
constexpr double kHistogramHeight = 30;

struct Row {
  const FunctionStatsView* stats;
  char side;
};

const FunctionStatsView* stats_of(const ShowView& view, const FunctionDeltaView& function, bool in_b) {
  if (!view.functions) return nullptr;
  const std::string& name = in_b && function.function_b ? *function.function_b : function.function;
  const auto found = std::ranges::find_if(view.functions->functions, [&](const FunctionStatsView& stats) {
    return stats.function == name && stats.module == function.module && stats.duplicate == function.duplicate;
  });
  if (found == view.functions->functions.end() || !found->max_ns || found->min_ns.value_or(0) == 0)
    return nullptr;
  return &*found;
}

const ShowView* traced_run(const std::vector<ShownRun>& shown, char side) {
  const auto found = std::ranges::find_if(shown, [side](const ShownRun& run) {
    return run.side == side && run.view.functions && run.view.functions->profile.timed.value_or(true);
  });
  return found == shown.end() ? nullptr : &found->view;
}

std::vector<Row> rows_of(const CompareView& view, const ShowView& a, const ShowView& b) {
  std::vector<Row> rows;
  for (const FunctionDeltaView& function : comparing::traced_functions(view)) {
    const FunctionStatsView* in_a = stats_of(a, function, false);
    const FunctionStatsView* in_b = stats_of(b, function, true);
    if (in_a != nullptr) rows.push_back({in_a, 'A'});
    if (in_b != nullptr) rows.push_back({in_b, 'B'});
    if (rows.size() >= 2 * kFunctions) break;
  }
  return rows;
}

// Calls by bar; a bar is 1/kBars of the axis.
std::array<std::uint64_t, kBars> bars_of(const Axis& axis, const FunctionStatsView& stats) {
  std::array<std::uint64_t, kBars> bars{};
  if (!stats.bucket_ns || !stats.bucket_calls) return bars;
  const std::size_t buckets = std::min(stats.bucket_ns->size(), stats.bucket_calls->size());
  for (std::size_t i = 0; i < buckets; ++i) {
    const double place = axis.place(static_cast<double>((*stats.bucket_ns)[i]));
    const auto bar = std::min(static_cast<std::size_t>(place * kBars), kBars - 1);
    bars[bar] += (*stats.bucket_calls)[i];
  }
  return bars;
}

std::string drawn(const Axis& axis, const Row& row) {
  std::string text;
  for (const double tick : axis.ticks)
    text += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"0\" y2=\"{1}\"/>", axis.at(tick),
                        kHistogramHeight);
  const auto bars = bars_of(axis, *row.stats);
  const auto most = static_cast<double>(std::max<std::uint64_t>(*std::ranges::max_element(bars), 1));
  constexpr double kRoom = kHistogramHeight - 2 * kMarkRadius;
  for (std::size_t i = 0; i < kBars; ++i) {
    if (bars[i] == 0) continue;
    // What is rare is still seen.
    const double height = std::max(1.0, kRoom * static_cast<double>(bars[i]) / most);
    text +=
        fmt::format("<rect class=\"bar {}\" x=\"{:.2f}%\" width=\"{:.2f}%\" y=\"{:.1f}\" height=\"{:.1f}\"/>",
                    row.side == 'A' ? "a" : "b", 100.0 * static_cast<double>(i) / kBars, 100.0 / kBars,
                    kHistogramHeight - height, height);
  }
  if (row.stats->p50_ns)
    text += side_mark(row.side, false, axis.at(static_cast<double>(*row.stats->p50_ns)), kMarkRadius);
  return drawing("cell", kHistogramHeight, text);
}

Axis axis_of(const std::vector<Row>& rows) {
  double low = std::numeric_limits<double>::max();
  double high = 0;
  for (const Row& row : rows) {
    low = std::min(low, static_cast<double>(row.stats->min_ns.value_or(1)));
    high = std::max(high, static_cast<double>(row.stats->max_ns.value_or(1)));
  }
  return logarithmic_axis(low, high);
}

Grid grid_of(const std::vector<Row>& rows) {
  Grid grid{.heading = "ns from entry to exit of a call, with the tracer's own cost"};
  grid.columns = {{.title = "FUNCTION"},
                  {.title = "SIDE"},
                  {.title = "CALLS", .right = true},
                  {.title = "LEAST", .right = true, .optional = true},
                  {.title = "p50", .right = true},
                  {.title = "p90", .right = true, .optional = true},
                  {.title = "p99", .right = true, .optional = true},
                  {.title = "p99.9", .right = true, .optional = true},
                  {.title = "MOST", .right = true}};
  for (const Row& row : rows) {
    const FunctionStatsView& stats = *row.stats;
    const auto figure = [](const std::optional<std::uint64_t>& ns) {
      return Cell{or_dash(ns, format_count)};
    };
    grid.rows.push_back({{stats.function},
                         {std::string(1, row.side)},
                         figure(stats.hits),
                         figure(stats.min_ns),
                         figure(stats.p50_ns),
                         figure(stats.p90_ns),
                         figure(stats.p99_ns),
                         figure(stats.p999_ns),
                         figure(stats.max_ns)});
  }
  return grid;
}

}  // namespace

std::string durations_part(const CompareView& view, const std::vector<ShownRun>& shown) {
  const ShowView* a = traced_run(shown, 'A');
  const ShowView* b = traced_run(shown, 'B');
  if (a == nullptr || b == nullptr) return {};
  const std::vector<Row> rows = rows_of(view, *a, *b);
  if (rows.empty()) return {};
  const Axis axis = axis_of(rows);
  DrawnColumn column{.title = "ns, logarithmic", .axis = {}, .cells = {}, .at = 2};
  column.axis = drawing("cell", kCellHeight + 2, horizontal_axis(axis, 0, 4, ""));
  for (const Row& row : rows) column.cells.push_back(drawn(axis, row));
  return element("p",
                 fmt::format("Of run {} (A) and run {} (B). The heights are from zero to the most frequent "
                             "duration of the row; the mark is above the median call.",
                             a->details.run.run, b->details.run.run)) +
         table(grid_of(rows), &column);
}

}  // namespace netperfctl::report
