// SPDX-License-Identifier: GPL-2.0-or-later
// Parts that the pages of comparisons and of self-tests share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "client/rows/comparison_views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::comparing {

// The sides of asked.job: their names or, without variants, "plain" and "traced".
[[nodiscard]] std::pair<std::string, std::string> job_sides(const CompareView& view);
// "6 ABBA blocks", without `letters` "6 blocks", "3 and 2 boots"; empty if runs are the samples.
[[nodiscard]] std::string pairing_words(const ComparisonView& head, bool letters);
// When the runs of both sides were measured.
[[nodiscard]] std::string when(const Screen& screen, const ComparisonView& head);
// The figure of both sides, the effect, the verdict, the interval, and what the verdict means.
[[nodiscard]] std::string headline(const Screen& screen, const CompareView& view);
// Groups of facts that differ, are not declared and can explain the result.
[[nodiscard]] std::vector<std::string> undeclared_groups(const CompareView& view);

// Facts that differ and the groups that do not.
[[nodiscard]] std::string environment(const Screen& screen, const CompareView& view);
// Those undeclared facts that can explain the result, or those that cannot.
[[nodiscard]] std::string facts_part(const Screen& screen, const CompareView& view, bool explaining);
// The caveats.
[[nodiscard]] std::string evidence(const Screen& screen, const ComparisonView& head);

}  // namespace netperfctl::comparing
