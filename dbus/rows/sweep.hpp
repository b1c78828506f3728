// SPDX-License-Identifier: GPL-2.0-or-later
// The comparison of a sweep (CompareSweep). docs/comparing.md explains the figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dbus/rows/comparison.hpp"
#include "dbus/rows/field.hpp"

namespace netperfd::rows {

// The whole. The intervals of all figures at all points hold together at `level`, and so do those of the
// trends.
struct Sweep {
  std::string name_a, name_b;
  std::optional<std::vector<std::string>> axes;  // keys of the workload
  std::uint32_t points = 0, tests = 0;           // the latter: figures times points
  double level = 0;
  std::optional<std::uint32_t> fewest;  // samples that an interval of one of so many takes
};
template <>
inline constexpr auto kFields<Sweep> = std::tuple{
    field("name_a", &Sweep::name_a), field("name_b", &Sweep::name_b), field("axes", &Sweep::axes),
    field("points", &Sweep::points), field("tests", &Sweep::tests),   field("level", &Sweep::level),
    field("fewest", &Sweep::fewest)};
static_assert(kDescribed<Sweep>);

// One figure at one point. A point without figures has one row, without `figure` and what follows it, and
// says in its caveat why.
struct SweepFigure {
  std::uint32_t point = 0;                         // from 1
  std::string name;                                // "streams=4, length=512"
  std::optional<std::vector<std::string>> values;  // of each axis
  std::optional<std::uint32_t> runs_a, runs_b;
  std::string point_verdict;          // over all figures of the point
  std::optional<std::string> caveat;  // a sentence about the point; absent: none
  std::optional<std::string> figure, unit, better, verdict, leaning, pairing;  // as in ComparedFigure
  std::optional<double> threshold;
  Effect effect;
  std::optional<double> p_adjusted;  // for the number of figures and points
  Reach reach;
};
template <>
inline constexpr auto kFields<SweepFigure> = std::tuple{field("point", &SweepFigure::point),
                                                        field("name", &SweepFigure::name),
                                                        field("values", &SweepFigure::values),
                                                        field("runs_a", &SweepFigure::runs_a),
                                                        field("runs_b", &SweepFigure::runs_b),
                                                        field("point_verdict", &SweepFigure::point_verdict),
                                                        long_text("caveat", &SweepFigure::caveat),
                                                        field("figure", &SweepFigure::figure),
                                                        field("unit", &SweepFigure::unit),
                                                        field("better", &SweepFigure::better),
                                                        field("verdict", &SweepFigure::verdict),
                                                        field("leaning", &SweepFigure::leaning),
                                                        field("threshold", &SweepFigure::threshold),
                                                        field("pairing", &SweepFigure::pairing),
                                                        within(&SweepFigure::effect),
                                                        field("p_adjusted", &SweepFigure::p_adjusted),
                                                        within(&SweepFigure::reach)};
static_assert(kDescribed<SweepFigure>);

// How the ratio of B to A changes along an axis, at fixed values of the others.
struct SweepTrend {
  std::string figure, axis;
  std::optional<std::string> at;  // the values of the other axes; absent: there are none
  std::uint32_t points = 0, blocks = 0;
  std::optional<double> ratio, low, high, level;  // of the ratio at the last value to that at the first one
  std::optional<double> p_adjusted;               // for the number of trends
  bool monotone = false;                          // the ratios of the points only rise or only fall
};
template <>
inline constexpr auto kFields<SweepTrend> = std::tuple{field("figure", &SweepTrend::figure),
                                                       field("axis", &SweepTrend::axis),
                                                       field("at", &SweepTrend::at),
                                                       field("points", &SweepTrend::points),
                                                       field("blocks", &SweepTrend::blocks),
                                                       field("ratio", &SweepTrend::ratio),
                                                       field("ratio_low", &SweepTrend::low),
                                                       field("ratio_high", &SweepTrend::high),
                                                       field("level", &SweepTrend::level),
                                                       field("p_adjusted", &SweepTrend::p_adjusted),
                                                       field("monotone", &SweepTrend::monotone)};
static_assert(kDescribed<SweepTrend>);

}  // namespace netperfd::rows
