// SPDX-License-Identifier: GPL-2.0-or-later
// What the page and the report of a comparison say around its headline and its tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/pages/lines.hpp"
#include "client/rows/comparison_views.hpp"

namespace netperfctl::comparing {

// The scenario, both sides, what a sample is, the job.
[[nodiscard]] std::vector<std::string> title_parts(const CompareView& view);
// "label before", "runs 41-48", or the name of a design's side.
[[nodiscard]] std::pair<std::string, std::string> side_names(const CompareView& view);
// Of both sides, if all of their runs have the same; otherwise empty.
[[nodiscard]] std::string scenario_words(const ComparisonView& head);
// Whose runs each side has, if they are of several users.
[[nodiscard]] Lines owners(const CompareView& view);
// What was declared, or taken for the change, with its facts.
[[nodiscard]] Lines changed(const Screen& screen, const CompareView& view);

// `command` in lines that a shell takes, below `key`.
[[nodiscard]] Line command_line(const Screen& screen, std::string key, std::string_view command);
// If a side has no throughput, no verdict is possible, whatever is declared. The other results are shown.
[[nodiscard]] bool hides_figures(const CompareView& view);

// The CPU time of both sides, above the functions.
[[nodiscard]] Lines cost(const CompareView& view);
// What the change in the traced runs' CPU time consists of, below the functions.
[[nodiscard]] Lines account(const CompareView& view);
// The result of this host's self-test, or how to run one.
[[nodiscard]] Lines selftest(const CompareView& view, std::uint64_t now_us);

}  // namespace netperfctl::comparing
