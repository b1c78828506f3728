// SPDX-License-Identifier: GPL-2.0-or-later
// A figure of a run that a comparison can judge. docs/comparing.md lists their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/named_figure.hpp"

namespace netperfd {

enum class FigureKind { received, sent, delivered, retransmits, rtt, jitter, cpu, latency };
enum class LatencyPhase { idle, omitted, load, after };
enum class LatencyStatistic { min, p50, p90, p99, p999, max, mean, jitter, delivered, bloat };
enum class FigureUnit {
  bits_per_second,
  nanoseconds,
  share,         // 0 to 1
  per_gigabyte,  // of the bytes that were sent
  ns_per_byte    // of goodput
};

[[nodiscard]] std::string_view to_string(LatencyPhase phase);
[[nodiscard]] std::optional<LatencyPhase> parse_latency_phase(std::string_view text);
[[nodiscard]] std::string_view to_string(LatencyStatistic statistic);
[[nodiscard]] std::optional<LatencyStatistic> parse_latency_statistic(std::string_view text);
[[nodiscard]] std::string_view to_string(FigureUnit unit);
[[nodiscard]] std::string_view to_string(Better better);

struct Figure {
  FigureKind kind = FigureKind::received;
  // Of latency alone.
  std::string probe = {};                            // empty: the first one of the run
  std::optional<LatencyPhase> phase = std::nullopt;  // absent: load if the run has it, otherwise idle
  LatencyStatistic statistic = LatencyStatistic::p99;

  bool operator==(const Figure&) const = default;
};

// "received", "latency.p99", "latency.idle.p50", "latency.voice.p99", "latency.voice.load.p999".
// invalid_argument otherwise, with what was expected.
[[nodiscard]] Result<Figure> parse_figure(std::string_view name);
[[nodiscard]] std::string to_string(const Figure& figure);
[[nodiscard]] FigureUnit unit_of(const Figure& figure);
[[nodiscard]] Better better_of(const Figure& figure);

// A figure to compare, with the smallest difference of it that matters, as a share.
struct FigureChoice {
  Figure figure;
  std::optional<double> threshold = std::nullopt;  // absent: that of the comparison

  bool operator==(const FigureChoice&) const = default;
};
inline constexpr std::size_t kMostFigures = 8;

// "latency.p99" or "latency.p99:5%".
[[nodiscard]] Result<FigureChoice> parse_figure_choice(std::string_view text);
// invalid_argument if there are more than kMostFigures of them, or one of them twice.
[[nodiscard]] Status check_figures(const std::vector<FigureChoice>& figures);
// Both for all of them.
[[nodiscard]] Result<std::vector<FigureChoice>> parse_figure_choices(const std::vector<std::string>& texts);
// Empty, or what is wrong with the threshold.
[[nodiscard]] std::string wrong_threshold(double threshold);

// What the runs of a job measure, as far as figures depend on it.
struct MeasuredByJob {
  bool tcp = false, udp = false, sctp = false;          // by iperf3
  std::optional<std::vector<std::string>> probes = {};  // of latency; absent: the job measures none
  std::vector<LatencyPhase> phases = {};                // in which they probe
};
// Empty, or why runs of such a job have no such figure.
[[nodiscard]] std::string why_not_measured(const Figure& figure, const MeasuredByJob& measured);

}  // namespace netperfd
