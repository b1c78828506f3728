// SPDX-License-Identifier: GPL-2.0-or-later
// The budget of a job's function trace (GetBudget); docs/functions.md is the guide. Shares are those of the
// CPU time of a traced run, from 0 to 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "dbus/rows/field.hpp"

namespace netperfd::rows {

struct Budget {
  double asked = 0;                    // the most that the tracer may take
  std::optional<double> predicted;     // that the chosen functions take; absent: the calls were not counted
  std::optional<double> window_s;      // time in which they were counted, on each side
  std::optional<std::string> failure;  // why they were not counted: all functions are traced
};
template <>
inline constexpr auto kFields<Budget> =
    std::tuple{field("asked", &Budget::asked), field("predicted", &Budget::predicted),
               field("window_s", &Budget::window_s), field("failure", &Budget::failure)};
static_assert(kDescribed<Budget>);

// A function that was called while the calls were counted.
struct BudgetFunction {
  std::string function;     // with the clones that the compiler made of it: foo also means foo.isra.0
  std::uint64_t calls = 0;  // in the window, on the side with more of them
  double cost = 0;          // of tracing it: CPU time, as a share of that of a run without the tracer
  bool traced = false;      // false: the budget leaves it out

  bool operator==(const BudgetFunction&) const = default;
};
template <>
inline constexpr auto kFields<BudgetFunction> =
    std::tuple{field("function", &BudgetFunction::function), field("calls", &BudgetFunction::calls),
               field("cost", &BudgetFunction::cost), field("traced", &BudgetFunction::traced)};
static_assert(kDescribed<BudgetFunction>);

}  // namespace netperfd::rows
