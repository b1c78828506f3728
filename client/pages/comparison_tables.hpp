// SPDX-License-Identifier: GPL-2.0-or-later
// The tables of the page of a comparison: functions, counters and facts that differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "client/pages/lines.hpp"
#include "client/rows/comparison_views.hpp"
#include "client/terminal/screen.hpp"
#include "dbus/rows/found.hpp"

namespace netperfctl::comparing {

// "+171 %", "-1.2 %", "+0.04 %" of a ratio of B to A.
[[nodiscard]] std::string signed_percent(double ratio);
// "+0.52", "-17.09", "-0.002"; never 0 for a value that is not 0.
[[nodiscard]] std::string signed_figure(double value);
// "0.041", "0.001", "<0.0001"
[[nodiscard]] std::string probability_text(double probability);
// "-17.99 to -16.19"; "-" if there is none.
[[nodiscard]] std::string interval_text(const std::optional<double>& low, const std::optional<double>& high);
// Two digits, so that a change of a small cost shows.
[[nodiscard]] std::string format_cost(double cost);
// "hsr_get_node [hsr]"
[[nodiscard]] std::string function_name(const FunctionDeltaView& row);
// "...12 more functions: --all, or -o json"; empty if all are shown.
[[nodiscard]] std::string more_text(std::size_t shown, std::uint64_t known, const char* what);

// Highest q of a counter, or adjusted p of a function, that is said to have moved.
inline constexpr double kMoved = netperfd::rows::kFoundAtMost;

// Of the traced functions; without a heading if there are none.
[[nodiscard]] Grid functions_grid(const CompareView& view);
// How many traced functions it leaves out; empty: none.
[[nodiscard]] std::string more_functions(const CompareView& view, std::size_t shown);
// If no function differs beyond chance: what would have been found in the costliest one.
[[nodiscard]] std::string not_found_words(const CompareView& view);
// Without rows, the heading says why; without a heading there is nothing to say.
[[nodiscard]] Grid confirmation_grid(const CompareView& view);
[[nodiscard]] Grid counters_grid(const CompareView& view);

// Each with its heading; empty if there are no rows.
[[nodiscard]] std::string functions_table(const Screen& screen, const CompareView& view);
// What the job that this one confirms found in its functions, beside what this one found; empty without one.
[[nodiscard]] std::string confirmation_table(const Screen& screen, const CompareView& view);
[[nodiscard]] std::string counters_table(const Screen& screen, const CompareView& view);

// "build-id 3f9c21d0 -> 71ab0c44"; on a terminal each value is cut to `most` columns.
[[nodiscard]] std::string fact_words(const Screen& screen, const FactChangeView& fact, std::size_t most);

}  // namespace netperfctl::comparing
