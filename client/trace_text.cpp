#include "client/trace_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "client/show_parts.hpp"
#include "client/table.hpp"
#include "client/text.hpp"
#include "client/timeline.hpp"
#include "client/trace_rows.hpp"
#include "client/units.hpp"

namespace netperfctl::show {
namespace {

std::string events_words(std::uint64_t count) {
  return format_count(count) + (count == 1 ? " event" : " events");
}

// "2 events watched: 1,204 skb:kfree_skb, 17 tcp:tcp_retransmit_skb; 0 lost"
std::string totals_words(const TraceDetails& details) {
  const TraceView& trace = details.trace;
  std::string text;
  if (trace.functions.value_or(0) > 0) text = plural(*trace.functions, "function");
  if (!details.events.empty()) {
    text += (text.empty() ? "" : " and ") + plural(details.events.size(), "event");
  }
  text = text.empty() ? "no event came" : text + " watched";
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names;
  for (const TraceEventView& event : details.events) {
    if (names.size() == kMost) break;
    names.push_back(fmt::format(
        "{} {}", or_dash(event.count, [](std::uint64_t count) { return format_count(count); }), event.event));
  }
  if (!names.empty()) text += fmt::format(": {}", fmt::join(names, ", "));
  if (details.events.size() > kMost && trace.events) {
    text += fmt::format(" and {} other names, {} in all", details.events.size() - kMost,
                        events_words(*trace.events));
  }
  return text + (trace.lost ? fmt::format("; {} lost", format_count(*trace.lost)) : "; losses are not known");
}

// A CPU's losses; empty where it has none.
std::string loss_words(const TraceCpuView& cpu) {
  const std::string name = cpu.cpu ? fmt::format("cpu {}", *cpu.cpu) : "a cpu";
  std::string text;
  if (const std::uint64_t lost = lost_of(cpu); lost > 0) {
    const std::uint64_t all = lost + cpu.events.value_or(0);
    text = fmt::format("{} lost {}", name, events_words(lost));
    if (cpu.events) {
      text = fmt::format("{} lost {} of {} ({})", name, format_count(lost), events_words(all),
                         format_percent(100 * static_cast<double>(lost) / static_cast<double>(all)));
    }
  }
  if (const std::uint64_t damaged = cpu.damaged.value_or(0); damaged > 0) {
    text += fmt::format("{}{} could not be decoded", text.empty() ? name + ": " : ", and ",
                        plural(damaged, "damaged sub-buffer"));
  }
  return text;
}

std::string losses(const Screen& screen, const TraceDetails& details) {
  std::vector<TraceCpuView> cpus = details.cpus;
  std::erase_if(cpus, [](const TraceCpuView& cpu) { return loss_words(cpu).empty(); });
  std::ranges::stable_sort(cpus, std::greater{}, lost_of);
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, cpus.size()); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : "\n", loss_words(cpus[i]));
  }
  if (cpus.size() > kMost) text += fmt::format("\n...{} more CPUs: --cpus", cpus.size() - kMost);
  if (text.empty() && details.trace.lost.value_or(0) == 0) return {};
  if (text.empty()) text = fmt::format("{} lost", events_words(*details.trace.lost));
  text += cpus.size() > 1 ? "\nThe" : ": the";
  text += " counts below are of what was read. A larger `buffer`, a filter or fewer events lose less.";
  return field(screen, "lost", text, Style::bad);
}

// What a reader must know of how it was watched.
std::string limits(const Screen& screen, const TraceView& trace) {
  std::string text;
  if (trace.workload_only.value_or(false)) {
    text += field(screen, "only", "the workload's own tasks: what softirqs did for it is not seen");
  }
  if (trace.missing_functions && !trace.missing_functions->empty()) {
    text += field(screen, "left out",
                  fmt::format("not traceable: {}", fmt::join(*trace.missing_functions, ", ")), Style::active);
  }
  return text;
}

// The daemon's answer has its limit, and what it left out is not what did not happen.
std::string left_out(const Screen& screen, const TraceView& trace) {
  std::vector<std::string> parts;
  const auto add = [&parts](const std::optional<std::uint64_t>& count, const char* what) {
    if (count.value_or(0) > 0) parts.push_back(fmt::format("{} {}", format_count(*count), what));
  };
  add(trace.events_left_out, "events by name");
  add(trace.slices_left_out, "events over time");
  add(trace.drops_left_out, "kinds of drops");
  add(trace.marks_left_out, "marks");
  add(trace.cpus_left_out, "CPUs");
  if (parts.empty()) return {};
  return field(screen, "not shown",
               fmt::format("{}: too many for one answer of netperfd", fmt::join(parts, ", ")), Style::active);
}

std::string peak_words(const TraceEventView& event, double slice_s) {
  if (!event.slices || slice_s <= 0) return "-";
  const std::uint64_t most = event.slices->empty() ? 0 : *std::ranges::max_element(*event.slices);
  return format_short(static_cast<double>(most) / slice_s);
}

// The throughput of each direction, for comparison by eye.
void add_rates(const Screen& screen, const ShowView& view, const TimeAxis& axis, std::vector<Cells>& rows) {
  for (const SumView& sum : view.details.sums) {
    const std::string direction = sum.direction.value_or("send");
    for (const bool sender : {false, true}) {
      const std::string picture =
          draw_cells(screen, rate_cells(axis, view, direction, sender), Ground::lowest);
      if (picture.empty()) continue;
      std::string name = sender ? "sent" : "received";
      if (view.details.sums.size() > 1) name += direction == "receive" ? " by client" : " by server";
      if (view.details.sums.size() > 1 && sender)
        name = direction == "receive" ? "sent by server" : "sent by client";
      rows.push_back({{name, Style::faint}, {""}, {""}, {picture, Style::faint}});
      break;
    }
  }
}

// Beside names of at most 32 columns; 40 cells are fine enough for any eye.
std::size_t cells_for(const Screen& screen, const TraceDetails& details) {
  constexpr std::size_t kMost = 40;
  constexpr std::size_t kFigures = 2 + 13 + 2 + 6 + 2;
  std::size_t names = 14;
  for (const TraceEventView& event : details.events)
    names = std::max(names, std::min<std::size_t>(32, display_width(event.event)));
  const std::size_t width = screen.width.value_or(120);
  return std::clamp<std::size_t>(width - std::min(width, names + kFigures), 10, kMost);
}

std::string axis_title(const TimeAxis& axis) {
  return axis.cells == 0 ? "" : "0 to " + format_seconds(axis.end_s);
}

// Every picture over the same time, so that what happened together stands together.
std::string over_time(const Screen& screen, const ShowView& view) {
  const TraceDetails& details = *view.trace;
  if (details.events.empty() && details.marks.empty()) return {};
  const TimeAxis axis = time_axis(view, cells_for(screen, details));
  const double slice_s = details.trace.slice_s.value_or(0);
  std::vector<Cells> rows;
  if (axis.cells > 0) add_rates(screen, view, axis, rows);
  constexpr std::size_t kMost = 12;
  for (std::size_t i = 0; i < std::min(kMost, details.events.size()); ++i) {
    const TraceEventView& event = details.events[i];
    const bool drawn = axis.cells > 0 && event.slices;
    rows.push_back(
        {{event.event},
         {or_dash(event.count, [](std::uint64_t count) { return format_count(count); })},
         {peak_words(event, slice_s)},
         {drawn ? draw_cells(screen, event_cells(axis, *event.slices, slice_s), Ground::zero) : ""}});
  }
  if (screen.glyphs && axis.cells > 0 && !details.marks.empty()) {
    rows.push_back({{"marks", Style::faint}, {""}, {""}, {draw_marks(axis, details.marks)}});
  }
  std::string text = "\n" + render_table(screen,
                                         {{.title = "EVENT", .shrink_to = 20},
                                          {.title = "COUNT", .right = true},
                                          {.title = "MOST/s", .right = true, .optional = true},
                                          {.title = axis_title(axis), .optional = true}},
                                         std::move(rows));
  if (details.events.size() > kMost) {
    text += fmt::format("...{} more names: --over-time\n", details.events.size() - kMost);
  }
  return text;
}

std::string user_marks(const Screen& screen, const TraceDetails& details) {
  constexpr std::size_t kMost = 8;
  std::size_t index = 0;
  std::string lines;
  for (const MarkView& mark : details.marks) {
    if (!mark.user.value_or(false)) continue;
    if (index++ >= kMost) continue;
    lines += fmt::format("{}{}  {}  {}", lines.empty() ? "" : "\n", mark_letter(index - 1),
                         or_dash(mark.time_s, [](double s) { return fmt::format("{:.3f} s", s); }),
                         mark.text.value_or(""));
  }
  if (index > kMost) lines += fmt::format("\n...{} more: --marks", index - kMost);
  return lines.empty() ? "" : field(screen, "marks", lines);
}

}  // namespace

std::string trace_words(const RunView& run) {
  if (run.trace_skipped && !run.trace_skipped->empty()) return "not traced";
  if (!run.trace_events) return {};
  return events_words(*run.trace_events) +
         (run.trace_lost ? fmt::format(", {} lost", format_count(*run.trace_lost)) : "");
}

std::string trace_part(const Screen& screen, const ShowView& view) {
  if (!view.trace) return {};
  const TraceDetails& details = *view.trace;
  if (details.trace.skipped && !details.trace.skipped->empty()) {
    return "\n" + field(screen, "tracing", "not traced: " + *details.trace.skipped, Style::active);
  }
  std::string text = "\n" + field(screen, "tracing", totals_words(details));
  if (details.trace.broken && !details.trace.broken->empty()) {
    text += field(screen, "broken", *details.trace.broken, Style::bad);
  }
  text += losses(screen, details) + limits(screen, details.trace) + left_out(screen, details.trace);
  text += over_time(screen, view) + user_marks(screen, details);
  if (!details.drops.empty()) text += "\n" + drops_table(screen, view);
  if (!view.stacks.stacks.empty()) text += "\n" + stacks_list(screen, view);
  return text;
}

}  // namespace netperfctl::show
