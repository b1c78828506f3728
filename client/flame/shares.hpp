// SPDX-License-Identifier: GPL-2.0-or-later
// Shares of samples, and differences between them. Samples are treated as independent.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace netperfctl::flame {

struct Part {
  std::uint64_t count = 0, of = 0;

  // 0 of nothing.
  [[nodiscard]] double share() const {
    return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
  }
};

// "4.1 % (95 % interval: 3.4 % to 4.9 %)", by Wilson's score interval. `part.of` is not 0.
[[nodiscard]] std::string share_with_interval(const Part& part);

// The p value of the two-proportion test: the chance of such a difference if both parts were alike. Absent
// if there are too few samples for its normal approximation (fewer than 5 expected on one side).
[[nodiscard]] std::optional<double> p_of_difference(const Part& a, const Part& b);

// Whether each is among the discoveries of Benjamini and Hochberg's procedure at the level `rate`. Absent
// values were not tested.
[[nodiscard]] std::vector<bool> discoveries(std::span<const std::optional<double>> p, double rate);

}  // namespace netperfctl::flame
