// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of comparisons as a daemon would return them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/rows/comparison_views.hpp"

namespace netperfctl::samples {

using Words = std::vector<std::string>;

// So many runs a side that were selected so, from run 41 and run 61 on.
[[nodiscard]] CompareView compared(const std::string& a, const std::string& b, std::uint64_t runs);

// The costs of both sides, half the width of the interval of their difference, and q.
[[nodiscard]] FunctionDeltaView function(const char* name, double a, double b, double half, double q);
[[nodiscard]] CounterChangeView counter(const char* source, const char* name, double a, double b, double q);
[[nodiscard]] FactChangeView fact(const char* group, const char* key, Words a, Words b, bool declared,
                                  bool explains);
[[nodiscard]] FactChangeView hsr_build();
[[nodiscard]] std::vector<FunctionDeltaView> ring_functions();

// Gives the row figures of samples: the shift of B less A, and half the width of its interval.
void give_samples(FunctionDeltaView& row, double a, double b, double half);
// A function that only samples know.
[[nodiscard]] FunctionDeltaView sampled_function(const char* name, double a, double b, double half,
                                                 double p_adjusted);

}  // namespace netperfctl::samples
