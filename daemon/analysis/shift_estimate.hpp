// Samples to the model's words for a difference that is added up.
#pragma once

#include "daemon/analysis/sampling.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

// Medians over the runs, not over the samples. Without a sample of both sides there is no shift.
[[nodiscard]] ShiftEstimate estimate_shift(const Sampling& sampling, const RunValues& a, const RunValues& b,
                                           double level);

// Of the medians alone, for what is told and not tested.
[[nodiscard]] ShiftEstimate difference_of_medians(const RunValues& a, const RunValues& b);

// Of those that know; absent where none does.
[[nodiscard]] std::optional<double> median_of(const RunValues& values);

}  // namespace netperfd::analysis
