// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/latency_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "client/pages/show_parts.hpp"
#include "client/pages/timeline.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfctl::show {
namespace {

using netperfd::rows::plain_number;

constexpr double kMilli = 1e6;  // of nanoseconds

std::string in_ms(std::uint64_t nanoseconds) {
  return format_milliseconds(static_cast<double>(nanoseconds) / kMilli);
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : format_percent(100 * static_cast<double>(part) / static_cast<double>(whole));
}

const LatencySpanView* span_of(const LatencyDetails& latency, std::string_view probe, std::string_view phase,
                               std::string_view span) {
  const auto found = std::ranges::find_if(latency.spans, [&](const LatencySpanView& each) {
    return each.probe == probe && each.phase == phase && each.span == span;
  });
  return found == latency.spans.end() ? nullptr : &*found;
}

// A cell of a span that may be absent; the member may be an optional.
template <class Member>
Cell figure(const LatencySpanView* span, Member LatencySpanView::* member) {
  if (span == nullptr) return {"-"};
  if constexpr (requires(const Member& value) { value.has_value(); }) {
    return {or_dash(span->*member, format_as_milliseconds)};
  } else {
    return {format_as_milliseconds(span->*member)};
  }
}

std::vector<Column> figure_columns() {
  return {{.title = "MIN", .right = true, .leaves = 2},   {.title = "P50", .right = true},
          {.title = "P90", .right = true, .leaves = 3},   {.title = "P99", .right = true},
          {.title = "P99.9", .right = true, .leaves = 1}, {.title = "MAX", .right = true},
          {.title = "MEAN", .right = true, .leaves = 4}};
}

void add_figures(Cells& cells, const LatencySpanView* span) {
  cells.push_back(figure(span, &LatencySpanView::min_ns));
  cells.push_back(figure(span, &LatencySpanView::p50_ns));
  cells.push_back(figure(span, &LatencySpanView::p90_ns));
  cells.push_back(figure(span, &LatencySpanView::p99_ns));
  cells.push_back(figure(span, &LatencySpanView::p999_ns));
  cells.push_back(figure(span, &LatencySpanView::max_ns));
  cells.push_back(figure(span, &LatencySpanView::mean_ns));
}

std::string phases_table(const Screen& screen, const LatencyDetails& latency) {
  std::vector<Cells> rows;
  std::string before;
  for (const LatencyPhaseView& phase : latency.phases) {
    const bool again = phase.probe == before;
    before = phase.probe;
    const Style style = phase.phase == "omitted" || phase.phase == "ending" ? Style::faint : Style::plain;
    Cells cells{{again ? "" : phase.probe, Style::strong},
                {phase.phase, style},
                {format_count(phase.sent), style},
                {share_text(phase.lost, phase.sent), style}};
    add_figures(cells, span_of(latency, phase.probe, phase.phase, "round-trip"));
    cells.push_back({or_dash(phase.jitter_ns, format_as_milliseconds)});
    cells.push_back({phase.reordered > 0 ? format_count(phase.reordered) : ""});
    cells.push_back({phase.duplicates > 0 ? format_count(phase.duplicates) : ""});
    cells.push_back({phase.late > 0 ? format_count(phase.late) : ""});
    cells.push_back({phase.missed > 0 ? format_count(phase.missed) : ""});
    for (Cell& cell : cells) {
      if (cell.style == Style::plain) cell.style = style;
    }
    rows.push_back(std::move(cells));
  }
  if (rows.empty()) return "No request was sent.\n";
  std::vector<Column> columns{{.title = "PROBE, ms", .shrink_to = 9},
                              {.title = "PHASE"},
                              {.title = "SENT", .right = true, .leaves = 5},
                              {.title = "LOST", .right = true}};
  for (Column& column : figure_columns()) columns.push_back(std::move(column));
  columns.push_back({.title = "JITTER", .right = true, .leaves = 2});
  for (const char* title : {"REORDERED", "TWICE", "LATE", "NOT SENT"}) {
    columns.push_back({.title = title, .right = true, .optional = true, .leaves = 1});
  }
  return render_table(screen, std::move(columns), std::move(rows));
}

// "udp: p99 under load less p50 idle is 12.3 ms"
std::string bloat_words(const LatencyDetails& latency) {
  std::vector<std::string> parts;
  for (const LatencyProbeView& probe : latency.probes) {
    const auto* idle = span_of(latency, probe.name, "idle", "round-trip");
    const auto* load = span_of(latency, probe.name, "load", "round-trip");
    if (idle == nullptr || load == nullptr || !idle->p50_ns || !load->p99_ns) continue;
    const double bloat = (static_cast<double>(*load->p99_ns) - static_cast<double>(*idle->p50_ns)) / kMilli;
    parts.push_back(fmt::format("{}{}{}", latency.probes.size() > 1 ? probe.name + " " : "",
                                bloat < 0 ? "-" : "+", format_milliseconds(std::abs(bloat))));
  }
  if (parts.empty()) return {};
  return fmt::format("{} (p99 under load less p50 idle)", fmt::join(parts, ", "));
}

std::string probe_words(const LatencyDetails& latency) {
  std::vector<std::string> parts;
  for (const LatencyProbeView& probe : latency.probes) {
    parts.push_back(fmt::format(
        "{}{} requests per second of {} bytes{}{}",
        probe.name == probe.protocol ? probe.protocol + " "
                                     : fmt::format("{} ({}) ", probe.name, probe.protocol),
        plain_number(probe.rate, 6), probe.length, probe.dscp ? fmt::format(", dscp {}", *probe.dscp) : "",
        probe.timestamps.empty() ? "" : fmt::format(", timed by the {}", probe.timestamps)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

// In each cell the longest round trip of the intervals at it: an interval rarely has the thousand answers
// that its 99th percentile needs.
TimeCells latency_cells(const TimeAxis& axis, const LatencyDetails& latency, const std::string& probe) {
  TimeCells cells(axis.cells);
  const double width = axis.end_s / static_cast<double>(axis.cells);
  double longest = 0;
  for (const LatencyIntervalView& interval : latency.intervals)
    longest = std::max(longest, interval.end_s - interval.start_s);
  for (const LatencyIntervalView& interval : latency.intervals) {
    const bool leftover = interval.end_s - interval.start_s < longest / 4;
    if (interval.probe != probe || !interval.max_ns || leftover) continue;
    for (std::size_t i = 0; i < axis.cells; ++i) {
      const double middle = (static_cast<double>(i) + 0.5) * width;
      if (middle < interval.start_s || middle >= interval.end_s) continue;
      cells[i] = std::max(cells[i].value_or(0), static_cast<double>(*interval.max_ns));
    }
  }
  return cells;
}

// "idle  |load          |after": each name where its phase begins.
std::string phase_ruler(const TimeAxis& axis, const LatencyDetails& latency) {
  std::string line(axis.cells, ' ');
  const std::string& first = latency.probes.front().name;
  for (const LatencyPhaseView& phase : latency.phases) {
    if (phase.probe != first || axis.end_s <= 0) continue;
    const auto cell_at = [&](double time) {
      return std::min(axis.cells,
                      static_cast<std::size_t>(time / axis.end_s * static_cast<double>(axis.cells)));
    };
    const std::size_t from = cell_at(phase.start_s), to = cell_at(phase.end_s);
    const std::string name = (from == 0 ? "" : "|") + phase.phase;
    if (from < to) line.replace(from, std::min(to - from, name.size()), name.substr(0, to - from));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// The most bytes that a queue held at a sample within a cell. A cell without a sample has those of the last
// one before it, but nothing is known of the time after the last sample.
TimeCells backlog_cells(const TimeAxis& axis, const std::vector<const QueueSampleView*>& samples) {
  TimeCells cells(axis.cells);
  const auto cell_at = [&](double time) {
    return static_cast<std::size_t>(std::max(0.0, time) / axis.end_s * static_cast<double>(axis.cells));
  };
  std::size_t known = 0;
  double last = 0;
  for (std::size_t i = 0; i < samples.size() && samples[i]->time_s < axis.end_s; ++i) {
    const std::size_t cell = std::min(axis.cells - 1, cell_at(samples[i]->time_s));
    for (std::size_t between = known + 1; i > 0 && between < cell; ++between) cells[between] = last;
    last = static_cast<double>(samples[i]->backlog_bytes);
    cells[cell] = std::max(cells[cell].value_or(0), last);
    known = cell;
  }
  return cells;
}

// "backlog eth0": a row for each device with a queue. Its root counts what its children hold.
void add_backlogs(const Screen& screen, const TimeAxis& axis, const ShowView& view,
                  std::vector<Cells>& rows) {
  if (!view.counters) return;
  std::vector<std::pair<std::string, std::vector<const QueueSampleView*>>> devices;
  for (const QueueSampleView& sample : view.counters->queues) {
    if (sample.parent != "root") continue;
    const std::string name = sample.device + (sample.netns ? "@" + *sample.netns : "");
    auto device = std::ranges::find(devices, name, [](const auto& each) { return each.first; });
    if (device == devices.end()) device = devices.insert(device, {name, {}});
    device->second.push_back(&sample);
  }
  for (const auto& [name, samples] : devices) {
    const TimeCells cells = backlog_cells(axis, samples);
    const auto most = highest_of(cells);
    if (!most) continue;
    rows.push_back({{"backlog " + name},
                    {format_bytes(static_cast<std::uint64_t>(*most))},
                    {draw_cells(screen, cells, Zero::glyph)}});
  }
}

// A row for each probe, above them one of the throughput, and below them one for each queue.
std::string timeline_table(const Screen& screen, const ShowView& view) {
  const LatencyDetails& latency = *view.latency;
  TimeAxis axis;
  constexpr std::size_t kMostCells = 40;
  for (const LatencyIntervalView& interval : latency.intervals)
    axis.end_s = std::max(axis.end_s, interval.end_s);
  if (!screen.glyphs || latency.intervals.size() < 2 || axis.end_s <= 0) return {};
  axis.cells = std::min(kMostCells, screen.width.value_or(120) / 2);
  std::vector<Cells> rows;
  for (const SumView& sum : view.details.sums) {
    const TimeCells cells = rate_cells(axis, view, sum.direction, false);
    const TimeCells sent = highest_of(cells) ? cells : rate_cells(axis, view, sum.direction, true);
    const std::string picture = draw_cells(screen, sent, Zero::glyph);
    if (picture.empty()) continue;
    const bool both = view.details.sums.size() > 1;
    rows.push_back({{both && sum.direction == Direction::receive ? "to client"
                     : both                                      ? "to server"
                                                                 : "throughput"},
                    {or_dash(highest_of(sent), format_rate)},
                    {picture}});
  }
  for (const LatencyProbeView& probe : latency.probes) {
    const TimeCells cells = latency_cells(axis, latency, probe.name);
    const auto most = highest_of(cells);
    if (!most) continue;
    rows.push_back({{probe.name + " max"},
                    {format_milliseconds(*most / kMilli)},
                    {draw_cells(screen, cells, Zero::glyph)}});
  }
  add_backlogs(screen, axis, view, rows);
  rows.push_back({{""}, {""}, {phase_ruler(axis, latency), Style::faint}});
  return render_table(screen,
                      {{.title = "OVER TIME", .shrink_to = 12},
                       {.title = "MOST", .right = true},
                       {.title = "0 to " + format_seconds(axis.end_s)}},
                      std::move(rows));
}

std::string spans_table(const Screen& screen, const LatencyDetails& latency) {
  std::vector<Cells> rows;
  for (const LatencySpanView& span : latency.spans) {
    Cells cells{{span.probe, Style::strong}, {span.phase}, {span.span}, {format_count(span.count)}};
    add_figures(cells, &span);
    rows.push_back(std::move(cells));
  }
  if (rows.empty()) return "No answer came.\n";
  std::vector<Column> columns{{.title = "PROBE, ms", .shrink_to = 9},
                              {.title = "PHASE"},
                              {.title = "PART OF THE WAY"},
                              {.title = "COUNT", .right = true, .leaves = 5}};
  for (Column& column : figure_columns()) columns.push_back(std::move(column));
  return render_table(screen, std::move(columns), std::move(rows));
}

std::string latency_intervals_table(const Screen& screen, const LatencyDetails& latency) {
  std::vector<Cells> rows;
  for (const LatencyIntervalView& interval : latency.intervals) {
    rows.push_back({{fmt::format("{:.2f}-{:.2f}", interval.start_s, interval.end_s)},
                    {interval.probe},
                    {interval.phase},
                    {format_count(interval.sent)},
                    {share_text(interval.lost, interval.sent)},
                    {or_dash(interval.min_ns, format_as_milliseconds)},
                    {or_dash(interval.p50_ns, format_as_milliseconds)},
                    {or_dash(interval.p99_ns, format_as_milliseconds)},
                    {or_dash(interval.max_ns, format_as_milliseconds)},
                    {interval.missed > 0 ? format_count(interval.missed) : ""}});
  }
  if (rows.empty()) return {};
  return "\n" + render_table(screen,
                             {{.title = "SECONDS", .right = true},
                              {.title = "PROBE", .shrink_to = 9},
                              {.title = "PHASE"},
                              {.title = "SENT", .right = true},
                              {.title = "LOST", .right = true},
                              {.title = "MIN ms", .right = true},
                              {.title = "P50", .right = true},
                              {.title = "P99", .right = true},
                              {.title = "MAX", .right = true},
                              {.title = "NOT SENT", .right = true, .optional = true}},
                             std::move(rows));
}

}  // namespace

std::string latency_words(const RunView& run) {
  if (!run.latency_p50_ns) return {};
  std::string text = "p50 " + in_ms(*run.latency_p50_ns);
  if (run.latency_p99_ns) text += ", p99 " + in_ms(*run.latency_p99_ns);
  if (run.latency_lost_percent.value_or(0) > 0)
    text += fmt::format(", {} lost", format_percent(*run.latency_lost_percent));
  return text + (run.latency_phase == "load" ? " under load" : "");
}

std::string latency_part(const Screen& screen, const ShowView& view) {
  if (!view.latency || view.latency->probes.empty()) return {};
  const LatencyDetails& latency = *view.latency;
  const Screen beside = narrower(screen, kIndent);
  std::string text = "\n" + field(screen, "latency", probe_words(latency));
  if (const std::string bloat = bloat_words(latency); !bloat.empty()) text += field(screen, "bloat", bloat);
  text += indented(phases_table(beside, latency), kIndent);
  if (const std::string timeline = timeline_table(beside, view); !timeline.empty())
    text += "\n" + indented(timeline, kIndent);
  return text;
}

std::string latency_lists(const Screen& screen, const ShowView& view) {
  if (!view.list_latency) return {};
  if (!view.latency) return "\nThis run had no probes.\n";
  const Screen beside = narrower(screen, kIndent);
  return "\n" + indented(spans_table(beside, *view.latency), kIndent) +
         indented(latency_intervals_table(beside, *view.latency), kIndent);
}

}  // namespace netperfctl::show
