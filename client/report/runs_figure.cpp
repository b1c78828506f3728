// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "client/pages/slots.hpp"
#include "client/report/pictures.hpp"
#include "client/terminal/units.hpp"
#include "client/terminal/xml.hpp"

namespace netperfctl::report {
namespace {

constexpr double kRunsHeight = 220;
constexpr double kMissed = kRunsHeight + 12;  // below the scale: runs without a figure
constexpr std::size_t kRateTicks = 6;

bool is_traced(const RunView& run) {
  return run.traced.value_or(run.trace_events.has_value());
}

// Where everything stands.
struct Scale {
  Axis rate;
  RateUnit unit;
  std::size_t runs = 0;

  [[nodiscard]] std::string x(std::size_t place) const {
    return fmt::format("{:.4g}%", (static_cast<double>(place) + 0.5) * 100 / static_cast<double>(runs));
  }
  // Smaller where many stand close together.
  [[nodiscard]] double radius() const { return runs > 60 ? kMarkRadius * 2 / 3 : kMarkRadius; }
  [[nodiscard]] double y(double bits_per_second) const {
    return kRunsHeight * (1 - rate.place(bits_per_second / unit.bits_per_second));
  }
};

std::string words_of(const SidedRun& row) {
  const RunView& run = row.run;
  std::string text = fmt::format("run {}", run.run);
  const std::string slot = slot_words(run);
  if (!slot.empty()) {
    text += ", " + slot;
  } else if (row.side) {
    text += fmt::format(", {}", *row.side);
  }
  return text + ": " +
         (run.received_bits_per_second ? format_rate(*run.received_bits_per_second)
                                       : run.state.value_or("not known"));
}

std::string mark(const Scale& scale, const SidedRun& row, std::size_t place) {
  const std::string x = scale.x(place);
  const auto& rate = row.run.received_bits_per_second;
  const std::string shape =
      rate ? side_mark(row.side, is_traced(row.run), x, scale.y(*rate), scale.radius())
           : fmt::format("<text class=\"missed\" x=\"{}\" y=\"{:.0f}\">\u00d7</text>", x, kMissed + 5);
  return fmt::format("<g><title>{}</title>{}</g>\n", xml(words_of(row)), shape);
}

// Runs of a block of the same kind, plain or traced, with lines from one to the next.
std::string joins(const Scale& scale, const std::vector<SidedRun>& runs) {
  std::map<std::pair<std::uint32_t, bool>, std::size_t> last;
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunView& run = runs[i].run;
    if (!run.block || !run.received_bits_per_second) continue;
    const auto [before, is_first] = last.try_emplace({*run.block, is_traced(run)}, i);
    if (is_first) continue;
    text += fmt::format("<line class=\"block\" x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\"/>\n",
                        scale.x(before->second), scale.y(*runs[before->second].run.received_bits_per_second),
                        scale.x(i), scale.y(*run.received_bits_per_second));
    before->second = i;
  }
  return text;
}

std::string vertical_axis(const Axis& axis) {
  std::string text;
  for (const double tick : axis.ticks) {
    const double y = kRunsHeight * (1 - axis.place(tick));
    text += fmt::format("<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>", y);
    text += fmt::format("<text class=\"tick left\" x=\"-6\" y=\"{:.1f}\">{}</text>", y + 4,
                        tick_text(axis, tick));
  }
  return text;
}

// Numbers of runs, as many as a phone has room for.
std::string numbers(const Scale& scale, const std::vector<SidedRun>& runs) {
  constexpr std::size_t kMost = 6;
  const std::size_t step = (runs.size() + kMost - 1) / kMost;
  std::string text;
  for (std::size_t i = 0; i < runs.size(); i += step)
    text += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{:.0f}\">{}</text>", scale.x(i), kMissed + 22,
                        runs[i].run.run);
  return text;
}

std::string legend(const std::vector<SidedRun>& runs) {
  std::map<std::pair<char, bool>, std::string> kinds;
  bool sides = false;
  bool both = false;
  for (const SidedRun& row : runs) {
    kinds[{row.side.value_or(' '), is_traced(row.run)}] = row.run.variant.value_or("");
    sides = sides || row.side.has_value();
    both = both || is_traced(row.run) != is_traced(runs.front().run);
  }
  if (!sides && !both) return {};
  std::string text = "<p class=\"legend\">";
  for (const auto& [kind, name] : kinds) {
    std::string words = kind.first == ' ' ? sides ? "on no side" : "" : side_words(kind.first, name);
    if (both) words += fmt::format("{}{}", words.empty() ? "" : ", ", kind.second ? "traced" : "plain");
    const auto side = kind.first == ' ' ? std::optional<char>{} : kind.first;
    text += fmt::format("<span><svg width=\"16\" height=\"16\">{}</svg>{}</span> ",
                        side_mark(side, kind.second, "8", 8), xml(words));
  }
  return text + "</p>\n";
}

std::string caption_of(const Scale& scale, const std::vector<SidedRun>& runs, bool joined) {
  std::string text = fmt::format(
      "Received, in {}, by run, in the order in which they were measured. The scale is "
      "from {} to {}.",
      scale.unit.name, tick_text(scale.rate, scale.rate.low), tick_text(scale.rate, scale.rate.high));
  if (joined) text += " A line joins the runs of a block.";
  const auto missed =
      std::ranges::count_if(runs, [](const SidedRun& row) { return !row.run.received_bits_per_second; });
  if (missed > 0)
    text += fmt::format(" \u00d7, below the scale: {} without a figure.",
                        plural(static_cast<std::uint64_t>(missed), "run"));
  return text;
}

}  // namespace

std::string runs_figure(const std::vector<SidedRun>& runs) {
  std::vector<double> rates;
  for (const SidedRun& row : runs) {
    if (row.run.received_bits_per_second) rates.push_back(*row.run.received_bits_per_second);
  }
  if (rates.empty()) return {};
  const auto [low, high] = std::ranges::minmax(rates);
  Scale scale;
  scale.unit = rate_unit(high);
  scale.rate = axis_for_dots(low / scale.unit.bits_per_second, high / scale.unit.bits_per_second, kRateTicks);
  scale.runs = runs.size();
  const std::string joined = joins(scale, runs);
  std::string text = vertical_axis(scale.rate) + joined;
  for (std::size_t i = 0; i < runs.size(); ++i) text += mark(scale, runs[i], i);
  return figure(caption_of(scale, runs, !joined.empty()),
                legend(runs) + drawing("plot", kMissed + 28, text + numbers(scale, runs)));
}

}  // namespace netperfctl::report
