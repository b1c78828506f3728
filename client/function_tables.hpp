// The tables of functions (function_text.cpp puts them on the page).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client/screen.hpp"
#include "client/views.hpp"

namespace netperfctl::show {

// By self time: the first ten with what they cost, or all with everything that is known, in several tables
// where one would be too wide.
[[nodiscard]] std::string top_functions(const Screen& screen, const ProfileDetails& details);
[[nodiscard]] std::string all_functions(const Screen& screen, const ProfileDetails& details);

// Places in details.functions, the largest self time that the page shows first: the daemon's own order goes
// by the raw one.
[[nodiscard]] std::vector<std::size_t> by_shown_self_time(const ProfileDetails& details);

// Whether the tracer's own cost could be taken off.
[[nodiscard]] bool has_corrected(const ProfileDetails& details);

// Paths of calls from their roots, below one another; on a terminal without those that took next to nothing.
[[nodiscard]] std::string call_tree(const Screen& screen, const ProfileDetails& details);
// Each function with those that called it.
[[nodiscard]] std::string callers_table(const Screen& screen, const ProfileDetails& details);

}  // namespace netperfctl::show
