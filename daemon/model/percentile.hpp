// SPDX-License-Identifier: GPL-2.0-or-later
// How many values a percentile needs, wherever one is made or shown: ten beyond it.
#pragma once

#include <cstdint>
#include <optional>

namespace netperfd {

// Of 20 values ten lie beyond the median, of 1,000 ten beyond the 99th percentile.
[[nodiscard]] constexpr bool are_enough(std::uint64_t values, double fraction) {
  constexpr double kFewestBeyond = 10;
  return static_cast<double>(values) * (1 - fraction) > kFewestBeyond - 1e-6;
}

// The percentile; absent if it is of too few values. Earlier versions stored such percentiles.
[[nodiscard]] constexpr std::optional<std::uint64_t> if_enough(std::optional<std::uint64_t> percentile,
                                                               std::uint64_t values, double fraction) {
  return are_enough(values, fraction) ? percentile : std::nullopt;
}

}  // namespace netperfd
