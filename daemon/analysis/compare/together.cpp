// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/together.hpp"

#include <algorithm>

namespace netperfd::analysis {

std::optional<ShiftInterval> interval_of(const Samples& samples, const std::optional<double>& wide,
                                         const std::optional<double>& critical) {
  for (const auto& each : {wide, critical}) {
    if (!each) continue;
    if (auto ends = interval_at(samples, *each)) return ends;
  }
  return std::nullopt;
}

void let_agree(double shift, double level, Together& together) {
  constexpr double kHardly = 1e-3;  // of the shift: little, but a page can show it
  if (*together.p > 1 - level + 1e-12) {
    together.low = std::min(*together.low, 0.0);
    together.high = std::max(*together.high, 0.0);
  } else if (shift > 0) {
    together.low = std::max(*together.low, kHardly * shift);
  } else if (shift < 0) {
    together.high = std::min(*together.high, kHardly * shift);
  }
}

void widen(const ShiftEstimate& single, double level, Together& together) {
  together.p = std::max(*together.p, *single.p);
  if (!together.low) return;
  together.low = std::min(*together.low, *single.low);
  together.high = std::max(*together.high, *single.high);
  let_agree(*single.shift, level, together);
}

}  // namespace netperfd::analysis
