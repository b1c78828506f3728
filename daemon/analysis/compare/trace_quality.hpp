// SPDX-License-Identifier: GPL-2.0-or-later
// Quality of two sides' traces as evidence of where time went.
#pragma once

#include <string>

#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/grouping.hpp"

namespace netperfd::analysis {

// Gate 10: a sentence why these traces cannot show where a difference is; empty: they can. The reasons are a
// trace that broke, and a side that lost more than 1 % of its records or nobody knows how many. All runs must
// have a trace with functions.
[[nodiscard]] std::string refusal_of_traces(const RunList& a, const RunList& b);

// Notes the weaknesses: losses below that limit, calls that are not whole, functions that were not traced, a
// different number of functions in the filter, a different depth of calls, sleep in the self times, and
// missing calibration.
void note_traces(const RunList& a, const RunList& b, Caveats& caveats);

}  // namespace netperfd::analysis
