// What a host can resolve: its self-tests compare it with itself, so what they find is the host's.
#pragma once

#include <optional>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"

namespace netperfd::analysis {

// From the runs of both sides of all self-tests, with their blocks, boots and builds. A boot, or a pair of
// builds in a boot, adds its luck to the difference of two builds, and each self-test has its own. With k of
// them, the luck of another one lies within t times the root of their mean square in `level` of all cases (t:
// quantile of Student's t with k degrees of freedom, since the true difference is known to be 0). The noise
// of their runs is in it: a self-test of fewer blocks than the comparison gives more than necessary. As a
// ratio above 1; absent below three of them.
//
// Two builds of one source show what a build adds, which a build against itself does not.
[[nodiscard]] std::optional<double> code_resolution(const std::vector<ComparedRun>& a,
                                                    const std::vector<ComparedRun>& b, double level);

// The far end of a self-test's interval if it leaves out 1 and reaches beyond the threshold, as a ratio above
// 1. Absent otherwise: the host found nothing where there is nothing.
[[nodiscard]] std::optional<double> settings_resolution(const RatioEstimate& self_test, Verdict verdict);

}  // namespace netperfd::analysis
