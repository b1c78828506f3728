// SPDX-License-Identifier: GPL-2.0-or-later
// Sorts the rows of `runs`, and finds the one among them whose page is worth a look.
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

// The last run that measured; null: none did.
[[nodiscard]] const RunView* run_with_results(const std::vector<RunView>& runs);

}  // namespace netperfctl
