// SPDX-License-Identifier: GPL-2.0-or-later
// Reduces the samples of a plain run to what a comparison needs of them.
//
// The self time of a traced function includes what it calls untraced, and interrupts over it up to their
// first traced function. So a sample counts to the innermost traced function of its stack: then both figures
// mean the same. The same sample also counts to the untraced function in which it was taken, so that the
// cause can be told within that self time.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/function_match.hpp"
#include "daemon/model/sample_profile.hpp"

namespace netperfd::analysis {

// `traced`: the functions of the traces to compare with. `busy_ns`: CPU time of the run, on all CPUs and of
// all tasks. Absent if nothing was sampled, or if the event counts no idle time and `busy_ns` is unknown:
// then nobody knows how much time a sample stands for.
[[nodiscard]] std::optional<ComparedSamples> sampled_costs(const SampleProfile& profile,
                                                           const std::set<FunctionKey>& traced,
                                                           std::optional<std::uint64_t> busy_ns);

}  // namespace netperfd::analysis
