// SPDX-License-Identifier: GPL-2.0-or-later
// The interval of a figure that is tested with others (family_test.hpp), and the p beside it: what one says,
// the other says, too.
#pragma once

#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

// The interval is of more exchanges than p, and both round: it leaves out 0 afterwards exactly if p is at
// most 1 - level. Both must be known, and the shift within the interval.
void let_agree(double shift, double level, Together& together);

// Of what the exchanges do not know, but the test of the figure alone does, such as the luck of a build that
// samples share, or that of counting: p is not smaller than there, the interval not narrower.
void widen(const ShiftEstimate& single, double level, Together& together);

}  // namespace netperfd::analysis
