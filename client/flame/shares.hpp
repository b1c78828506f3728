// SPDX-License-Identifier: GPL-2.0-or-later
// Shares of the samples of one run, which are treated as independent.
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace netperfctl::flame
