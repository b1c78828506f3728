// SPDX-License-Identifier: GPL-2.0-or-later
// Parts that the pages of comparisons and of self-tests share.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "client/pages/lines.hpp"
#include "client/rows/comparison_views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::comparing {

// The first line of a page; further ones if it does not fit.
[[nodiscard]] std::string title_text(const Screen& screen, const std::vector<std::string>& parts);
// "point 3: streams=1, length=1448"; empty if the comparison is not of one point of a sweep.
[[nodiscard]] std::string point_words(const ComparisonView& head);
// The sides of asked.job: their names or, without variants, "plain" and "traced".
[[nodiscard]] std::pair<std::string, std::string> job_sides(const CompareView& view);
// "6 ABBA blocks", without `letters` "6 blocks", "3 and 2 boots"; empty if runs are the samples.
[[nodiscard]] std::string pairing_words(const ComparisonView& head, bool letters);
// Number of users whose runs are compared; 0 if the daemon does not say.
[[nodiscard]] std::size_t owner_count(const ComparisonView& head);
// When the runs of both sides were measured.
[[nodiscard]] Lines when(const ComparisonView& head, std::uint64_t now_us);

// Groups of facts that differ, are not declared and can explain the result.
[[nodiscard]] std::vector<std::string> undeclared_groups(const CompareView& view);
// Those undeclared facts that can explain the result, or those that cannot.
[[nodiscard]] Lines facts(const Screen& screen, const CompareView& view, bool explaining);

// Facts that differ and the groups that do not.
[[nodiscard]] std::vector<Section> environment(const Screen& screen, const CompareView& view);
// The caveats.
[[nodiscard]] Lines evidence(const ComparisonView& head);
// Both as text.
[[nodiscard]] std::string environment_and_evidence(const Screen& screen, const CompareView& view);

}  // namespace netperfctl::comparing
