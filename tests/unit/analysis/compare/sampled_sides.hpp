// SPDX-License-Identifier: GPL-2.0-or-later
// Runs in blocks, in one boot or several.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {

struct SampledSides {
  std::vector<ComparedRun> a, b;
};

// Alternating ABBA and BAAB blocks, one minute per letter, on a host that becomes 1 % slower per letter.
inline SampledSides blocks(std::uint32_t count, double ratio) {
  SampledSides sides;
  int minute = 0;
  for (std::uint32_t block = 1; block <= count; ++block) {
    for (std::uint32_t letter = 1; letter <= 4; ++letter) {
      const bool outer = letter == 1 || letter == 4;
      const bool is_a = outer == (block % 2 == 1);
      const double wobble = 1 + 1e-4 * (block % 3);
      ComparedRun run = run_at(minute, 1e9 * std::exp(-0.01 * minute) * (is_a ? 1 : ratio * wobble));
      ++minute;
      run.job = 7;
      run.block = block;
      run.letter = letter;
      (is_a ? sides.a : sides.b).push_back(run);
    }
  }
  return sides;
}

// Gives the runs of each of `each` successive blocks a boot of their own.
inline void boot_every(std::uint32_t each, SampledSides& sides) {
  for (auto* side : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *side) {
      run.fingerprint.emplace().boot_id = "boot-" + std::to_string((run.block - 1) / each);
    }
  }
}

}  // namespace netperfd::analysis
