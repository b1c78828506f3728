// SPDX-License-Identifier: GPL-2.0-or-later
// The tables of functions (function_text.cpp puts them on the page).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

// By self time: the first ten with their cost, or all with all their figures, in several tables if one would
// be too wide.
[[nodiscard]] std::string top_functions(const Screen& screen, const ProfileDetails& details);
[[nodiscard]] std::string all_functions(const Screen& screen, const ProfileDetails& details);

// Indices into details.functions, by the self time that the page shows, the largest first. The daemon orders
// by the raw self time.
[[nodiscard]] std::vector<std::size_t> by_shown_self_time(const ProfileDetails& details);

// Whether the tracer's own cost could be taken off.
[[nodiscard]] bool has_corrected(const ProfileDetails& details);

// The call tree from its roots; on a terminal without paths that took almost no time.
[[nodiscard]] std::string call_tree(const Screen& screen, const ProfileDetails& details);
// Each function with its callers.
[[nodiscard]] std::string callers_table(const Screen& screen, const ProfileDetails& details);

}  // namespace netperfctl::show
