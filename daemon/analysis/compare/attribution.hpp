// Attributes a throughput difference to kernel functions, in ns of CPU per byte of goodput. Costs are per
// byte because a side that merely moved more bytes must not appear to cost more.
//
// The functions' costs come from the traced runs, the total from the plain runs. The explained share belongs
// to the tested functions together: their self times per byte are added up run by run, and the shift of these
// sums is divided by the shift of the total (explained_share.hpp).
#pragma once

#include <vector>

#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/comparison.hpp"

namespace netperfd::analysis {

[[nodiscard]] Attribution attribute(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                    const ComparisonSettings& settings, Caveats& caveats);

}  // namespace netperfd::analysis
