// SPDX-License-Identifier: GPL-2.0-or-later
// The samples of the runs of a comparison.
#pragma once

#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Fills ComparedRun::samples of the plain runs that were sampled; all else of the runs must be there. One
// profile is in memory at a time. invalid_argument if the runs have too many sampled functions together.
[[nodiscard]] Status add_samples(Connection& connection, std::vector<analysis::ComparedRun>& runs);

}  // namespace netperfd::store
