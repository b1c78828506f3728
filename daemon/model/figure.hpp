// SPDX-License-Identifier: GPL-2.0-or-later
// The name of a figure of a run that a comparison can judge. figure_registry.hpp has the figures that every
// run may have; a run may also have figures of its own (named_figure.hpp). docs/comparing.md lists their
// names.
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

enum class LatencyPhase { idle, omitted, load, after };

[[nodiscard]] std::string_view to_string(LatencyPhase phase);
[[nodiscard]] std::optional<LatencyPhase> parse_latency_phase(std::string_view text);
[[nodiscard]] std::string_view to_string(Better better);
[[nodiscard]] bool parse_word(std::string_view text, Better& better);  // as that of Direction

// What a comparison judges unless others are asked for, and what it judges beside them.
inline constexpr std::string_view kReceivedFigure = "received";
inline constexpr std::string_view kCpuFigure = "cpu";
inline constexpr std::string_view kCpuPerPacket = "cpu.packet";
inline constexpr std::string_view kCpuPerTransaction = "cpu.transaction";

struct Figure {
  std::string name{kReceivedFigure};  // of the registry ("latency.p99"), or a run's own
  // Of those that are measured by probes.
  std::string probe = {};                            // empty: the first one of the run
  std::optional<LatencyPhase> phase = std::nullopt;  // absent: load if the run has it, otherwise idle

  bool operator==(const Figure&) const = default;
};

// "received", "latency.p99", "latency.idle.p50", "latency.voice.p99", "latency.voice.load.p999",
// "cpu.packet", "counter.eth0@left.rx_packets" (counter_figure.hpp). invalid_argument otherwise, with what
// was expected.
[[nodiscard]] Result<Figure> parse_figure(std::string_view name);
// The same, or the name of what may be a run's own figure. Whether a run has it must be checked later.
[[nodiscard]] Result<Figure> parse_any_figure(std::string_view name);
[[nodiscard]] std::string to_string(const Figure& figure);

// A run's own figure, as far as its name tells: a word that begins with a letter and has letters, digits,
// '_', '-' and '.', at most 64. It does not begin with a word of the registry, such as `latency`.
inline constexpr std::size_t kOwnFigureName = 64;
[[nodiscard]] bool is_own_figure(std::string_view name);
[[nodiscard]] inline bool is_own(const Figure& figure) {
  return is_own_figure(figure.name);
}
// "figure "energy" does not exist; expected is received, sent, ...". `own` are those that the runs have.
[[nodiscard]] std::string no_such_figure(std::string_view name, const std::vector<std::string>& own = {});

// A figure to compare, with the smallest difference of it that matters, as a share.
struct FigureChoice {
  Figure figure;
  std::optional<double> threshold = std::nullopt;  // absent: that of the comparison

  bool operator==(const FigureChoice&) const = default;
};
inline constexpr std::size_t kMostFigures = 8;

using FigureParser = Result<Figure> (*)(std::string_view);
// "latency.p99" or "latency.p99:5%".
[[nodiscard]] Result<FigureChoice> parse_figure_choice(std::string_view text,
                                                       FigureParser parser = parse_figure);
// invalid_argument if there are more than kMostFigures of them, or one of them twice.
[[nodiscard]] Status check_figures(const std::vector<FigureChoice>& figures);
// Both for all of them.
[[nodiscard]] Result<std::vector<FigureChoice>> parse_figure_choices(const std::vector<std::string>& texts,
                                                                     FigureParser parser = parse_figure);
// Empty, or what is wrong with the threshold of this figure.
[[nodiscard]] std::string wrong_threshold(const Figure& figure, double threshold);

// What the runs of a job measure, as far as figures depend on it.
struct MeasuredByJob {
  bool tcp = false, udp = false, sctp = false;          // by iperf3
  std::optional<std::vector<std::string>> probes = {};  // of latency; absent: the job measures none
  std::vector<LatencyPhase> phases = {};                // in which they probe
  std::vector<std::string> own = {};                    // figures that its workload or its scenario adds
  std::vector<std::string> own_units = {};              // theirs
  bool path = false;                                    // whose packets a device of the client counts
  bool counters = false;                                // of the kernel
};
// Empty, or why runs of such a job have no such figure.
[[nodiscard]] std::string why_not_measured(const Figure& figure, const MeasuredByJob& measured);

}  // namespace netperfd
