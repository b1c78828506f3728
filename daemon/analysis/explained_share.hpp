// How much of one difference another one makes, when both are estimates.
//
// What the functions cost more a byte, S, is of the traced runs; what all CPUs took more a byte, D, is of the
// plain ones. S / D is the share that is explained. Its limits are those r at which the interval of S - r D
// begins or ceases to hold 0, that interval being made of the distances between estimates and limits of S and
// D (the method of variance estimates recovery for a ratio: Donner and Zou, Statistical Methods in Medical
// Research 2012; of symmetric intervals it is Fieller's). S and D are taken for independent.
#pragma once

#include <optional>

#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

struct ExplainedShare {
  double share = 0;
  std::optional<double> low, high;  // absent where S has no interval
};

// Absent where the interval of the whole holds 0, or there is none: then any share would fit.
[[nodiscard]] std::optional<ExplainedShare> explained_share(const ShiftEstimate& part,
                                                            const ShiftEstimate& whole);

}  // namespace netperfd::analysis
