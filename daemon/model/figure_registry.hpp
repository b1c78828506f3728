// SPDX-License-Identifier: GPL-2.0-or-later
// The figures that every run may have, each with all that is particular to it. Each line of the table in
// figure_registry.cpp is a figure, and no other code asks which one it is.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "daemon/model/figure.hpp"
#include "daemon/model/figure_readings.hpp"

namespace netperfd {

// How sentences speak of a figure, where its name alone would not read well.
struct FigureWords {
  std::string_view name;      // "throughput"
  std::string_view nothing;   // of a run in which it is 0: "received nothing"
  std::string_view anything;  // of another run: "received anything"
  std::string_view what;      // "what was received"
};

// Absent: unknown.
using ReadFigure = std::optional<double> (*)(const FigureReadings& run, const Figure& figure);
// What the value was read from, if a figure can be read from several things.
using SourceOfFigure = std::string (*)(const FigureReadings& run, const Figure& figure);
// Empty, or why runs of such a job have no such figure.
using WhyNoFigure = std::string (*)(const Figure& figure, const MeasuredByJob& measured);

// A percentile that a figure is made of.
struct PercentileOfFigure {
  double fraction = 0;
  std::optional<LatencyPhase> phase = std::nullopt;  // absent: that of the figure
};

struct FigureEntry {
  // "received"; of those with a probe and a phase in their names: "latency.p99"; of all counters: "counter".
  std::string_view name;
  std::string_view unit;  // as the API tells it: bits_per_second, ns, share, per_gigabyte, ns_per_byte
  Better better;          // of counters, both are told by the name (terms_in_name)
  WhyNoFigure why_none;
  ReadFigure read;  // of the part of the run that counts
  // Of the whole run, with what iperf3 omits. A comparison takes it of all runs if some run knows only this
  // one. Null: the figure has no such value.
  ReadFigure read_whole = nullptr;
  const FigureWords* words = nullptr;  // null: its name
  bool of_two_phases = false;          // so that its name has none
  double least_threshold = 0;          // a threshold, as a share, is above it
  SourceOfFigure source = nullptr;     // null: its name says it
  bool terms_in_name = false;
  std::span<const PercentileOfFigure> percentiles = {};
};
[[nodiscard]] std::string_view unit_of(const FigureEntry& entry, const Figure& figure);
[[nodiscard]] Better better_of(const FigureEntry& entry, const Figure& figure);

// The part of a name before the statistic, of figures that are measured by probes.
inline constexpr std::string_view kLatencyFigures = "latency";

// In the order in which messages list them.
[[nodiscard]] std::span<const FigureEntry> figure_registry();
// By the name without probe and phase; null: there is none. That of a counter has the whole name.
[[nodiscard]] const FigureEntry* find_figure(std::string_view name);
// Whether a part of a name means a statistic, such as p99.
[[nodiscard]] bool is_latency_statistic(std::string_view text);

}  // namespace netperfd
