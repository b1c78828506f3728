// SPDX-License-Identifier: GPL-2.0-or-later
// How much CPU time a place of the code takes on both sides, by samples of their runs.
//
// A sampled cost is samples * CPU time of one sample / work, in each run. Its shift is estimated as any
// other, so the interval has the spread of the runs. It is never narrower than counting alone allows: with n
// samples on a side, their standard deviation is sqrt(n + 1) samples.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

// A place in the sampled runs of one side.
struct SampledSide {
  RunValues values;         // CPU time per unit of work
  std::uint64_t count = 0;  // samples
  double variance = 0;      // of the mean cost, by counting alone
};

// `counts`: the samples in each run; `weights`: the CPU time of one of them per unit of work.
[[nodiscard]] SampledSide sampled_side(std::span<const std::uint64_t> counts,
                                       std::span<const double> weights);

struct SampledPlace {
  SampledSide a, b;
  Samples samples;
  SampledShift shift;  // without a p, if there are too few runs for an interval
};
[[nodiscard]] SampledPlace sampled_place(const Grouping& grouping, SampledSide a, SampledSide b,
                                         double level);

// What so many samples find alone with 80 % power at a spread of 1; absent if they have no interval.
[[nodiscard]] std::optional<double> detectable_spreads(const Samples& samples, double level);
// Fills SampledShift::detectable: `spreads` times the spread of its samples, and no less than counting finds
// with that power.
void note_detectable(SampledPlace& place, const std::optional<double>& spreads, double level);

// Fills SampledShift::together of places of the same runs (family_test.hpp), with p times `looks`, and
// `detectable` of those that have it already.
void test_together(std::span<SampledPlace* const> places, double level, double looks = 1);

}  // namespace netperfd::analysis
