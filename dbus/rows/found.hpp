// SPDX-License-Identifier: GPL-2.0-or-later
// Which rows of a comparison show a difference, and the order of rows: one rule for the daemon's list and for
// each table of the client.
#pragma once

#include <cmath>
#include <optional>
#include <tuple>

namespace netperfd::rows {

// Largest adjusted p of a difference beyond chance.
inline constexpr double kFoundAtMost = 0.05;

// The figures of a row that decide. Absent: it was not tested.
struct Finding {
  std::optional<double> shift, low, high, p_adjusted;
  // What the change is at least, if the daemon tells it: any figure of the row may show it.
  std::optional<double> least = std::nullopt;
};

// Finding::least, or the end of the interval that is nearest to 0, as a distance from 0. Absent: the row
// shows no difference, because p_adjusted is above kFoundAtMost or the interval contains 0.
[[nodiscard]] inline std::optional<double> found_at_least(const Finding& row) {
  if (row.least) return row.least;
  if (!row.low || !row.high || !row.p_adjusted || !(*row.p_adjusted <= kFoundAtMost)) return std::nullopt;
  if (*row.low > 0 && *row.high > 0) return *row.low;
  if (*row.low < 0 && *row.high < 0) return -*row.high;
  return std::nullopt;
}

[[nodiscard]] inline bool is_found(const Finding& row) {
  return found_at_least(row).has_value();
}

// The larger, the further up: first what is found, by what it is at least; then the rest, by the size of its
// difference.
using Rank = std::tuple<bool, double, double>;
[[nodiscard]] inline Rank rank_of(const Finding& row) {
  const auto least = found_at_least(row);
  const double size = std::abs(row.shift.value_or(0));
  return {least.has_value(), least.value_or(0), std::isfinite(size) ? size : 0};
}

}  // namespace netperfd::rows
