// SPDX-License-Identifier: GPL-2.0-or-later
// Sorts the rows of `runs`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/rows/views.hpp"

namespace netperfctl {

// The names of the orders, for --sort.
[[nodiscard]] std::vector<std::string> sort_keys();

// Figures and times the largest first, words in the order of the alphabet; an empty `key` leaves the order.
// Runs without the figure come last, reversed or not. Equal ones stay in their order.
void sort_runs(std::vector<RunView>& runs, std::string_view key, bool reverse);

}  // namespace netperfctl
