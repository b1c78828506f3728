// The tables of the page of a comparison: functions, counters and facts that differ.
#pragma once

#include <string>

#include "client/comparison_views.hpp"
#include "client/screen.hpp"

namespace netperfctl::comparing {

// "+171 %", "-1.2 %", "+0.04 %" of a ratio of B to A.
[[nodiscard]] std::string signed_percent(double ratio);
// "+0.52", "-17.09", "-0.002"; never 0 for what is not.
[[nodiscard]] std::string signed_figure(double value);
// "0.041", "0.001", "<0.0001"
[[nodiscard]] std::string probability_text(double probability);

// Each with its heading, empty where there is nothing to say.
[[nodiscard]] std::string functions_table(const Screen& screen, const CompareView& view);
[[nodiscard]] std::string counters_table(const Screen& screen, const CompareView& view);

// "build-id 3f9c21d0 -> 71ab0c44", values met cut to `most` columns each on a terminal.
[[nodiscard]] std::string fact_words(const Screen& screen, const FactChangeView& fact, std::size_t most);

}  // namespace netperfctl::comparing
