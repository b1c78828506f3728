// Where the difference is, in ns of CPU per byte of goodput: bytes are what both sides deliver, so a side
// that merely moved more of them does not cost more.
//
// The functions' costs are of the traced runs, the total is of the plain ones. The explained share is that of
// the tested functions together: their self time a byte is added up run by run, and the shift of these sums
// is divided by the shift of the total (explained_share.hpp).
#pragma once

#include <vector>

#include "daemon/analysis/caveats.hpp"
#include "daemon/analysis/comparison.hpp"

namespace netperfd::analysis {

[[nodiscard]] Attribution attribute(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                    const ComparisonSettings& settings, Caveats& caveats);

}  // namespace netperfd::analysis
