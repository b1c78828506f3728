// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "client/pages/timeline.hpp"
#include "client/report/pictures.hpp"
#include "client/rows/trace_rows.hpp"
#include "client/terminal/units.hpp"
#include "client/terminal/xml.hpp"

namespace netperfctl::report {
namespace {

constexpr std::size_t kMostCells = 240;
constexpr std::size_t kMostEvents = 12;
constexpr double kRateHeight = 110, kEventHeight = 34;
constexpr std::size_t kTimeTicks = 7;

// Cells as one path in a box of 1 by 1 that is stretched: steps, broken where nothing is known.
std::string path_of(const TimeCells& cells, double highest, bool filled) {
  std::string path;
  bool open = false;
  const auto close = [&](double x) {
    if (open && filled) path += fmt::format("L{:.5g} 1Z", x);
    open = false;
  };
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double left = static_cast<double>(i) / static_cast<double>(cells.size());
    const double right = static_cast<double>(i + 1) / static_cast<double>(cells.size());
    if (!cells[i]) {
      close(left);
      continue;
    }
    const double y = highest > 0 ? 1 - std::clamp(*cells[i] / highest, 0.0, 1.0) : 1;
    if (!open)
      path += filled ? fmt::format("M{:.5g} 1L{:.5g} {:.4g}", left, left, y)
                     : fmt::format("M{:.5g} {:.4g}", left, y);
    if (open) path += fmt::format("L{:.5g} {:.4g}", left, y);
    path += fmt::format("L{:.5g} {:.4g}", right, y);
    open = true;
  }
  close(1);
  return path;
}

class TimePicture {
 public:
  TimePicture(const ShowView& view, TimeAxis cells) : view_{view}, cells_{cells} {
    time_ = {.low = 0, .high = cells.end_s, .ticks = nice_ticks(0, cells.end_s, kTimeTicks)};
  }

  [[nodiscard]] std::string text() {
    for (const SumView& sum : view_.details.sums) add_rate(sum);
    if (view_.trace) add_events();
    if (!drawn_) return {};
    text_ += drawing("plot", 20, horizontal_axis(time_, 0, 4, " s"));
    return text_;
  }

 private:
  void add_rate(const SumView& sum) {
    for (const bool sender : {false, true}) {
      const TimeCells cells = rate_cells(cells_, view_, sum.direction, sender);
      const auto highest = highest_of(cells);
      if (!highest) continue;
      const RateUnit unit = rate_unit(*highest);
      const Axis axis = linear_axis(0, *highest > 0 ? *highest / unit.bits_per_second : 1, 4);
      std::string text;
      for (const double tick : axis.ticks) {
        const double y = kRateHeight * (1 - axis.place(tick));
        text += fmt::format(
            "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>"
            "<text class=\"tick left\" x=\"-6\" y=\"{1:.1f}\">{2}</text>",
            y, y + 4, tick_text(axis, tick));
      }
      const bool back = sum.direction == Direction::receive;
      const char* direction = view_.details.sums.size() < 2 ? ""
                              : back                        ? ", from the server"
                                                            : ", to the server";
      add(fmt::format("{}, in {}{}", sender ? "sent" : "received", unit.name, direction), kRateHeight, text,
          path_of(cells, axis.high * unit.bits_per_second, false), "rate");
      return;
    }
  }

  void add_events() {
    const SliceTime slices = slice_time(*view_.trace);
    std::size_t shown = 0;
    for (const TraceEventView& event : view_.trace->events) {
      if (!event.slices ||
          (view_.functions && is_call_event(event.event) && &event != calls_of(view_.trace->events)))
        continue;
      if (++shown > kMostEvents) break;
      const TimeCells cells = event_cells(cells_, *event.slices, slices);
      const auto most = busiest_second(cells_, *event.slices, slices);
      const std::string name = is_call_event(event.event) && view_.functions ? "calls" : event.event;
      add(fmt::format("{}: {} in all, at most {} per second; from zero to the most", name,
                      or_dash(event.count, format_count), or_dash(most, format_short)),
          kEventHeight, "", path_of(cells, highest_of(cells).value_or(0), true), "event");
    }
  }

  void add(const std::string& words, double height, std::string_view below, const std::string& path,
           std::string_view css) {
    drawn_ = true;
    text_ += element("p", words, "strip");
    text_ += drawing("plot", height,
                     fmt::format("{}<svg width=\"100%\" height=\"100%\" viewBox=\"0 0 1 1\" "
                                 "preserveAspectRatio=\"none\"><path class=\"{}\" d=\"{}\"/></svg>{}",
                                 below, css, path, marks(height)));
  }

  [[nodiscard]] std::string marks(double height) const {
    if (!view_.trace) return {};
    std::string text;
    std::size_t users = 0;
    for (const MarkView& mark : view_.trace->marks) {
      const bool user = mark.user.value_or(false);
      const char letter = user ? mark_letter(users) : '|';
      users += user ? 1 : 0;
      if (!mark.time_s || *mark.time_s < 0 || *mark.time_s > cells_.end_s) continue;
      text += fmt::format("<line class=\"{0}\" x1=\"{1}\" x2=\"{1}\" y1=\"0\" y2=\"{2:.0f}\"/>",
                          user ? "mark" : "own mark", time_.at(*mark.time_s), height);
      if (user && height == kRateHeight)
        text += fmt::format("<text class=\"tick\" x=\"{}\" y=\"11\" dx=\"7\">{}</text>",
                            time_.at(*mark.time_s), letter);
    }
    return text;
  }

  const ShowView& view_;
  TimeAxis cells_;
  Axis time_;
  std::string text_;
  bool drawn_ = false;
};

}  // namespace

std::string time_figure(const ShowView& view) {
  const TimeAxis cells = time_axis(view, kMostCells);
  if (cells.cells == 0) return {};
  const std::string text = TimePicture{view, cells}.text();
  if (text.empty()) return {};
  std::string caption =
      "Over time, from the client's release, with the omitted part; each scale begins at zero.";
  if (view.trace && !view.trace->marks.empty())
    caption += " Dotted lines are marks: of users with a letter, of netperfd without.";
  return figure(caption, text);
}

}  // namespace netperfctl::report
