// SPDX-License-Identifier: GPL-2.0-or-later
// The tables of the page of a comparison: functions, counters and facts that differ.
#pragma once

#include <string>

#include "client/rows/comparison_views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::comparing {

// "+171 %", "-1.2 %", "+0.04 %" of a ratio of B to A.
[[nodiscard]] std::string signed_percent(double ratio);
// "+0.52", "-17.09", "-0.002"; never 0 for a value that is not 0.
[[nodiscard]] std::string signed_figure(double value);
// "0.041", "0.001", "<0.0001"
[[nodiscard]] std::string probability_text(double probability);

// Each with its heading; empty if there are no rows.
[[nodiscard]] std::string functions_table(const Screen& screen, const CompareView& view);
[[nodiscard]] std::string counters_table(const Screen& screen, const CompareView& view);

// "build-id 3f9c21d0 -> 71ab0c44"; on a terminal each value is cut to `most` columns.
[[nodiscard]] std::string fact_words(const Screen& screen, const FactChangeView& fact, std::size_t most);

}  // namespace netperfctl::comparing
