// SPDX-License-Identifier: GPL-2.0-or-later
// What the page and the report of a comparison say around its headline and its tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/pages/lines.hpp"
#include "client/rows/comparison_views.hpp"

namespace netperfctl::comparing {

// The scenario, both sides, what a sample is, the job.
[[nodiscard]] std::vector<std::string> title_parts(const CompareView& view);
// Whose runs each side has, if they are of several users.
[[nodiscard]] Lines owners(const CompareView& view);
// What was declared, or taken for the change, with its facts.
[[nodiscard]] Lines changed(const Screen& screen, const CompareView& view);

// Why the verdict was refused, where that is for facts of the environment; else the caveats say it.
[[nodiscard]] std::string refusal_words(const CompareView& view);
inline constexpr const char* kAfterRefusal =
    "--changed GROUP says that one of them is the change; --despite shows the numbers all the same, marked";
// If a side has no throughput, no verdict is possible, whatever is declared. The other results are shown.
[[nodiscard]] bool hides_figures(const CompareView& view);

// The CPU time of both sides, above the functions.
[[nodiscard]] Lines cost(const CompareView& view);
// What the change in the traced runs' CPU time consists of, below the functions.
[[nodiscard]] Lines account(const CompareView& view);
// The result of this host's self-test, or how to run one.
[[nodiscard]] Lines selftest(const CompareView& view, std::uint64_t now_us);

}  // namespace netperfctl::comparing
