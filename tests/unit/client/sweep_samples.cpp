// SPDX-License-Identifier: GPL-2.0-or-later
// Comparisons of sweeps.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>

#include "tests/unit/client/compare_samples.hpp"

namespace netperfctl::samples {
namespace {

SweepFigureView point_of(std::uint32_t number, const std::string& streams, const std::string& length) {
  SweepFigureView row;
  row.point = number;
  row.name = fmt::format("streams={}, length={}", streams, length);
  row.values = {{streams, length}};
  row.runs_a = row.runs_b = 24;
  return row;
}

void give_received(SweepFigureView& row, double rate, double ratio, double half, const std::string& verdict) {
  row.point_verdict = verdict;
  row.figure = "received";
  row.unit = "bits_per_second";
  row.better = "higher";
  row.verdict = verdict;
  row.threshold = 0.01;
  row.pairing = "blocks";
  row.effect.samples_a = row.effect.samples_b = 12;
  row.effect.median_a = row.effect.centre_a = rate;
  row.effect.median_b = row.effect.centre_b = rate * ratio;
  row.effect.ratio = ratio;
  row.effect.low = ratio - half;
  row.effect.high = ratio + half;
  row.effect.level = 0.9951;
  row.effect.p = 0.00049;
  row.p_adjusted = half < 0.02 ? 0.0044 : 1;
  row.reach.cliffs_delta = ratio > 1 ? 0.9 : -0.9;
  row.reach.detectable = 1 + 2 * half;
}

SweepTrendView trend_of(const char* axis, const char* at, double ratio, double p) {
  return {.figure = "received",
          .axis = axis,
          .at = at,
          .points = 3,
          .blocks = 12,
          .ratio = ratio,
          .low = ratio - 0.04,
          .high = ratio + 0.04,
          .level = 0.9917,
          .p_adjusted = p,
          .monotone = true};
}

SweepView sweep_of(std::uint32_t points, std::uint32_t figures) {
  SweepView view;
  view.asked.a = "job:7";
  view.asked.job = 7;
  view.command = "netperfctl compare job:7";
  view.scenario = "veth-tcp";
  view.details.sweep = {.name_a = "cubic",
                        .name_b = "bbr",
                        .axes = {{"streams", "length"}},
                        .points = points,
                        .tests = points * figures,
                        .level = 0.95,
                        .fewest = 9};
  return view;
}

}  // namespace

SweepView swept() {
  struct Point {
    const char *streams, *length;
    double rate, ratio, half;
    const char* verdict;
  };
  constexpr std::array<Point, 8> kPoints{{{"1", "64", 1.2e9, 1.041, 0.019, "improvement"},
                                          {"1", "512", 6.04e9, 1.052, 0.013, "improvement"},
                                          {"1", "1448", 9.41e9, 1.0004, 0.006, "equivalent"},
                                          {"4", "64", 3.31e9, 1.098, 0.015, "improvement"},
                                          {"4", "512", 9.38e9, 1.0012, 0.005, "equivalent"},
                                          {"4", "1448", 9.41e9, 0.9991, 0.004, "equivalent"},
                                          {"16", "64", 812e6, 1.161, 0.011, "improvement"},
                                          {"16", "512", 9.2e9, 0.942, 0.018, "regression"}}};
  SweepView view = sweep_of(9, 1);
  std::uint32_t number = 0;
  for (const Point& each : kPoints) {
    SweepFigureView& row = view.details.figures.emplace_back(point_of(++number, each.streams, each.length));
    give_received(row, each.rate, each.ratio, each.half, each.verdict);
  }
  view.details.figures[7].caveat = "Runs of B vary 3.1 times as much as those of A.";
  SweepFigureView& last = view.details.figures.emplace_back(point_of(9, "16", "1448"));
  last.runs_b = 0;
  last.point_verdict = "too few";
  last.caveat = "No run of B has finished.";
  view.details.trends = {trend_of("streams", "length=64", 1.12, 0.021),
                         trend_of("streams", "length=512", 0.9, 0.034),
                         trend_of("length", "streams=1", 0.98, 0.7)};
  view.details.trends[1].monotone = false;
  return view;
}

SweepView swept_figures() {
  SweepView view = sweep_of(60, 2);
  for (std::uint32_t number = 1; number <= 60; ++number) {
    SweepFigureView row =
        point_of(number, std::to_string((number - 1) / 6 + 1), std::to_string(number % 6 + 64));
    const double ratio = 0.9 + number * 0.0033;
    give_received(row, 1e7 * number * number, ratio, 0.123, "inconclusive");
    if (number % 3 == 0) row.leaning = ratio > 1 ? "improvement" : "regression";
    row.caveat = "Each side had one boot.";
    view.details.figures.push_back(row);
    row.figure = "latency.load.p99";
    row.unit = "ns";
    row.better = "lower";
    row.effect.centre_a = 1.2e6 * number;
    row.effect.centre_b = 1.3e6 * number;
    view.details.figures.push_back(row);
  }
  return view;
}

}  // namespace netperfctl::samples
