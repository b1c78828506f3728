// SPDX-License-Identifier: GPL-2.0-or-later
// Attributes a throughput difference to kernel functions, in ns of CPU per byte of goodput. Costs are per
// byte because a side that merely moved more bytes must not appear to cost more.
//
// The functions' costs come from the traced runs, whose CPU time they must account for (traced_account.hpp).
// There are shares of it only if plain and traced runs both show a change in CPU time and do not disagree on
// it.
#pragma once

#include <vector>

#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/comparison.hpp"

namespace netperfd::analysis {

[[nodiscard]] Attribution attribute(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                    const ComparisonSettings& settings, Caveats& caveats);

}  // namespace netperfd::analysis
