// SPDX-License-Identifier: GPL-2.0-or-later
// A comparison, as the rows that dbus/org.netperfd1.Manager.xml documents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/bus/rows/wire.hpp"
#include "daemon/core/comparison/run_comparison.hpp"
#include "daemon/core/comparison/run_plan.hpp"
#include "dbus/compat.hpp"
#include "dbus/rows/comparison.hpp"

namespace netperfd::bus {

// The answer of Compare.
struct WireComparison {
  Row comparison;
  Rows functions, counters, facts;
};

// That of a sweep which the comparison is of.
struct NamedPoint {
  std::uint32_t point = 0;
  std::string name;
};

// Always fits into one message: excess rows are left out from the end of their list, and counted.
[[nodiscard]] WireComparison wire_comparison(const core::ComparedSelections& compared,
                                             const std::optional<NamedPoint>& point = std::nullopt);

[[nodiscard]] rows::Effect effect_of(const RatioEstimate& effect);
[[nodiscard]] rows::Reach reach_of(const RatioEstimate& effect);

[[nodiscard]] Row function_delta_row(const FunctionDelta& function);
[[nodiscard]] Row counter_change_row(const CounterChange& counter);
[[nodiscard]] Row fact_change_row(const FactChange& fact);
// The answer of PlanRuns.
[[nodiscard]] Row plan_row(const core::RunPlan& plan);

}  // namespace netperfd::bus
