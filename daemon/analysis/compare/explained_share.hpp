// The share of one difference that another one explains, when both are estimates.
//
// S, the change of the functions' cost per byte, comes from the traced runs. D, the change of all CPUs' time
// per byte, comes from the plain runs. S / D is the explained share. Its limits are those r at which the
// interval of S - r D begins or ceases to hold 0. That interval is built from the distances between the
// estimates and limits of S and D (the method of variance estimates recovery for a ratio: Donner and Zou,
// Statistical Methods in Medical Research 2012; for symmetric intervals it is Fieller's). S and D are assumed
// to be independent.
#pragma once

#include <optional>

#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

struct ExplainedShare {
  double share = 0;
  std::optional<double> low, high;  // absent if S has no interval
};

// Absent if the whole has no interval or its interval holds 0: then any share would fit.
[[nodiscard]] std::optional<ExplainedShare> explained_share(const ShiftEstimate& part,
                                                            const ShiftEstimate& whole);

}  // namespace netperfd::analysis
