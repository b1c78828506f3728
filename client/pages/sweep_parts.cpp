// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/sweep_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_setting.hpp"
#include "client/pages/comparison_tables.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::sweeping {
namespace {

using Words = std::vector<std::string>;

// A row of each point.
std::vector<const SweepFigureView*> points_of(const SweepView& view) {
  std::vector<const SweepFigureView*> points;
  for (const SweepFigureView& row : view.details.figures) {
    if (points.empty() || points.back()->point != row.point) points.push_back(&row);
  }
  return points;
}

std::string_view plain_word(std::string_view verdict) {
  if (verdict == "improvement") return "better";
  if (verdict == "regression") return "worse";
  return verdict;
}

// "12 blocks of each", "11 to 12 blocks of each"; empty if no point has samples.
std::string samples_words(const SweepView& view) {
  std::uint32_t fewest = 0, most = 0;
  const char* noun = "block";
  for (const SweepFigureView& row : view.details.figures) {
    const std::uint32_t samples =
        std::min(row.effect.samples_a.value_or(0), row.effect.samples_b.value_or(0));
    if (samples == 0) continue;
    fewest = fewest == 0 ? samples : std::min(fewest, samples);
    most = std::max(most, samples);
    if (row.pairing != "blocks") noun = "sample";
  }
  if (most == 0) return {};
  const std::string words = plural(most, noun) + " of each";
  return fewest == most ? words : fmt::format("{} to {}", fewest, words);
}

// "99.44 %" of a part of one, with the digits that tell it from 1.
std::string level_words(double level) {
  return fmt::format("{:.{}f} %", level * 100, level < 0.98 ? 0 : 2);
}

// The values of an axis, each once.
Words values_of(const SweepView& view, std::size_t axis) {
  Words values;
  for (const SweepFigureView* point : points_of(view)) {
    if (!point->values || axis >= point->values->size()) continue;
    const std::string& value = (*point->values)[axis];
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return values;
}

Words axes_of(const SweepView& view) {
  return view.details.sweep.axes.value_or(Words{});
}

// Points with the same words, of which there may be any number.
struct Shared {
  std::string words;
  Words points;
};
std::vector<Shared> caveats_of(const SweepView& view, bool with_figures) {
  std::vector<Shared> all;
  for (const SweepFigureView* point : points_of(view)) {
    if (point->figure.has_value() != with_figures) continue;
    std::string words = point->caveat.value_or(with_figures ? "" : point->point_verdict);
    if (words.empty()) continue;
    auto same = std::ranges::find(all, words, &Shared::words);
    if (same == all.end()) same = all.insert(all.end(), {std::move(words), {}});
    same->points.push_back(point->name);
  }
  return all;
}

bool is_found(const SweepTrendView& trend) {
  return trend.ratio && trend.p_adjusted && *trend.p_adjusted <= comparing::kMoved;
}

std::string trend_words(const SweepView& view, const SweepTrendView& trend) {
  const Words axes = axes_of(view);
  const Words values =
      values_of(view, static_cast<std::size_t>(std::ranges::find(axes, trend.axis) - axes.begin()));
  std::string words = fmt::format("{}: B against A ", trend.figure);
  if (!is_found(trend)) {
    words += "shows no trend";
  } else {
    words += *trend.ratio > 1 ? "rises" : "falls";
  }
  words += fmt::format(" along {}", trend.axis);
  if (!values.empty()) words += fmt::format(" from {} to {}", values.front(), values.back());
  if (trend.at) words += fmt::format(", at {}", *trend.at);
  if (trend.ratio) words += ": " + comparing::signed_percent(*trend.ratio);
  if (trend.low && trend.high) {
    std::string low = comparing::signed_percent(*trend.low);
    low.resize(low.size() - 2);  // one unit for both
    words += fmt::format(" ({} to {})", low, comparing::signed_percent(*trend.high));
  }
  if (trend.p_adjusted) words += ", p " + comparing::probability_text(*trend.p_adjusted);
  if (is_found(trend) && !trend.monotone) words += "; not from each point to the next";
  return words;
}

// "1.20 G" of a rate, since the heading has "bit/s"; "1.20" of another figure.
std::string level_cell(const SweepFigureView& row, const std::optional<double>& centre,
                       const std::optional<double>& median) {
  const std::optional<double>& value = centre ? centre : median;
  if (!value) return "-";
  std::string text = comparing::in_unit(row.unit.value_or(""), *value);
  const std::size_t number = text.find(' ');
  if (row.unit != "bits_per_second") return text.substr(0, number);
  constexpr std::string_view kUnit = "bit/s";
  if (text.ends_with(kUnit)) text.resize(text.size() - kUnit.size());
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string heading_of(const SweepFigureView& row) {
  const std::string unit = row.unit.value_or("");
  const std::string one = comparing::in_unit(unit, 1);
  const std::string shown =
      unit == "bits_per_second" ? "bit/s" : one.substr(std::min(one.find(' '), one.size() - 1) + 1);
  std::string words = row.figure.value_or("");
  if (unit == "bits_per_second" || one.find(' ') != std::string::npos) words += ", in " + shown;
  if (row.better == "lower") words += "; less is better";
  return words;
}

std::string capitals(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string interval_cell(const SweepFigureView& row) {
  if (!row.effect.low || !row.effect.high) return "-";
  std::string low = comparing::signed_percent(*row.effect.low);
  low.resize(low.size() - 2);
  return fmt::format("{} to {}", low, comparing::signed_percent(*row.effect.high));
}

std::vector<Column> columns_of(const SweepView& view, bool whole_names) {
  std::vector<Column> columns{{.title = "#", .right = true}};
  for (const std::string& axis : axes_of(view))
    columns.push_back({.title = capitals(axis), .right = true, .shrink_to = whole_names ? 0U : 4U});
  columns.push_back({.title = "A", .right = true, .leaves = 2});
  columns.push_back({.title = "B", .right = true, .leaves = 2});
  columns.push_back({.title = "CHANGE", .right = true});
  columns.push_back({.title = "INTERVAL", .right = true, .leaves = 1});
  columns.push_back({.title = "p adj.", .right = true, .leaves = 3});
  columns.push_back({.title = "VERDICT"});
  return columns;
}

Cells cells_of(const SweepView& view, const SweepFigureView& row) {
  Cells cells{{fmt::format("{}", row.point)}};
  const Words values = row.values.value_or(Words{});
  for (std::size_t i = 0; i < axes_of(view).size(); ++i)
    cells.push_back({i < values.size() ? values[i] : "-", Style::strong});
  cells.push_back({level_cell(row, row.effect.centre_a, row.effect.median_a)});
  cells.push_back({level_cell(row, row.effect.centre_b, row.effect.median_b)});
  cells.push_back({row.effect.ratio ? comparing::signed_percent(*row.effect.ratio) : "-"});
  cells.push_back({interval_cell(row)});
  cells.push_back({or_dash(row.p_adjusted, comparing::probability_text)});
  cells.push_back({verdict_word(row), comparing::style_of(row.verdict.value_or(row.point_verdict))});
  return cells;
}

}  // namespace

SweepView printable_view(SweepView view) {
  view.details = escaped(std::move(view.details));
  view.scenario = printable(view.scenario);
  view.setting = comparing::printable_setting(std::move(view.setting));
  return view;
}

std::vector<std::string> title_parts(const SweepView& view) {
  const SweepHeadView& head = view.details.sweep;
  Words parts{view.scenario.empty() ? "sweep" : "sweep of " + view.scenario, "A: " + head.name_a,
              "B: " + head.name_b, plural(head.points, "point")};
  if (const std::string samples = samples_words(view); !samples.empty()) parts.back() += ", " + samples;
  if (view.asked.job) parts.push_back(fmt::format("job {}", *view.asked.job));
  return parts;
}

std::string question(const SweepView& view) {
  const SweepHeadView& head = view.details.sweep;
  return fmt::format("Is B ({}) better than A ({}), at each of {}?", head.name_b, head.name_a,
                     plural(head.points, "point"));
}

Lines swept(const SweepView& view) {
  Lines lines;
  const Words axes = axes_of(view);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    lines.push_back(
        {lines.empty() ? "swept" : "", fmt::format("{} {}", axes[i], fmt::join(values_of(view, i), ", "))});
  }
  return lines;
}

Lines verdict(const SweepView& view) {
  const SweepHeadView& head = view.details.sweep;
  Words parts;
  bool worse = false, too_few = false;
  for (const char* verdict :
       {"improvement", "regression", "trade-off", "equivalent", "inconclusive", "too few", "refused"}) {
    const auto count = std::ranges::count(
        points_of(view), verdict, [](const auto* point) { return std::string_view{point->point_verdict}; });
    if (count == 0) continue;
    parts.push_back(fmt::format("{} {}", count, plain_word(verdict)));
    worse = worse || verdict == std::string_view{"regression"} || verdict == std::string_view{"trade-off"};
    too_few = too_few || verdict == std::string_view{"too few"};
  }
  Lines lines{{"verdict", fmt::format("{} of {}", fmt::join(parts, ", "), plural(head.points, "point")),
               worse ? Style::bad : Style::strong}};
  if (head.tests > 1) {
    lines.push_back(
        {"", fmt::format("The intervals of all {} hold together at {} (Bonferroni: {} each).", head.tests,
                         level_words(head.level), level_words(1 - (1 - head.level) / head.tests))});
  }
  if (too_few && head.fewest) {
    lines.push_back(
        {"", fmt::format("An interval of one of {} takes {}.", head.tests, plural(*head.fewest, "block"))});
  }
  return lines;
}

std::vector<Grid> tables(const SweepView& view, bool whole_names) {
  std::vector<Grid> grids;
  Words figures;
  for (const SweepFigureView& row : view.details.figures) {
    if (!row.figure || std::ranges::find(figures, *row.figure) != figures.end()) continue;
    figures.push_back(*row.figure);
    grids.push_back({.heading = heading_of(row), .columns = columns_of(view, whole_names)});
  }
  if (grids.empty()) grids.push_back({.heading = "points", .columns = columns_of(view, whole_names)});
  for (const SweepFigureView& row : view.details.figures) {
    for (std::size_t i = 0; i < grids.size(); ++i) {
      if (!row.figure || *row.figure == figures[i]) grids[i].rows.push_back(cells_of(view, row));
    }
  }
  return grids;
}

std::string verdict_word(const SweepFigureView& row) {
  if (row.leaning) return fmt::format("leans {}", plain_word(*row.leaning));
  return std::string{plain_word(row.verdict.value_or(row.point_verdict))};
}

std::string effect_words(const SweepFigureView& row) {
  Words parts;
  if (row.effect.ratio) parts.push_back(comparing::signed_percent(*row.effect.ratio));
  if (row.effect.low && row.effect.high) parts.push_back(interval_cell(row));
  if (row.p_adjusted) parts.push_back("p " + comparing::probability_text(*row.p_adjusted));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Lines without_figures(const SweepView& view) {
  Lines lines;
  for (const Shared& shared : caveats_of(view, false)) {
    lines.push_back({lines.empty() ? "no result" : "",
                     fmt::format("{}: {}", fmt::join(shared.points, "; "), shared.words), Style::active});
  }
  return lines;
}

Lines trends(const SweepView& view) {
  Lines lines;
  std::uint64_t others = 0;
  for (const SweepTrendView& trend : view.details.trends) {
    if (!view.all && !is_found(trend)) {
      ++others;
    } else {
      lines.push_back({lines.empty() ? "trend" : "", trend_words(view, trend)});
    }
  }
  if (others > 0) {
    const std::string what = lines.empty() ? "none shown beyond chance along any axis"
                                           : fmt::format("...{} not shown beyond chance", others);
    lines.push_back({lines.empty() ? "trend" : "", what + ": --all"});
  }
  return lines;
}

Lines evidence(const SweepView& view) {
  constexpr std::size_t kMost = 3;
  Lines lines;
  for (Shared& shared : caveats_of(view, true)) {
    const std::size_t more = view.all ? 0 : shared.points.size() - std::min(kMost, shared.points.size());
    const bool every = shared.points.size() == view.details.sweep.points;
    shared.points.resize(shared.points.size() - more);
    if (more > 0) shared.points.push_back(plural(more, "more point"));
    lines.push_back({lines.empty() ? "evidence" : "",
                     every ? "- " + shared.words
                           : fmt::format("- {}: {}", fmt::join(shared.points, "; "), shared.words)});
  }
  return lines;
}

std::string command_of_point(const SweepView& view) {
  const auto points = points_of(view);
  if (points.empty()) return {};
  const auto first_of = [&](auto... verdicts) {
    return std::ranges::find_if(
        points, [&](const auto* point) { return ((point->point_verdict == verdicts) || ...); });
  };
  auto found = first_of("regression", "trade-off");
  if (found == points.end()) found = first_of("improvement");
  if (found == points.end()) found = points.begin();
  return fmt::format("{} --point {}", view.command, (*found)->point);
}

}  // namespace netperfctl::sweeping
