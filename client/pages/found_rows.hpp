// SPDX-License-Identifier: GPL-2.0-or-later
// The order of functions in the tables of a comparison, by the rule of dbus/rows/found.hpp. The tables of the
// traces and of the samples each have their own.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "client/rows/comparison_views.hpp"
#include "client/terminal/table.hpp"
#include "dbus/rows/found.hpp"

namespace netperfctl::comparing {

using FunctionRows = std::vector<FunctionDeltaView>;

// The figures that decide in a table.
using Finding = netperfd::rows::Finding;
using FindingOf = Finding (*)(const FunctionDeltaView& row);
[[nodiscard]] Finding traced_finding(const FunctionDeltaView& row);
[[nodiscard]] Finding sampled_finding(const FunctionDeltaView& row);

// The interval of the cost that belongs to p_adjusted. An older daemon tells only that of the function alone.
[[nodiscard]] std::pair<std::optional<double>, std::optional<double>> shown_interval(
    const FunctionDeltaView& row);

// Keeps the order of rows that rank alike.
void order_rows(FunctionRows& rows, FindingOf finding);
// Between those of the first `shown` rows, in this order, that show a difference and the rest of them.
[[nodiscard]] Parting parting_of(const FunctionRows& rows, std::size_t shown, FindingOf finding);

}  // namespace netperfctl::comparing
