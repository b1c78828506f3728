// Many hypotheses at once: which differences are left when it is known that so many were looked at.
#pragma once

#include <span>
#include <vector>

namespace netperfd::analysis {

// q values: the least false discovery rate at which each would be among the discoveries (Benjamini and
// Hochberg 1995). In the order of `p`.
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<const double> p);

}  // namespace netperfd::analysis
