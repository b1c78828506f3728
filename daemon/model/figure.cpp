// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/figure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "daemon/model/text.hpp"
#include "daemon/model/units.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd {
namespace {

template <class Value, std::size_t N>
using Names = std::array<std::pair<std::string_view, Value>, N>;

constexpr Names<FigureKind, 8> kKinds{{{"received", FigureKind::received},
                                       {"sent", FigureKind::sent},
                                       {"delivered", FigureKind::delivered},
                                       {"retransmits", FigureKind::retransmits},
                                       {"rtt", FigureKind::rtt},
                                       {"jitter", FigureKind::jitter},
                                       {"cpu", FigureKind::cpu},
                                       {"latency", FigureKind::latency}}};
constexpr Names<LatencyPhase, 4> kPhases{{{"idle", LatencyPhase::idle},
                                          {"omitted", LatencyPhase::omitted},
                                          {"load", LatencyPhase::load},
                                          {"after", LatencyPhase::after}}};
constexpr Names<LatencyStatistic, 10> kStatistics{{{"min", LatencyStatistic::min},
                                                   {"p50", LatencyStatistic::p50},
                                                   {"p90", LatencyStatistic::p90},
                                                   {"p99", LatencyStatistic::p99},
                                                   {"p999", LatencyStatistic::p999},
                                                   {"max", LatencyStatistic::max},
                                                   {"mean", LatencyStatistic::mean},
                                                   {"jitter", LatencyStatistic::jitter},
                                                   {"delivered", LatencyStatistic::delivered},
                                                   {"bloat", LatencyStatistic::bloat}}};
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

// "received, sent, ... or cpu; the nearest is sent".
template <class Value, std::size_t N>
std::string expected(const Names<Value, N>& names, std::string_view text) {
  std::vector<std::string_view> words;
  for (const auto& [name, value] : names) words.push_back(name);
  std::string list = fmt::format("{}", fmt::join(std::span(words).first(words.size() - 1), ", "));
  list += fmt::format(" or {}", words.back());
  if (const auto meant = nearest(text, words)) list += fmt::format("; did you mean {}?", *meant);
  return list;
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
  Figure figure{.kind = FigureKind::latency};
  if (parts.size() < 2 || parts.size() > 4) {
    return invalid(fmt::format("figure {} is not {}", in_quotes(name), kLatencyForm));
  }
  const auto statistic = value_of(kStatistics, parts.back());
  if (!statistic) {
    return invalid(fmt::format("figure {} ends with {}, which is no statistic of latency: {}",
                               in_quotes(name), in_quotes(parts.back()),
                               expected(kStatistics, parts.back())));
  }
  figure.statistic = *statistic;
  const std::span<const std::string_view> before = std::span(parts).subspan(1, parts.size() - 2);
  if (before.empty()) return figure;
  figure.phase = value_of(kPhases, before.back());
  if (!figure.phase && before.size() == 2) {
    return invalid(fmt::format("figure {}: {} is no phase: {}", in_quotes(name), in_quotes(before.back()),
                               expected(kPhases, before.back())));
  }
  if (figure.phase && figure.statistic == LatencyStatistic::bloat) {
    return invalid(
        fmt::format("figure {}: bloat is of two phases, load and idle, so it names none", in_quotes(name)));
  }
  if (figure.phase && before.size() == 1) return figure;
  if (!is_word(before.front(), "_-", kProbeName) || value_of(kPhases, before.front()) ||
      value_of(kStatistics, before.front())) {
    return invalid(fmt::format("figure {}: {} is neither a phase nor the name of a probe", in_quotes(name),
                               in_quotes(before.front())));
  }
  figure.probe = before.front();
  return figure;
}

std::string names_of(const std::vector<std::string>& probes) {
  return fmt::format("{}", fmt::join(probes, ", "));
}

std::string why_no_latency(const Figure& figure, const MeasuredByJob& measured) {
  if (!measured.probes) return "needs a latency workload, and the job has none";
  if (!figure.probe.empty() && std::ranges::find(*measured.probes, figure.probe) == measured.probes->end()) {
    return fmt::format("needs a probe {}; the job has {}", in_quotes(figure.probe),
                       names_of(*measured.probes));
  }
  const auto has = [&](LatencyPhase phase) {
    return std::ranges::find(measured.phases, phase) != measured.phases.end();
  };
  if (figure.statistic == LatencyStatistic::bloat && !(has(LatencyPhase::idle) && has(LatencyPhase::load))) {
    return "needs a phase of load and an idle one before it, and the job does not have both";
  }
  if (figure.phase && !has(*figure.phase)) {
    return fmt::format("needs a phase {}, and the job has none", to_string(*figure.phase));
  }
  return {};
}

}  // namespace

std::string_view to_string(LatencyPhase phase) {
  return name_of(kPhases, phase);
}

std::optional<LatencyPhase> parse_latency_phase(std::string_view text) {
  return value_of(kPhases, text);
}

std::string_view to_string(LatencyStatistic statistic) {
  return name_of(kStatistics, statistic);
}

std::optional<LatencyStatistic> parse_latency_statistic(std::string_view text) {
  return value_of(kStatistics, text);
}

std::string_view to_string(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::bits_per_second:
      return "bits_per_second";
    case FigureUnit::nanoseconds:
      return "ns";
    case FigureUnit::share:
      return "share";
    case FigureUnit::per_gigabyte:
      return "per_gigabyte";
    case FigureUnit::ns_per_byte:
      return "ns_per_byte";
  }
  return "";
}

std::string_view to_string(Better better) {
  return better == Better::higher ? "higher" : "lower";
}

Result<Figure> parse_figure(std::string_view name) {
  const std::vector<std::string_view> parts = split(name);
  const auto kind = value_of(kKinds, parts.front());
  if (!kind) {
    return invalid(fmt::format("figure {} does not exist; expected is {}", in_quotes(name),
                               expected(kKinds, parts.front())));
  }
  if (*kind == FigureKind::latency) return parse_latency(name, parts);
  if (parts.size() > 1) {
    return invalid(fmt::format("figure {}: only latency has parts, such as latency.p99", in_quotes(name)));
  }
  return Figure{.kind = *kind};
}

std::string to_string(const Figure& figure) {
  std::string name{name_of(kKinds, figure.kind)};
  if (figure.kind != FigureKind::latency) return name;
  if (!figure.probe.empty()) name += "." + figure.probe;
  if (figure.phase) name += fmt::format(".{}", to_string(*figure.phase));
  return name + fmt::format(".{}", to_string(figure.statistic));
}

FigureUnit unit_of(const Figure& figure) {
  switch (figure.kind) {
    case FigureKind::received:
    case FigureKind::sent:
      return FigureUnit::bits_per_second;
    case FigureKind::delivered:
      return FigureUnit::share;
    case FigureKind::retransmits:
      return FigureUnit::per_gigabyte;
    case FigureKind::cpu:
      return FigureUnit::ns_per_byte;
    case FigureKind::latency:
      if (figure.statistic == LatencyStatistic::delivered) return FigureUnit::share;
      break;
    case FigureKind::rtt:
    case FigureKind::jitter:
      break;
  }
  return FigureUnit::nanoseconds;
}

Better better_of(const Figure& figure) {
  const FigureUnit unit = unit_of(figure);
  return unit == FigureUnit::bits_per_second || unit == FigureUnit::share ? Better::higher : Better::lower;
}

std::string wrong_threshold(double threshold) {
  if (threshold > 0 && threshold < 1) return {};
  return fmt::format("{} is no share between 0 and 1, such as 0.01", threshold);
}

Result<FigureChoice> parse_figure_choice(std::string_view text) {
  const auto colon = text.find(':');
  auto figure = parse_figure(text.substr(0, colon));
  if (!figure) return std::unexpected(std::move(figure.error()));
  FigureChoice choice{.figure = std::move(*figure)};
  if (colon == std::string_view::npos) return choice;
  const std::string_view percent = text.substr(colon + 1);
  choice.threshold = parse_percent(percent);
  if (!choice.threshold || !wrong_threshold(*choice.threshold).empty()) {
    return invalid(fmt::format(
        "figure {}: its threshold is {}; expected is a percentage above 0% and below 100%, such as 5%",
        in_quotes(text.substr(0, colon)), in_quotes(percent)));
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

Result<std::vector<FigureChoice>> parse_figure_choices(const std::vector<std::string>& texts) {
  std::vector<FigureChoice> figures;
  for (const std::string& text : texts) {
    auto choice = parse_figure_choice(text);
    if (!choice) return std::unexpected(std::move(choice.error()));
    figures.push_back(std::move(*choice));
  }
  if (auto checked = check_figures(figures); !checked) return std::unexpected(std::move(checked.error()));
  return figures;
}

std::string why_not_measured(const Figure& figure, const MeasuredByJob& measured) {
  const bool iperf3 = measured.tcp || measured.udp || measured.sctp;
  switch (figure.kind) {
    case FigureKind::received:
    case FigureKind::sent:
    case FigureKind::cpu:
      return iperf3 ? "" : "needs the workload iperf3, which the job does not have";
    case FigureKind::delivered:
    case FigureKind::jitter:
      return measured.udp ? "" : "needs iperf3 with udp, which the job does not have";
    case FigureKind::retransmits:
      return measured.tcp || measured.sctp ? ""
                                           : "needs iperf3 with tcp or sctp, which the job does not have";
    case FigureKind::rtt:
      return measured.tcp ? "" : "needs iperf3 with tcp, which the job does not have";
    case FigureKind::latency:
      return why_no_latency(figure, measured);
  }
  return {};
}

}  // namespace netperfd
