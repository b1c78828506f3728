// SPDX-License-Identifier: GPL-2.0-or-later
// Comparisons as a daemon would return them, for the golden files.
#pragma once

#include <string>

#include "client/rows/comparison_views.hpp"

namespace netperfctl::samples {

[[nodiscard]] CompareView hash_table();       // improvement, explained by one function of hsr
[[nodiscard]] CompareView witnessed();        // the same, and samples agree; one function is not traced
[[nodiscard]] CompareView forwarded();        // packets at a rate that both sides reach, for more CPU time
[[nodiscard]] CompareView called();           // transactions, with samples alone
[[nodiscard]] CompareView noisy();            // inconclusive, nothing traced
[[nodiscard]] CompareView one_run_a_side();   // too few, and much differs
[[nodiscard]] CompareView offload_differs();  // refused
[[nodiscard]] CompareView offload_despite();  // the same with --despite: a regression
[[nodiscard]] CompareView paced();            // equivalent and not CPU-bound, in blocks
[[nodiscard]] CompareView hardly_known();     // only the values that every comparison has

[[nodiscard]] CompareView ring_sides();    // the variants list and hash of a job, improved
[[nodiscard]] CompareView trade_off();     // the same: B receives more, and its latency is longer
[[nodiscard]] CompareView tracing_cost();  // the plain and the traced runs of a job without variants

[[nodiscard]] SweepView swept();          // nine points: some better, one worse, one without a result
[[nodiscard]] SweepView swept_figures();  // 60 points, of two figures each

[[nodiscard]] ComparedFigureView figure_of(const std::string& name, const std::string& verdict, double ratio);
// The same comparison with what is known of the machine of both sides.
[[nodiscard]] CompareView with_settings(CompareView view);

// Self-tests of a job: the host resolves well, resolves too little, or shows a false difference.
[[nodiscard]] CompareView self_equivalent();
[[nodiscard]] CompareView self_inconclusive();
[[nodiscard]] CompareView self_fooled();

}  // namespace netperfctl::samples
