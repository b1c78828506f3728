// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "client/rows/comparison_views.hpp"

namespace netperfctl::comparing {

// Why the cost of a function moved: the factors that show a change, with their intervals, or else the one
// that changed most, and a second one where it is not much less.
[[nodiscard]] std::string cause_words(const CompareView& view, const FunctionDeltaView& row);

}  // namespace netperfctl::comparing
