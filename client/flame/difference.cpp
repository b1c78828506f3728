// SPDX-License-Identifier: GPL-2.0-or-later
// The differential flame graph.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "client/flame/graph.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"
#include "dbus/rows/found.hpp"

namespace netperfctl::flame {
namespace {

constexpr double kWholeWidth = 1e6;    // of the picture, whose boxes have whole numbers
constexpr double kFewestDigits = 0.1;  // below it format_figure() has too few of them
constexpr double kNsPerMs = 1e6;

// What is unknown, or no time at all, has no width.
double time_of(const std::optional<double>& ns) {
  constexpr double kLongest = 1e18;
  return ns && *ns > 0 && *ns < kLongest ? *ns : 0;
}

bool is_found(const ComparedFrameView& frame) {
  const double shift = frame.shift.value_or(0);
  return std::isfinite(shift) && shift != 0 &&
         netperfd::rows::is_found(
             {.shift = frame.shift, .low = frame.low, .high = frame.high, .p_adjusted = frame.p_adjusted});
}

// As far apart as the difference, if the frame was tested: the means over the runs need not be.
double level_a(const ComparedFrameView& frame) {
  return frame.cost_a.value_or(frame.total_a.value_or(0));
}

double level_b(const ComparedFrameView& frame) {
  return frame.cost_b.value_or(frame.total_b.value_or(0));
}

// How CPU time per unit of work is written.
class Scale {
 public:
  explicit Scale(const ComparedSamplesView& samples)
      : of_(printable(samples.unit.value_or("byte"))), per_second_(of_ == "second") {}

  [[nodiscard]] std::string unit() const { return fmt::format("{} a {}", per_second_ ? "ms" : "ns", of_); }
  [[nodiscard]] std::string work() const { return of_ == "byte" ? "byte of goodput" : of_; }
  [[nodiscard]] std::string words(double ns) const {
    const double value = per_second_ ? ns / kNsPerMs : ns;
    if (value != 0 && std::abs(value) < kFewestDigits) return fmt::format("{:.4f}", value);
    return format_figure(value);
  }
  [[nodiscard]] std::string signed_words(double ns) const {
    return (ns < 0 ? "-" : "+") + words(std::abs(ns));
  }

 private:
  std::string of_;
  bool per_second_;
};

// "hsr_xmit [hsr]"
std::string label_of(const ComparedFrameView& frame) {
  const std::string module = printable(frame.module.value_or(""));
  return printable(frame.name) + (module.empty() ? "" : fmt::format(" [{}]", module));
}

std::string change_words(const ComparedFrameView& frame, const Scale& scale) {
  if (!frame.shift) return "not tested: less than 1 % of the samples";
  std::string text = fmt::format("{} {}", scale.signed_words(*frame.shift), scale.unit());
  if (!frame.p_adjusted || !frame.low || !frame.high) return text + ", not tested: too few runs";
  text += fmt::format(" ({} to {}, p adj. {})", scale.signed_words(*frame.low),
                      scale.signed_words(*frame.high), format_probability(*frame.p_adjusted));
  if (!is_found(frame)) return text + ": no difference beyond chance";
  return text + (*frame.shift > 0 ? ": more in B" : ": less in B");
}

std::string figures_of(const ComparedFrameView& frame, const Scale& scale) {
  return fmt::format("{}\nA {}, B {} {}, from {} and {}\nin it alone: A {}, B {}", change_words(frame, scale),
                     scale.words(level_a(frame)), scale.words(level_b(frame)), scale.unit(),
                     plural(frame.samples_a.value_or(0), "sample"),
                     plural(frame.samples_b.value_or(0), "sample"), scale.words(frame.self_a.value_or(0)),
                     scale.words(frame.self_b.value_or(0)));
}

// compare's functions are per byte: none of them fits a picture of another unit.
std::span<const FoundFunction> functions_of(const ComparedStacks& stacks) {
  if (stacks.samples.unit.value_or("") != "byte") return {};
  return stacks.functions;
}

// The difference of its function over all places, if `compare` shows one: each place may be sampled too
// seldom.
std::optional<double> sum_of(const ComparedStacks& stacks, const ComparedFrameView& frame) {
  const auto functions = functions_of(stacks);
  const auto function = std::ranges::find_if(functions, [&](const FoundFunction& each) {
    return each.name == frame.name && each.module == frame.module.value_or("");
  });
  if (function == functions.end()) return std::nullopt;
  return function->shift;
}

constexpr Colour kUnchanged{0, 0, 85};

// The deeper, the larger the change is, on one scale for the picture.
Colour colour_of(double shift, double largest) {
  constexpr std::uint32_t kMore = 0, kLess = 225, kVivid = 85;
  constexpr double kPalest = 92, kRange = 28;
  const double strength = std::abs(shift) / largest;
  return {shift > 0 ? kMore : kLess, kVivid, static_cast<std::uint32_t>(kPalest - kRange * strength)};
}

// `largest`: of all differences that are shown; 0: none is.
Box box_of(const ComparedStacks& stacks, const ComparedFrameView& frame, const Scale& scale, double largest) {
  Box box{.label = label_of(frame), .figures = figures_of(frame, scale), .colour = kUnchanged};
  if (largest > 0 && is_found(frame)) {
    box.mark = Mark::coloured;
    box.colour = colour_of(*frame.shift, largest);
    box.number = scale.signed_words(*frame.shift);
  } else if (const auto sum = sum_of(stacks, frame)) {
    box.mark = Mark::outlined;
    box.number = "\u03A3" + scale.signed_words(*sum);
    box.figures +=
        fmt::format("\nits function alone, over all places: {} {}", scale.signed_words(*sum), scale.unit());
  }
  return box;
}

// A frame is as wide as its own time on the side that takes more of it, and all that stands on it. So nothing
// is without a width, and what both sides share stands side by side.
struct Position {
  std::optional<std::size_t> below;  // the frame that it stands on
  std::uint32_t depth = 0;
  double own = 0, width = 0, left = 0;
};

std::vector<Position> positions_of(const std::vector<ComparedFrameView>& frames) {
  std::vector<Position> positions(frames.size());
  std::vector<std::array<double, 2>> within(frames.size());  // what the frames above take
  std::vector<std::size_t> path;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    path.resize(std::min<std::size_t>(path.size(), i == 0 ? 0 : std::max(1U, frames[i].depth)));
    if (!path.empty()) {
      positions[i].below = path.back();
      within[path.back()][0] += time_of(frames[i].total_a);
      within[path.back()][1] += time_of(frames[i].total_b);
    }
    positions[i].depth = static_cast<std::uint32_t>(path.size());
    path.push_back(i);
  }
  for (std::size_t i = frames.size(); i-- > 0;) {
    // With the thin frames above it that have no row.
    positions[i].own =
        std::max({0.0, time_of(frames[i].total_a) - within[i][0], time_of(frames[i].total_b) - within[i][1]});
    positions[i].width += positions[i].own;
    if (positions[i].below) positions[*positions[i].below].width += positions[i].width;
  }
  std::vector<double> next(frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (positions[i].below) {
      positions[i].left = next[*positions[i].below];
      next[*positions[i].below] += positions[i].width;
    }
    next[i] = positions[i].left;
  }
  return positions;
}

std::string side_words(const char* name, const std::string& words,
                       const std::optional<std::vector<std::uint64_t>>& runs,
                       const std::optional<std::vector<std::uint64_t>>& not_sampled) {
  std::string text = fmt::format("{}: {}, {}.", name, words, plural(runs ? runs->size() : 0, "sampled run"));
  if (not_sampled && !not_sampled->empty())
    text += fmt::format(" Left out, without samples: {}.", plural(not_sampled->size(), "run"));
  return text;
}

void add_notes(Picture& picture, const ComparedStacks& stacks, const Scale& scale) {
  const ComparedSamplesView& samples = stacks.samples;
  picture.notes.push_back(side_words("A", stacks.words_a, samples.runs_a, samples.not_sampled_a));
  picture.notes.push_back(side_words("B", stacks.words_b, samples.runs_b, samples.not_sampled_b));
  picture.notes.emplace_back(
      stacks.host ? "All tasks of the host, except for idle time."
                  : "The workload's processes, and what CPUs did for packets in softirqs whatever task they "
                    "interrupted. `compare --flame FILE --host` draws all tasks.");
  picture.notes.push_back(fmt::format(
      "Width: CPU time per {}, of each frame on the side that takes more. The whole is A {}, B {} {}.",
      scale.work(), scale.words(level_a(stacks.frames.front())), scale.words(level_b(stacks.frames.front())),
      scale.unit()));
  if (samples.left_out.value_or(0) > 0)
    picture.notes.push_back(fmt::format("Missing: {} thin frames.", format_count(*samples.left_out)));
}

bool was_tested(const ComparedStacks& stacks) {
  return stacks.samples.tested.value_or(0) > 0;
}

void add_legends(Picture& picture, const ComparedStacks& stacks, const Scale& scale) {
  if (!was_tested(stacks)) {
    picture.notes.emplace_back("Too few runs on a side for a test: nothing is coloured.");
  } else {
    picture.legends.push_back(
        {.mark = Mark::coloured,
         .before = fmt::format("Red with + takes more in B, blue with - less, in {}, the deeper the more: ",
                               scale.unit()),
         .after =
             fmt::format(" of {} tested frames. A run, block or boot is one value; the chance of even one "
                         "false colour is 5 %. Grey: no difference beyond chance, or less than 1 % of the "
                         "samples.",
                         *stacks.samples.tested)});
  }
  picture.legends.push_back(
      {.mark = Mark::outlined,
       .before = "Grey frames with an outline: ",
       .after =
           ". They show no difference themselves. After the \u03A3 is that of their function alone, over all "
           "places where it runs, as `compare` says of its samples.",
       .if_any = true});
}

}  // namespace

Picture difference(const ComparedStacks& stacks) {
  const Scale scale{stacks.samples};
  Picture picture;
  picture.title = "B against A: samples of the CPUs";
  add_notes(picture, stacks, scale);
  add_legends(picture, stacks, scale);
  double largest = 0;
  for (const ComparedFrameView& frame : stacks.frames) {
    if (was_tested(stacks) && is_found(frame)) largest = std::max(largest, std::abs(*frame.shift));
  }
  const std::vector<Position> positions = positions_of(stacks.frames);
  const auto pixels = [whole = positions.front().width](double width) {
    return static_cast<std::uint64_t>(std::llround(width / whole * kWholeWidth));
  };
  picture.width = pixels(positions.front().width);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    // Of both ends, so that a sum of rounded widths never exceeds the frame below.
    const std::uint64_t left = pixels(positions[i].left),
                        right = pixels(positions[i].left + positions[i].width);
    Box box = box_of(stacks, stacks.frames[i], scale, largest);
    box.depth = positions[i].depth;
    box.left = left;
    box.width = right - left;
    picture.boxes.push_back(std::move(box));
  }
  return picture;
}

}  // namespace netperfctl::flame
