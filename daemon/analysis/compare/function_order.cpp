// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/function_order.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>

namespace netperfd::analysis {
namespace {

rows::Finding finding(const ShiftEstimate& cost, const std::optional<double>& p_adjusted) {
  return {.shift = cost.shift, .low = cost.low, .high = cost.high, .p_adjusted = p_adjusted};
}

// The sizes of both kinds are of other runs, so none decides between a traced function and one that is not.
std::tuple<bool, bool, rows::Rank> rank_of(const FunctionDelta& function) {
  const rows::Finding row = !function.traced && function.sampled
                                ? finding(function.sampled->cost, function.sampled->p_adjusted)
                                : finding(function.cost, function.p_adjusted);
  return {rows::is_found(row), function.traced, rows::rank_of(row)};
}

}  // namespace

rows::Rank traced_rank(const FunctionDelta& function) {
  return rows::rank_of(finding(function.cost, function.p_adjusted));
}

void order_functions(std::vector<FunctionDelta>& functions) {
  std::ranges::stable_sort(functions, std::greater{}, rank_of);
}

}  // namespace netperfd::analysis
