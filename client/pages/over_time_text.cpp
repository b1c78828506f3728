// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/over_time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "client/pages/function_tables.hpp"
#include "client/pages/function_text.hpp"
#include "client/pages/timeline.hpp"
#include "client/rows/trace_rows.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::show {
namespace {

// Columns before what belongs to a section of the page.
constexpr std::size_t kMostEvents = 12;
constexpr std::size_t kMostFunctions = 8;

// The data of a run to draw, and how.
struct Pictures {
  const Screen& screen;
  const ShowView& view;
  TimeAxis axis;
  std::vector<Cells> rows;
};

// In a column whose title says that it is per second: "14.5 Gbit".
std::string rate_a_second(double bits_per_second) {
  const std::string rate = format_rate(bits_per_second);
  return rate.substr(0, rate.size() - std::string_view{"/s"}.size());
}

// The throughput of each direction, for comparison by eye.
void add_rates(Pictures& pictures) {
  const ShowView& view = pictures.view;
  for (const SumView& sum : view.details.sums) {
    const bool back = sum.direction == Direction::receive;
    for (const bool sender : {false, true}) {
      const TimeCells cells = rate_cells(pictures.axis, view, sum.direction, sender);
      const std::string picture = draw_cells(pictures.screen, cells, Zero::glyph);
      if (picture.empty()) continue;
      std::string name = sender ? "sent" : "received";
      if (view.details.sums.size() > 1) name += back ? " by client" : " by server";
      if (view.details.sums.size() > 1 && sender) name = back ? "sent by server" : "sent by client";
      // Each row ends at its own MOST/s.
      pictures.rows.push_back({{name, Style::faint},
                               {""},
                               {or_dash(highest_of(cells), rate_a_second), Style::faint},
                               {picture, Style::faint}});
      break;
    }
  }
}

void add_event(Pictures& pictures, const std::string& name, const TraceEventView& event,
               const SliceTime& time) {
  const bool drawn = pictures.axis.cells > 0 && event.slices;
  const auto busiest =
      event.slices ? busiest_second(pictures.axis, *event.slices, time) : std::optional<double>{};
  pictures.rows.push_back(
      {{name},
       {or_dash(event.count, format_count)},
       {or_dash(busiest, format_short)},
       {drawn ? draw_cells(pictures.screen, event_cells(pictures.axis, *event.slices, time), Zero::dot)
              : ""}});
}

std::string as_time(double nanoseconds) {
  return format_as_milliseconds(static_cast<std::uint64_t>(std::max(0.0, std::round(nanoseconds)))) + " ms";
}

// How often it was called, and below it how long it took: raw, since slices are not corrected.
void add_function(Pictures& pictures, const FunctionSlicesView& function, const FunctionStatsView& stats,
                  const std::string& name, const SliceTime& time) {
  const TimeAxis& axis = pictures.axis;
  const auto draw = [&](const std::optional<std::vector<std::uint64_t>>& slices) {
    if (axis.cells == 0 || !slices) return std::string{};
    return draw_cells(pictures.screen, event_cells(axis, *slices, time), Zero::dot);
  };
  const auto busiest = [&](const std::optional<std::vector<std::uint64_t>>& slices) {
    return slices ? busiest_second(axis, *slices, time) : std::optional<double>{};
  };
  pictures.rows.push_back({{name},
                           {or_dash(stats.hits, format_count)},
                           {or_dash(busiest(function.hits), format_short)},
                           {draw(function.hits)}});
  if (!function.self_ns) return;
  const auto self_time = [](std::uint64_t nanoseconds) { return as_time(static_cast<double>(nanoseconds)); };
  pictures.rows.push_back({{"  raw self time", Style::faint},
                           {or_dash(stats.self_ns, self_time), Style::faint},
                           {or_dash(busiest(function.self_ns), as_time), Style::faint},
                           {draw(function.self_ns), Style::faint}});
}

void add_functions(Pictures& pictures, std::size_t name_columns) {
  const ProfileDetails& details = *pictures.view.functions;
  SliceTime time = slice_time(*pictures.view.trace);
  time.slice_s = details.profile.slice_s.value_or(0);
  const FunctionNames name{pictures.screen, details, name_columns};
  std::vector<std::size_t> places = by_shown_self_time(details);
  places.resize(std::min(kMostFunctions, places.size()));
  for (const std::size_t place : places) {
    // The daemon sends both lists in one order.
    if (place >= details.slices.size()) continue;
    const FunctionSlicesView& function = details.slices[place];
    add_function(pictures, function, details.functions[place],
                 name(function.function, function.module, function.duplicate), time);
  }
}

// Beside names of at most 32 columns; 40 cells are fine enough for any eye.
std::size_t cells_for(const Screen& screen, const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 40;
  constexpr std::size_t kFigures = kIndent + 2 + 13 + 2 + 7 + 2;
  std::size_t columns = 14;
  for (const std::string& name : names)
    columns = std::max(columns, std::min<std::size_t>(32, display_width(name)));
  const std::size_t width = screen.width.value_or(120);
  return std::clamp<std::size_t>(width - std::min(width, columns + kFigures), 10, kMost);
}

std::string axis_title(const TimeAxis& axis) {
  return axis.cells == 0 ? "" : "0 to " + format_seconds(axis.end_s);
}

}  // namespace

std::string over_time(const Screen& screen, const ShowView& view) {
  const TraceDetails& details = *view.trace;
  if (details.events.empty() && details.marks.empty()) return {};
  std::vector<TraceEventView> events = details.events;
  const TraceEventView* calls = view.functions ? calls_of(details.events) : nullptr;
  if (view.functions) std::erase_if(events, [](const auto& event) { return is_call_event(event.event); });
  const bool functions = view.functions && view.trace_lists.over_time && !view.functions->slices.empty();
  constexpr std::size_t kFunctionColumns = 26;
  std::vector<std::string> names(functions ? 1 : 0, std::string(kFunctionColumns, ' '));
  for (const TraceEventView& event : events) names.push_back(event.event);

  Pictures pictures{screen, view, time_axis(view, cells_for(screen, names)), {}};
  const SliceTime time = slice_time(details);
  if (pictures.axis.cells > 0) add_rates(pictures);
  for (const TraceEventView& event : std::span{events}.first(std::min(kMostEvents, events.size())))
    add_event(pictures, event.event, event, time);
  if (calls != nullptr) add_event(pictures, "calls", *calls, time);
  if (functions) add_functions(pictures, kFunctionColumns);
  const std::string marks = pictures.axis.cells > 0 ? draw_marks(pictures.axis, details.marks) : "";
  if (screen.glyphs && !marks.empty())
    pictures.rows.push_back({{"marks", Style::faint}, {""}, {""}, {marks}});

  std::string text = render_table(narrower(screen, kIndent),
                                  {{.title = functions ? "EVENT, FUNCTION" : "EVENT", .shrink_to = 20},
                                   {.title = "COUNT", .right = true},
                                   {.title = "MOST/s", .right = true, .optional = true},
                                   {.title = axis_title(pictures.axis), .optional = true}},
                                  std::move(pictures.rows));
  if (events.size() > kMostEvents)
    text += fmt::format("...{} more names: --over-time\n", format_count(events.size() - kMostEvents));
  if (functions && view.functions->functions.size() > kMostFunctions) {
    text += fmt::format("...{} more: -o csv --functions --over-time\n",
                        plural(view.functions->functions.size() - kMostFunctions, "function"));
  }
  return "\n" + indented(text, kIndent);
}

}  // namespace netperfctl::show
