// SPDX-License-Identifier: GPL-2.0-or-later
// Computes how many runs are needed to find an effect, and the effect that a number of runs can find.
// docs/statistics.md describes the simulation that checks it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace netperfd::analysis {

// Power is the chance to find the effect with the right sign. It is computed as for a t test of normal values
// (noncentral t) with the rank test's own exact level and its relative efficiency, 3 / pi (Lehmann 1975). If
// there are so few blocks that all values must have one sign, it is exact: P(one value has that sign)^n.
//
// `sd` is the standard deviation of the logarithms, of runs or of block values; `effect` the difference of
// the logarithms, of either sign.
struct PowerQuestion {
  double sd = 0;
  double effect = 0;
  double level = 0.95;
  double power = 0.8;  // below 1
};
// Never fewer than an interval needs. Absent if more than a million would be needed, as for an effect of 0.
[[nodiscard]] std::optional<std::uint32_t> runs_a_side(const PowerQuestion& question);
[[nodiscard]] std::optional<std::uint32_t> blocks(const PowerQuestion& question);

// The number that shows equivalence: without a difference, the whole interval lies within `effect` on both
// sides of 0 with that power. Each end fails in half of the remaining cases, so it needs a greater power than
// finding a difference: with 80 % about 1.3 times as many (Julious, Statist. Med. 23, 2004).
[[nodiscard]] std::optional<std::uint32_t> runs_a_side_for_equivalence(const PowerQuestion& question);
[[nodiscard]] std::optional<std::uint32_t> blocks_for_equivalence(const PowerQuestion& question);

// The power of that many runs; 0 below the minimum that an interval needs. `question.power` is ignored.
[[nodiscard]] double power_of_runs(std::uint32_t n_a, std::uint32_t n_b, const PowerQuestion& question);
[[nodiscard]] double power_of_blocks(std::uint32_t n, const PowerQuestion& question);

// The effect that so many runs find with that power; absent below the minimum that an interval needs.
[[nodiscard]] std::optional<double> detectable_by_runs(std::uint32_t n_a, std::uint32_t n_b, double sd,
                                                       double level = 0.95, double power = 0.8);
[[nodiscard]] std::optional<double> detectable_by_blocks(std::uint32_t n, double sd, double level = 0.95,
                                                         double power = 0.8);

// The spread to plan with after a pilot: the greater of robust_sd() and the sample standard deviation. Either
// alone, from a pilot of 6, promises too much: half of the pilots show less spread than there is, and having
// too few runs costs more power than having too many gains. With the greater one, the power averaged over
// pilots is the one asked for.
[[nodiscard]] std::optional<double> planning_sd(std::span<const double> pilot);

}  // namespace netperfd::analysis
