// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "client/pages/workload/workload.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

// A stretch of time with a rate that holds for all of it.
struct Stretch {
  double start_s = 0, end_s = 0, rate = 0;
  double longest_s = 0;  // of the intervals in it
};

// iperf3 begins to count anew when the omitted part is over. With probes, it starts later than the run.
double release_offset(const ShowView& view, bool omitted) {
  const std::string_view phase = omitted ? "omitted" : "load";
  if (view.latency) {
    const auto found = std::ranges::find(view.latency->phases, phase, &LatencyPhaseView::phase);
    if (found != view.latency->phases.end()) return found->start_s;
  }
  return omitted ? 0 : view.details.run.omit_s.value_or(0);
}

// Sums of a direction, without a last leftover of a millisecond whose rate says nothing.
std::vector<Stretch> stretches_of(const ShowView& view, std::optional<Direction> direction,
                                  std::optional<bool> sender) {
  double longest = 0;
  const double load = release_offset(view, false);
  const double omitted = release_offset(view, true);
  std::vector<Stretch> stretches;
  for (const IntervalPointView& point : view.over_time.points) {
    if ((direction && point.direction != direction) || (sender && point.sender != sender)) continue;
    if (!point.bits_per_second) continue;
    const double offset = point.omitted ? omitted : load;
    stretches.push_back(
        {point.start_s + offset, point.end_s + offset, *point.bits_per_second, point.longest_s});
    longest = std::max(longest, point.longest_s);
  }
  std::erase_if(stretches, [longest](const Stretch& s) { return s.longest_s < longest / 2; });
  return stretches;
}

// The mean rate of each cell over that part of it which the stretches cover.
TimeCells mean_cells(const TimeAxis& axis, std::span<const Stretch> stretches) {
  std::vector<double> amount(axis.cells);
  std::vector<double> covered(axis.cells);
  const double width = axis.end_s / static_cast<double>(axis.cells);
  for (const Stretch& stretch : stretches) {
    const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(stretch.start_s / width)));
    for (std::size_t i = first; i < axis.cells; ++i) {
      const double start = static_cast<double>(i) * width;
      if (start >= stretch.end_s) break;
      const double overlap = std::min(stretch.end_s, start + width) - std::max(stretch.start_s, start);
      if (overlap <= 0) continue;
      amount[i] += overlap * stretch.rate;
      covered[i] += overlap;
    }
  }
  TimeCells cells(axis.cells);
  for (std::size_t i = 0; i < axis.cells; ++i) {
    // What rounding leaves of a neighbour is no value of its own.
    if (covered[i] > width / 1000) cells[i] = amount[i] / covered[i];
  }
  return cells;
}

// How long a run that was only watched went on.
std::optional<double> watched_s(const RunView& run) {
  if (!page_of(run).until_stopped || !run.started_us || !run.ended_us || *run.ended_us <= *run.started_us)
    return {};
  return static_cast<double>(*run.ended_us - *run.started_us) / 1e6;
}

// As far as any event or mark of the trace.
double end_of(const TraceDetails& details) {
  double end_s = 0;
  for (const TraceEventView& event : details.events) {
    if (!event.slices) continue;
    end_s = std::max(end_s, details.trace.slice_s.value_or(0) * static_cast<double>(event.slices->size()));
  }
  for (const MarkView& mark : details.marks) end_s = std::max(end_s, mark.time_s.value_or(0));
  return end_s;
}

}  // namespace

TimeAxis time_axis(const ShowView& view, std::size_t most_cells) {
  TimeAxis axis;
  std::size_t finest = 0;
  std::size_t slices = 0;
  double interval_s = 0;
  for (const Stretch& stretch : stretches_of(view, std::nullopt, std::nullopt)) {
    axis.end_s = std::max(axis.end_s, stretch.end_s);
    interval_s = std::max(interval_s, stretch.longest_s);
  }
  const bool has_intervals = axis.end_s > 0 && interval_s > 0;
  if (has_intervals) finest = static_cast<std::size_t>(std::lround(axis.end_s / interval_s));
  if (view.trace) {
    const double slice_s = view.trace->trace.slice_s.value_or(0);
    const std::optional<double> watched = watched_s(view.details.run);
    if (!has_intervals) axis.end_s = watched ? *watched : end_of(*view.trace);
    if (slice_s > 0) slices = static_cast<std::size_t>(std::lround(axis.end_s / slice_s));
    finest = std::max(finest, slices);
    // A cell a slice: their edges are to meet, or a cell shows a sliver of its neighbour.
    if (slices > 0 && finest == slices && slices <= most_cells) {
      axis.end_s = slice_s * static_cast<double>(slices);
    }
  }
  if (axis.end_s > 0) axis.cells = std::min(most_cells, std::max<std::size_t>(finest, 1));
  return axis;
}

TimeCells rate_cells(const TimeAxis& axis, const ShowView& view, Direction direction, bool sender) {
  return mean_cells(axis, stretches_of(view, direction, sender));
}

SliceTime slice_time(const TraceDetails& details) {
  SliceTime time{.slice_s = details.trace.slice_s.value_or(0)};
  const bool damaged =
      std::ranges::any_of(details.cpus, [](const TraceCpuView& cpu) { return cpu.damaged.value_or(0) > 0; });
  time.gaps = damaged || !details.trace.lost || *details.trace.lost > 0;
  if (details.trace.broken.value_or("").empty()) return time;
  // The record does not say when it broke; the last event is the last moment of which something is known.
  time.known_to_s = 0;
  for (const TraceEventView& event : details.events) {
    if (!event.slices) continue;
    time.known_to_s = std::max(time.known_to_s, time.slice_s * static_cast<double>(event.slices->size()));
  }
  return time;
}

TimeCells event_cells(const TimeAxis& axis, std::span<const std::uint64_t> slices, const SliceTime& time) {
  const double slice_s = time.slice_s;
  if (slice_s <= 0) return TimeCells(axis.cells);
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const double start = static_cast<double>(i) * slice_s;
    stretches.push_back({start, start + slice_s, static_cast<double>(slices[i]) / slice_s, slice_s});
  }
  // Slices of nothing at the end are left out of the record, and known all the same.
  const double end = static_cast<double>(slices.size()) * slice_s;
  const double known_to_s = std::min(axis.end_s, time.known_to_s);
  if (end < known_to_s) stretches.push_back({end, known_to_s, 0, slice_s});
  TimeCells cells = mean_cells(axis, stretches);
  for (auto& cell : cells) {
    if (time.gaps && cell && *cell <= 0) cell.reset();
  }
  return cells;
}

std::optional<double> busiest_second(const TimeAxis& axis, std::span<const std::uint64_t> slices,
                                     const SliceTime& time) {
  if (time.slice_s <= 0) return {};
  // The least number of slices that make a second; a hair less than a whole number is that number.
  const auto window = static_cast<std::size_t>(std::max(1.0, std::ceil((1 / time.slice_s) - 1e-6)));
  std::uint64_t sum = 0;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    sum += slices[i];
    if (i >= window) sum -= slices[i - window];
    most = std::max(most, sum);
  }
  double seconds = time.slice_s * static_cast<double>(window);
  if (axis.end_s > 0) seconds = std::min(seconds, axis.end_s);
  return static_cast<double>(most) / seconds;
}

std::optional<double> highest_of(const TimeCells& cells) {
  // An unknown cell is less than any other.
  const auto highest = std::ranges::max_element(cells);
  return highest == cells.end() ? std::nullopt : *highest;
}

std::string draw_cells(const Screen& screen, const TimeCells& cells, Zero zero) {
  const auto highest = highest_of(cells);
  if (!screen.glyphs || !highest) return {};
  std::string line;
  std::string blanks;
  for (const auto& cell : cells) {
    if (!cell) {
      blanks += ' ';
      continue;
    }
    line += blanks;
    blanks.clear();
    const bool none = zero == Zero::dot && *cell <= 0;
    line += none ? "·" : spark(*highest > 0 ? *cell / *highest : 0);
  }
  return line;
}

char mark_letter(std::size_t index) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  return index < kLetters.size() ? kLetters[index] : '*';
}

std::string draw_marks(const TimeAxis& axis, std::span<const MarkView> marks) {
  std::string line(axis.cells, ' ');
  std::size_t users = 0;
  for (const MarkView& mark : marks) {
    const bool user = mark.user.value_or(false);
    const char sign = user ? mark_letter(users) : '|';
    users += user ? 1 : 0;
    if (!mark.time_s || *mark.time_s < 0 || axis.cells == 0) continue;
    const double place = *mark.time_s / axis.end_s * static_cast<double>(axis.cells);
    if (place >= static_cast<double>(axis.cells) + 1) continue;
    char& cell = line[std::min(axis.cells - 1, static_cast<std::size_t>(place))];
    // A mark of netperfd's own gives way to a user's.
    cell = cell == ' ' || cell == '|' ? sign : sign == '|' ? cell : '+';
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace netperfctl
