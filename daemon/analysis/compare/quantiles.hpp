// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace netperfd::analysis {

// Of the standard normal distribution.
[[nodiscard]] double normal_quantile(double probability);
[[nodiscard]] double students_t_quantile(double freedom, double probability);

// The noncentrality with which a noncentral t of that freedom exceeds `t` with the given power.
[[nodiscard]] double noncentrality_above(double t, double freedom, double power);

}  // namespace netperfd::analysis
