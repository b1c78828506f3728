// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/found_rows.hpp"

#include <algorithm>
#include <functional>

namespace netperfctl::comparing {

Finding traced_finding(const FunctionDeltaView& row) {
  const auto [low, high] = shown_interval(row);
  return {
      .shift = row.shift, .low = low, .high = high, .p_adjusted = row.p_adjusted, .least = row.shown_least};
}

std::pair<std::optional<double>, std::optional<double>> shown_interval(const FunctionDeltaView& row) {
  if (row.calls_p_adjusted) return {row.together_low, row.together_high};
  return {row.low, row.high};
}

Finding sampled_finding(const FunctionDeltaView& row) {
  return {.shift = row.sampled_shift,
          .low = row.sampled_low,
          .high = row.sampled_high,
          .p_adjusted = row.sampled_p_adjusted};
}

void order_rows(FunctionRows& rows, FindingOf finding) {
  std::ranges::stable_sort(rows, std::greater{}, [finding](const FunctionDeltaView& row) {
    return netperfd::rows::rank_of(finding(row));
  });
}

Parting parting_of(const FunctionRows& rows, std::size_t shown, FindingOf finding) {
  std::size_t found = 0;
  while (found < shown && netperfd::rows::is_found(finding(rows[found]))) ++found;
  if (found == shown) return {};
  return {.before = found, .words = "not beyond chance, or not tested:"};
}

}  // namespace netperfctl::comparing
