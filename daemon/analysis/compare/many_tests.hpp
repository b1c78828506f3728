// SPDX-License-Identifier: GPL-2.0-or-later
// Correction for testing many hypotheses at once.
#pragma once

#include <span>
#include <vector>

namespace netperfd::analysis {

// q values: the smallest false discovery rate at which each p would be among the discoveries (Benjamini and
// Hochberg 1995). In the order of `p`.
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<const double> p);

}  // namespace netperfd::analysis
