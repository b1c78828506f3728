// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/function_order.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>

namespace netperfd::analysis {
namespace {

rows::Finding traced_finding(const FunctionDelta& function) {
  const Together& together = function.cost_together;
  return {.shift = function.cost.shift,
          .low = together.low,
          .high = together.high,
          .p_adjusted = together.p,
          .least = function.shown_least};
}

rows::Finding sampled_finding(const SampledShift& sampled) {
  return {.shift = sampled.cost.shift,
          .low = sampled.low(),
          .high = sampled.high(),
          .p_adjusted = sampled.together.p};
}

// The sizes of both kinds are of other runs, so none decides between a traced function and one that is not.
std::tuple<bool, bool, rows::Rank> rank_of(const FunctionDelta& function) {
  const rows::Finding row =
      !function.traced && function.sampled ? sampled_finding(*function.sampled) : traced_finding(function);
  return {rows::is_found(row), function.traced, rows::rank_of(row)};
}

}  // namespace

rows::Rank traced_rank(const FunctionDelta& function) {
  return rows::rank_of(traced_finding(function));
}

void order_functions(std::vector<FunctionDelta>& functions) {
  std::ranges::stable_sort(functions, std::greater{}, rank_of);
}

}  // namespace netperfd::analysis
