// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "client/pages/lines.hpp"
#include "client/pages/named_figures_text.hpp"
#include "client/pages/render.hpp"
#include "client/pages/show_parts.hpp"
#include "client/pages/slots.hpp"
#include "client/report/html.hpp"
#include "client/report/parts.hpp"
#include "client/report/pictures.hpp"
#include "client/terminal/times.hpp"
#include "client/terminal/units.hpp"
#include "client/terminal/xml.hpp"

namespace netperfctl::report {
namespace {

std::string place_words(const SidedRun& row) {
  const std::string slot = slot_words(row.run);
  return !slot.empty() ? slot : row.side ? std::string(1, *row.side) : "";
}

std::string note_words(const RunView& run) {
  const std::string error = run.error.value_or("");
  const std::string note = run.note.value_or("");
  return error + (error.empty() || note.empty() ? "" : "; ") + note;
}

std::string when(const std::optional<std::uint64_t>& started_us) {
  return or_dash(started_us, [](std::uint64_t time_us) { return format_time(time_us, 0); });
}

Grid marks_grid(const TraceDetails& trace) {
  Grid grid{.heading = "marks"};
  grid.columns = {{.title = "SECONDS", .right = true}, {.title = "MARK"}};
  for (const MarkView& mark : trace.marks) {
    grid.rows.push_back({{or_dash(mark.time_s, [](double s) { return fmt::format("{:.3f}", s); })},
                         {mark.text.value_or("")}});
  }
  return grid;
}

Grid drops_grid(const TraceDetails& trace) {
  Grid grid{.heading = "drops"};
  grid.columns = {{.title = "DROPPED BECAUSE"}, {.title = "COUNT", .right = true}, {.title = "WHERE"}};
  for (const DropView& drop : trace.drops) {
    grid.rows.push_back(
        {{drop.reason.value_or("")}, {or_dash(drop.count, format_count)}, {drop.location.value_or("")}});
  }
  return grid;
}

// The page of `show`, without what was listed for the document.
std::string page_of(const ShowView& view) {
  ShowView page = view;
  page.list_intervals = false;
  page.trace_lists = {};
  return show_text(text_screen(), page);
}

}  // namespace

Screen text_screen() {
  Screen screen;
  screen.now_us = 0;
  return screen;
}

std::string runs_part(const std::vector<SidedRun>& runs) {
  if (runs.empty()) return {};
  Grid grid{.heading = "all runs"};
  grid.columns = {{.title = "RUN"},
                  {.title = "RECEIVED", .right = true},
                  {.title = "FIGURE", .optional = true},
                  {.title = "RETR", .right = true, .optional = true},
                  {.title = "FLAGS", .right = true, .optional = true},
                  {.title = "PLACE", .optional = true},
                  {.title = "STARTED"},
                  {.title = "STATE"},
                  {.title = "LABEL", .optional = true}};
  for (const SidedRun& row : runs) {
    const RunView& run = row.run;
    grid.rows.push_back({{fmt::format("{}", run.run)},
                         {or_dash(run.received_bits_per_second, format_rate)},
                         {show::figure_words(run)},
                         {or_dash(run.retransmits, format_count)},
                         {run.flags.value_or(0) > 0 ? fmt::format("{}", *run.flags) : ""},
                         {place_words(row)},
                         {when(run.started_us)},
                         {run.state.value_or("")},
                         {run.label.value_or("")}});
    grid.notes.push_back({note_words(run)});
  }
  constexpr std::size_t kAtOnce = 16;  // more stand between the reader and the functions
  const std::string all = table(grid);
  const std::string shown =
      runs.size() > kAtOnce ? details(fmt::format("Table of all {}", plural(runs.size(), "run")), all) : all;
  return runs_figure(runs) + shown;
}

std::string run_part(const ShownRun& shown) {
  const ShowView& view = shown.view;
  std::string text = element("h3", show::first_line(text_screen(), view));
  if (const std::string error = view.details.run.error.value_or(""); !error.empty())
    text += element("p", error, "bad");
  if (!shown.why.empty()) text += element("p", shown.why);
  text += time_figure(view) + lines_html(show::quality(view));
  if (view.trace &&
      std::ranges::any_of(view.trace->marks, [](const MarkView& m) { return m.user.value_or(false); }))
    text += table(marks_grid(*view.trace));
  if (view.trace && !view.trace->drops.empty()) text += table(drops_grid(*view.trace));
  return text + details(fmt::format("The page of netperfctl show {}", view.details.run.run),
                        element("pre", page_of(view)));
}

std::string flames_part(const std::vector<flame::Picture>& pictures) {
  std::string text;
  for (const flame::Picture& picture : pictures) {
    const flame::Fragment drawn = flame::fragment(picture);
    text += element("h3", picture.title);
    for (const std::string& note : drawn.notes) text += element("p", note);
    text += wide(picture.title, drawn.svg);
  }
  return text;
}

std::vector<std::size_t> typical_runs(const std::vector<SidedRun>& runs) {
  using Kind = std::pair<char, bool>;
  std::map<Kind, std::vector<std::size_t>> kinds;
  const bool sides = std::ranges::any_of(runs, [](const SidedRun& row) { return row.side.has_value(); });
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunView& run = runs[i].run;
    if (run.state != "finished" || (sides && !runs[i].side)) continue;
    const bool traced = run.traced.value_or(run.trace_events.has_value());
    kinds[{runs[i].side.value_or(' '), traced}].push_back(i);
  }
  std::vector<std::size_t> typical;
  for (auto& [kind, indices] : kinds) {
    // Of two in the middle, the slower one.
    std::ranges::stable_sort(
        indices, {}, [&runs](std::size_t i) { return runs[i].run.received_bits_per_second.value_or(0); });
    typical.push_back(indices[(indices.size() - 1) / 2]);
  }
  return typical;
}

}  // namespace netperfctl::report
