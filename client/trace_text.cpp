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

// Columns before what belongs to a section of the page.
constexpr std::size_t kIndent = 2;

// A figure and its word, on one line of show::field().
constexpr const char* kNoBreak = "\u00a0";

std::string events_words(std::uint64_t count) {
  return format_count(count) + (count == 1 ? " event" : " events");
}

std::string records_words(std::uint64_t count) {
  return format_count(count) + (count == 1 ? " record" : " records");
}

// "2 events watched: 1,204 skb:kfree_skb, 17 tcp:tcp_retransmit_skb; 0 lost"
std::string totals_words(const ShowView& view) {
  const TraceDetails& details = *view.trace;
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
    names.push_back(fmt::format("{}{}{}",
                                or_dash(event.count, [](std::uint64_t count) { return format_count(count); }),
                                kNoBreak, event.event));
  }
  if (!names.empty()) text += fmt::format(": {}", fmt::join(names, ", "));
  if (details.events.size() > kMost && trace.events) {
    text += fmt::format(" and {} other names, {} in all", format_count(details.events.size() - kMost),
                        events_words(*trace.events));
  }
  // iperf3's figures leave it out, so that retransmits here and there differ.
  if (view.details.run.omit_s.value_or(0) > 0 && !names.empty()) text += ", with the omitted part";
  return text + (trace.lost ? fmt::format("; {}{}lost", format_count(*trace.lost), kNoBreak)
                            : "; losses are not known");
}

// A CPU's losses; empty where it has none.
std::string loss_words(const TraceCpuView& cpu) {
  const std::string name = cpu.cpu ? fmt::format("cpu {}", *cpu.cpu) : "a cpu";
  std::string text;
  if (const std::uint64_t lost = lost_of(cpu); lost > 0) {
    const std::uint64_t all = lost + cpu.records.value_or(0);
    text = fmt::format("{} lost {}", name, records_words(lost));
    if (cpu.records) {
      text = fmt::format("{} lost {} of {} ({})", name, format_count(lost), records_words(all),
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
  if (cpus.size() > kMost)
    text += fmt::format("\n...{} more CPUs: --cpus", format_count(cpus.size() - kMost));
  if (text.empty() && details.trace.lost.value_or(0) == 0) return {};
  if (text.empty()) text = fmt::format("{} lost", records_words(*details.trace.lost));
  text += cpus.size() > 1 ? "\nThe" : ": the";
  text += " counts below are of what was read. A larger `buffer`, a filter or fewer events lose less.";
  return field(screen, "lost", text, Style::bad);
}

// "0, 2-5"
std::string cpu_ranges(std::vector<std::uint32_t> cpus) {
  std::ranges::sort(cpus);
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] <= cpus[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", cpus[i]);
    if (cpus[last] > cpus[i]) text += fmt::format("-{}", cpus[last]);
    i = last + 1;
  }
  return text;
}

// What was asked for, where that is less than all there is.
std::string watched_words(const TraceDetails& details) {
  std::vector<std::string> parts;
  constexpr std::size_t kMost = 6;
  std::vector<std::string> filtered;
  for (const TraceEventView& event : details.events) {
    if (event.filter.value_or("").empty()) continue;
    filtered.push_back(fmt::format("{} where {}", event.event, *event.filter));
  }
  const std::size_t more = filtered.size() - std::min(kMost, filtered.size());
  filtered.resize(filtered.size() - more);
  if (more > 0) filtered.push_back(fmt::format("{} more with filters", format_count(more)));
  if (!filtered.empty()) parts.push_back(fmt::format("{}", fmt::join(filtered, ", ")));
  const std::vector<std::uint32_t> cpus = details.trace.only_cpus.value_or(std::vector<std::uint32_t>{});
  if (!cpus.empty()) parts.push_back("CPUs " + cpu_ranges(cpus));
  if (details.trace.workload_only.value_or(false))
    parts.emplace_back("the workload's own tasks: what softirqs did for it is not seen");
  return fmt::format("{}", fmt::join(parts, "; "));
}

// What a reader must know of how it was watched.
std::string limits(const Screen& screen, const TraceDetails& details) {
  const TraceView& trace = details.trace;
  std::string text;
  if (const std::string only = watched_words(details); !only.empty()) text += field(screen, "only", only);
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
  constexpr std::size_t kFigures = kIndent + 2 + 13 + 2 + 6 + 2;
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
  const SliceTime time = slice_time(details);
  std::vector<Cells> rows;
  if (axis.cells > 0) add_rates(screen, view, axis, rows);
  constexpr std::size_t kMost = 12;
  for (std::size_t i = 0; i < std::min(kMost, details.events.size()); ++i) {
    const TraceEventView& event = details.events[i];
    const bool drawn = axis.cells > 0 && event.slices;
    rows.push_back({{event.event},
                    {or_dash(event.count, [](std::uint64_t count) { return format_count(count); })},
                    {or_dash(busiest_second(axis, event, time), format_short)},
                    {drawn ? draw_cells(screen, event_cells(axis, *event.slices, time), Ground::zero) : ""}});
  }
  const std::string marks = axis.cells > 0 ? draw_marks(axis, details.marks) : "";
  if (screen.glyphs && !marks.empty()) {
    rows.push_back({{"marks", Style::faint}, {""}, {""}, {marks}});
  }
  std::string text = render_table(narrower(screen, kIndent),
                                  {{.title = "EVENT", .shrink_to = 20},
                                   {.title = "COUNT", .right = true},
                                   {.title = "MOST/s", .right = true, .optional = true},
                                   {.title = axis_title(axis), .optional = true}},
                                  std::move(rows));
  if (details.events.size() > kMost) {
    text += fmt::format("...{} more names: --over-time\n", format_count(details.events.size() - kMost));
  }
  return "\n" + indented(text, kIndent);
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
  if (index > kMost) lines += fmt::format("\n...{} more: --marks", format_count(index - kMost));
  return lines.empty() ? "" : "\n" + field(screen, "marks", lines);
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
  std::string text = "\n" + field(screen, "tracing", totals_words(view));
  text += limits(screen, details);
  if (details.trace.broken && !details.trace.broken->empty()) {
    text += field(screen, "broken", *details.trace.broken, Style::bad);
  }
  text += losses(screen, details) + left_out(screen, details.trace);
  text += over_time(screen, view) + user_marks(screen, details);
  const Screen beside = narrower(screen, kIndent);
  if (!details.drops.empty()) text += "\n" + indented(drops_table(beside, view), kIndent);
  if (!view.stacks.stacks.empty()) text += "\n" + indented(stacks_list(beside, view), kIndent);
  return text;
}

}  // namespace netperfctl::show
