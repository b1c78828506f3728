// SPDX-License-Identifier: GPL-2.0-or-later
// Comparisons as a daemon would return them, for the golden files.
#pragma once

#include "client/rows/comparison_views.hpp"

namespace netperfctl::samples {

[[nodiscard]] CompareView hash_table();       // improvement, explained by one function of hsr
[[nodiscard]] CompareView witnessed();        // the same, and samples agree; one function is not traced
[[nodiscard]] CompareView noisy();            // inconclusive, nothing traced
[[nodiscard]] CompareView one_run_a_side();   // too few, and much differs
[[nodiscard]] CompareView offload_differs();  // refused
[[nodiscard]] CompareView offload_despite();  // the same with --despite: a regression
[[nodiscard]] CompareView paced();            // equivalent and not CPU-bound, in blocks
[[nodiscard]] CompareView hardly_known();     // only the values that every comparison has

[[nodiscard]] CompareView ring_sides();    // the variants list and hash of a job, improved
[[nodiscard]] CompareView tracing_cost();  // the plain and the traced runs of a job without variants

// Self-tests of a job: the host resolves well, resolves too little, or shows a false difference.
[[nodiscard]] CompareView self_equivalent();
[[nodiscard]] CompareView self_inconclusive();
[[nodiscard]] CompareView self_fooled();

}  // namespace netperfctl::samples
