// SPDX-License-Identifier: GPL-2.0-or-later
// What the samples of the plain runs say on the page of a comparison.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client/pages/lines.hpp"
#include "client/rows/comparison_views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::comparing {

// In the order of their table, as the next.
[[nodiscard]] std::vector<FunctionDeltaView> traced_functions(const CompareView& view);
// The rows of sampled_grid().
[[nodiscard]] std::vector<FunctionDeltaView> shown_samples(const CompareView& view);

// "agrees", "disagrees", "too few to tell", "too small to tell", "not traced", or "-".
[[nodiscard]] std::string trace_words(const FunctionDeltaView& row);

// The line below the verdict; empty if the samples neither confirm nor contradict the trace.
[[nodiscard]] std::string witness_words(const CompareView& view);

// The functions whose trace the samples judge, and those that are not traced and differ. Without a heading if
// nothing was sampled.
[[nodiscard]] Grid sampled_grid(const CompareView& view);
// How many of them it leaves out; empty: none.
[[nodiscard]] std::string more_sampled(const CompareView& view, std::size_t shown);
// The same as text; empty if nothing was sampled.
[[nodiscard]] std::string sampled_table(const Screen& screen, const CompareView& view);

}  // namespace netperfctl::comparing
