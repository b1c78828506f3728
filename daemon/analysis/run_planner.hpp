// How many runs a wanted effect needs, and what so many runs can find. docs/statistics.md has the simulation
// that checks it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace netperfd::analysis {

// Power is that of a t test of normal values (noncentral t) that has the rank test's own exact level and its
// relative efficiency, 3 / pi (Lehmann 1975). It is the chance to find the effect with the right sign. Of so
// few blocks that all values must have one sign it is exact: P(one value has that sign)^n.
//
// `sd` is the standard deviation of the logarithms, of runs or of block values; `effect` the difference of
// the logarithms, of either sign.
struct PowerQuestion {
  double sd = 0;
  double effect = 0;
  double level = 0.95;
  double power = 0.8;  // below 1
};
// Never fewer than an interval needs at all. Absent where more than a million would be needed, as for no
// effect.
[[nodiscard]] std::optional<std::uint32_t> runs_a_side(const PowerQuestion& question);
[[nodiscard]] std::optional<std::uint32_t> blocks(const PowerQuestion& question);

// The power of that many, 0 below the fewest that an interval needs. `question.power` does not count.
[[nodiscard]] double power_of_runs(std::uint32_t n_a, std::uint32_t n_b, const PowerQuestion& question);
[[nodiscard]] double power_of_blocks(std::uint32_t n, const PowerQuestion& question);

// The effect that n values find with that power; absent below the fewest that an interval needs.
[[nodiscard]] std::optional<double> detectable_by_runs(std::uint32_t n_a, std::uint32_t n_b, double sd,
                                                       double level = 0.95, double power = 0.8);
[[nodiscard]] std::optional<double> detectable_by_blocks(std::uint32_t n, double sd, double level = 0.95,
                                                         double power = 0.8);

// Spread of values, in the scale of a standard deviation, that a single far-off one does not blow up: the
// median absolute deviation times 1.4826 and a factor that takes its bias at small numbers away (Croux and
// Rousseeuw 1992). The sample standard deviation where that is 0 or there are fewer than 6. Absent below 2.
[[nodiscard]] std::optional<double> robust_sd(std::span<const double> values);

// The spread to plan with after a pilot: the greater of robust_sd() and the sample standard deviation. Either
// alone, from a pilot of 6, promises too much: half of the pilots show less spread than there is, and too few
// runs cost more power than too many bring. With the greater the power, averaged over pilots, is the one
// asked.
[[nodiscard]] std::optional<double> planning_sd(std::span<const double> pilot);

}  // namespace netperfd::analysis
