// SPDX-License-Identifier: GPL-2.0-or-later
// The interval of a figure that is tested with others (family_test.hpp), and the p beside it: what one says,
// the other says, too.
#pragma once

#include <optional>

#include "daemon/analysis/compare/family_test.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

// The interval of a figure, at FamilyTest::wide; where that leaves it unbounded, at the critical value, at
// which it is bounded if p_together shows the figure. Absent if it is unbounded there, too.
[[nodiscard]] std::optional<ShiftInterval> interval_of(const Samples& samples,
                                                       const std::optional<double>& wide,
                                                       const std::optional<double>& critical);

// The interval is of more exchanges than p, which steps down: afterwards it leaves out 0 exactly if p is at
// most 1 - level, and ends just short of 0 if it reached it. Both must be known, and the shift within the
// interval.
void let_agree(double shift, double level, Together& together);

// Of what the exchanges do not know, but the test of the figure alone does, such as the luck of a build that
// samples share, or that of counting: p is not smaller than there, the interval not narrower.
void widen(const ShiftEstimate& single, double level, Together& together);

}  // namespace netperfd::analysis
