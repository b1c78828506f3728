// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/figure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "daemon/model/counter_figure.hpp"
#include "daemon/model/figure_registry.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/units.hpp"
#include "daemon/model/wording.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd {
namespace {

template <class Value, std::size_t N>
using Names = std::array<std::pair<std::string_view, Value>, N>;

constexpr Names<LatencyPhase, 4> kPhases{{{"idle", LatencyPhase::idle},
                                          {"omitted", LatencyPhase::omitted},
                                          {"load", LatencyPhase::load},
                                          {"after", LatencyPhase::after}}};
constexpr std::size_t kProbeName = 32;

template <class Value, std::size_t N>
std::optional<Value> value_of(const Names<Value, N>& names, std::string_view text) {
  const auto* found = std::ranges::find(names, text, &std::pair<std::string_view, Value>::first);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

template <class Value, std::size_t N>
std::string_view name_of(const Names<Value, N>& names, Value value) {
  const auto* found = std::ranges::find(names, value, &std::pair<std::string_view, Value>::second);
  return found == names.end() ? std::string_view{} : found->first;
}

// "received, sent, ... or cpu; did you mean sent?"
std::string expected(const std::vector<std::string_view>& words, std::string_view text) {
  std::string list = fmt::format("{}", fmt::join(std::span(words).first(words.size() - 1), ", "));
  list += fmt::format(" or {}", words.back());
  if (const auto meant = nearest(text, words)) list += fmt::format("; did you mean {}?", *meant);
  return list;
}

std::string_view head_of(std::string_view name) {
  return name.substr(0, name.find('.'));
}

// What a name can begin with, each once.
std::vector<std::string_view> heads() {
  std::vector<std::string_view> all;
  for (const FigureEntry& entry : figure_registry()) {
    if (const std::string_view head = head_of(entry.name); all.empty() || all.back() != head)
      all.push_back(head);
  }
  return all;
}

std::vector<std::string_view> latency_statistics() {
  std::vector<std::string_view> all;
  for (const FigureEntry& entry : figure_registry()) {
    if (head_of(entry.name) == kLatencyFigures)
      all.push_back(entry.name.substr(head_of(entry.name).size() + 1));
  }
  return all;
}

std::vector<std::string_view> phases() {
  std::vector<std::string_view> all;
  for (const auto& [name, phase] : kPhases) all.push_back(name);
  return all;
}

// Those of the registry that begin so.
std::vector<std::string_view> names_with(std::string_view head) {
  std::vector<std::string_view> all;
  for (const FigureEntry& entry : figure_registry()) {
    if (head_of(entry.name) == head) all.push_back(entry.name);
  }
  return all;
}

constexpr std::string_view kLatencyForm = "latency.STAT, with a probe and a phase before STAT if you want";

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto dot = text.find('.');
    parts.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    text.remove_prefix(dot + 1);
  }
}

Result<Figure> parse_latency(std::string_view name, const std::vector<std::string_view>& parts) {
  if (parts.size() < 2 || parts.size() > 4)
    return invalid(fmt::format("figure {} is not {}", in_quotes(name), kLatencyForm));
  Figure figure{.name = fmt::format("{}.{}", kLatencyFigures, parts.back())};
  const FigureEntry* entry = find_figure(figure.name);
  if (entry == nullptr) {
    return invalid(fmt::format("figure {} ends with {}, which is no statistic of latency: {}",
                               in_quotes(name), in_quotes(parts.back()),
                               expected(latency_statistics(), parts.back())));
  }
  const std::span<const std::string_view> before = std::span(parts).subspan(1, parts.size() - 2);
  if (before.empty()) return figure;
  figure.phase = value_of(kPhases, before.back());
  if (!figure.phase && before.size() == 2) {
    return invalid(fmt::format("figure {}: {} is no phase: {}", in_quotes(name), in_quotes(before.back()),
                               expected(phases(), before.back())));
  }
  if (figure.phase && entry->of_two_phases) {
    return invalid(fmt::format("figure {}: {} is of two phases, load and idle, so it names none",
                               in_quotes(name), parts.back()));
  }
  if (figure.phase && before.size() == 1) return figure;
  if (!is_word(before.front(), "_-", kProbeName) || value_of(kPhases, before.front()) ||
      is_latency_statistic(before.front())) {
    return invalid(fmt::format("figure {}: {} is neither a phase nor the name of a probe", in_quotes(name),
                               in_quotes(before.front())));
  }
  figure.probe = before.front();
  return figure;
}

Result<Figure> parse_counter(std::string_view name) {
  if (const std::string wrong =
          is_counter_figure(name) ? wrong_counter_figure(name) : wrong_counter_figure("counter.");
      !wrong.empty())
    return invalid(fmt::format("figure {} {}", in_quotes(name), wrong));
  return Figure{.name = std::string{name}};
}

// Where the name ends and its threshold begins. The name of a counter can have a ':' of its own.
std::size_t colon_of(std::string_view text) {
  if (!is_counter_figure(text)) return text.find(':');
  return text.ends_with('%') ? text.rfind(':') : std::string_view::npos;
}

}  // namespace

std::string_view to_string(LatencyPhase phase) {
  return name_of(kPhases, phase);
}

std::optional<LatencyPhase> parse_latency_phase(std::string_view text) {
  return value_of(kPhases, text);
}

std::string_view to_string(Better better) {
  return better == Better::higher ? "higher" : "lower";
}

bool parse_word(std::string_view text, Better& better) {
  for (const Better each : {Better::higher, Better::lower}) {
    if (text != to_string(each)) continue;
    better = each;
    return true;
  }
  return false;
}

Result<Figure> parse_figure(std::string_view name) {
  const std::vector<std::string_view> parts = split(name);
  if (parts.front() == kLatencyFigures) return parse_latency(name, parts);
  if (parts.front() == kCounterFigures) return parse_counter(name);
  if (const FigureEntry* entry = find_figure(name)) return Figure{.name = std::string{entry->name}};
  if (find_figure(parts.front()) == nullptr) return invalid(no_such_figure(name));
  const std::vector<std::string_view> longer = names_with(parts.front());
  if (longer.size() > 1)
    return invalid(
        fmt::format("figure {} does not exist; expected is {}", in_quotes(name), expected(longer, name)));
  return invalid(fmt::format("figure {}: {} has no parts; latency, cpu and counter have: latency.p99",
                             in_quotes(name), parts.front()));
}

Result<Figure> parse_any_figure(std::string_view name) {
  return is_own_figure(name) ? Figure{.name = std::string{name}} : parse_figure(name);
}

std::string to_string(const Figure& figure) {
  if (figure.probe.empty() && !figure.phase) return figure.name;
  const std::string_view head = head_of(figure.name);
  std::string name{head};
  if (!figure.probe.empty()) name += "." + figure.probe;
  if (figure.phase) name += fmt::format(".{}", to_string(*figure.phase));
  return name + figure.name.substr(head.size());
}

bool is_own_figure(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!is_word(name, "_-.", kOwnFigureName) || !is_letter(name.front())) return false;
  const std::vector<std::string_view> known = heads();
  return std::ranges::find(known, head_of(name)) == known.end();
}

std::string no_such_figure(std::string_view name, const std::vector<std::string>& own) {
  std::vector<std::string_view> known = heads();
  known.insert(known.end(), own.begin(), own.end());
  return fmt::format("figure {} does not exist; expected is {}", in_quotes(name),
                     expected(known, head_of(name)));
}

std::string wrong_threshold(const Figure& figure, double threshold) {
  const FigureEntry* entry = find_figure(figure.name);
  const double least = entry == nullptr ? 0 : entry->least_threshold;
  if (threshold > least && threshold < 1) return {};
  return fmt::format("{} is no share between {} and 1, such as 0.01", rows::plain_number(threshold, 6),
                     rows::plain_number(least, 6));
}

Result<FigureChoice> parse_figure_choice(std::string_view text, FigureParser parser) {
  const auto colon = colon_of(text);
  auto figure = parser(text.substr(0, colon));
  if (!figure) return std::unexpected(std::move(figure.error()));
  FigureChoice choice{.figure = std::move(*figure)};
  if (colon == std::string_view::npos) return choice;
  const std::string_view percent = text.substr(colon + 1);
  choice.threshold = parse_percent(percent);
  if (!choice.threshold || !wrong_threshold(choice.figure, *choice.threshold).empty()) {
    const FigureEntry* entry = find_figure(choice.figure.name);
    return invalid(fmt::format(
        "figure {}: its threshold is {}; expected is a percentage above {}% and below 100%, such as 5%",
        in_quotes(text.substr(0, colon)), in_quotes(percent),
        rows::plain_number(entry == nullptr ? 0 : 100 * entry->least_threshold, 6)));
  }
  return choice;
}

Status check_figures(const std::vector<FigureChoice>& figures) {
  if (figures.size() > kMostFigures)
    return invalid(fmt::format("{} figures; at most {} can be compared", figures.size(), kMostFigures));
  for (auto figure = figures.begin(); figure != figures.end(); ++figure) {
    if (std::find_if(figures.begin(), figure,
                     [&](const FigureChoice& other) { return other.figure == figure->figure; }) != figure)
      return invalid(fmt::format("figure {} is there twice", to_string(figure->figure)));
  }
  return {};
}

Result<std::vector<FigureChoice>> parse_figure_choices(const std::vector<std::string>& texts,
                                                       FigureParser parser) {
  std::vector<FigureChoice> figures;
  for (const std::string& text : texts) {
    auto choice = parse_figure_choice(text, parser);
    if (!choice) return std::unexpected(std::move(choice.error()));
    figures.push_back(std::move(*choice));
  }
  if (auto checked = check_figures(figures); !checked) return std::unexpected(std::move(checked.error()));
  return figures;
}

std::string why_not_measured(const Figure& figure, const MeasuredByJob& measured) {
  if (const FigureEntry* entry = find_figure(figure.name)) return entry->why_none(figure, measured);
  const bool brought = std::ranges::find(measured.own, figure.name) != measured.own.end();
  return brought ? "" : "is not among the figures that the job's workload or its scenario adds";
}

}  // namespace netperfd
