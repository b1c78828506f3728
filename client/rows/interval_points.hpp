// SPDX-License-Identifier: GPL-2.0-or-later
// Intervals as points, one of each, where the daemon makes no points.
#pragma once

#include <vector>

#include "client/rows/views.hpp"

namespace netperfctl {

[[nodiscard]] IntervalPointsView points_of(const std::vector<IntervalView>& intervals);

}  // namespace netperfctl
