// SPDX-License-Identifier: GPL-2.0-or-later
// What a host can resolve: its self-tests compare it with itself, so what they find is the host's.
#pragma once

#include <optional>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"

namespace netperfd::analysis {

// From the runs of both sides of all self-tests whose boot is known. What boots add shows in the differences
// of the boots, what builds add in those of the pairs of builds: each build meets the next one, so these sum
// up to 0 and n of them have n - 1 degrees of freedom. The mean squares of both are added. With the fewer
// degrees of freedom k, the luck of another boot and another pair of builds lies within t times the root of
// that sum in `level` of all cases (t: quantile of Student's t). The noise of the runs is in it: a self-test
// of fewer blocks than the comparison gives more than necessary. As a ratio above 1.
//
// A level with less than three degrees of freedom counts as unknown; absent if both are. A build against
// itself shows what boots add, and nothing of what builds add.
[[nodiscard]] std::optional<double> code_resolution(const std::vector<ComparedRun>& a,
                                                    const std::vector<ComparedRun>& b, double level,
                                                    const Figure& figure = {});

// The far end of a self-test's interval if it leaves out 1 and reaches beyond the threshold, as a ratio above
// 1. Absent otherwise: the host found nothing where there is nothing.
[[nodiscard]] std::optional<double> settings_resolution(const RatioEstimate& self_test, Verdict verdict);

}  // namespace netperfd::analysis
