// What the traces of two sides are worth as evidence of where time went.
#pragma once

#include <string>

#include "daemon/analysis/caveats.hpp"
#include "daemon/analysis/sampling.hpp"

namespace netperfd::analysis {

// Why these traces cannot say where a difference is, in a sentence; empty: they can. A trace that broke, or
// more than 1 % of a side's records lost. All runs must have a trace with functions.
[[nodiscard]] std::string refusal_of_traces(const RunList& a, const RunList& b);

// What weakens them: losses below that, calls that are not whole, functions that were not traced, another
// number of functions in the filter or depth of calls, sleep in the self times, and missing calibration.
void note_traces(const RunList& a, const RunList& b, Caveats& caveats);

}  // namespace netperfd::analysis
