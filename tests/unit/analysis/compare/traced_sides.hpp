// SPDX-License-Identifier: GPL-2.0-or-later
// Plain and traced runs of two sides that differ in a known way.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {

struct TracedSides {
  std::vector<ComparedRun> a, b;
};

// Eight plain and eight traced runs on each side. The CPUs take 10 and 8 ns per byte. In hsr, lookup goes
// from 2.0 to 0.5 ns per byte and forward stays at 0.8; all values of A and B vary by a few parts in a
// thousand. The traced runs take the same, and 0.6 ns per byte for the tracer.
inline TracedSides classic() {
  TracedSides sides;
  int minute = 0;
  for (auto* side : {&sides.a, &sides.b}) {
    const bool is_a = side == &sides.a;
    for (int i = 0; i < 8; ++i) {
      auto plain = runs_from(minute++, {is_a ? 100e6 : 125e6});
      plain[0].goodput_bytes = 1'000'000'000;
      plain[0].busy_ns = (is_a ? 10'000'000'000 : 8'000'000'000) + 3'000'000 * static_cast<std::uint64_t>(i);
      plain[0].busiest_cpu = 0.99;
      auto traced = runs_from(minute++, {is_a ? 80e6 : 95e6});
      const auto wobble = 1'000'000 * static_cast<std::uint64_t>((5 * i) % 8);
      give_trace(traced, {function_of("lookup", (is_a ? 2'000'000'000 : 500'000'000) + wobble),
                          function_of("forward", 800'000'000 + 2 * wobble), function_of("small", 1'000'000)});
      const std::uint64_t functions = (is_a ? 2'801'000'000 : 1'301'000'000) + 3 * wobble;
      const std::uint64_t rest =
          (is_a ? 7'199'000'000 : 6'699'000'000) + 1'000'000 * static_cast<std::uint64_t>((3 * i) % 8);
      traced[0].busy_ns = functions + rest + 600'000'000;
      side->push_back(plain[0]);
      side->push_back(traced[0]);
    }
  }
  return sides;
}

template <typename Change>
void each_traced(std::vector<ComparedRun>& runs, Change change) {
  for (ComparedRun& run : runs) {
    if (run.trace) change(run);
  }
}

inline Comparison comparison_of(const TracedSides& sides) {
  return compare(sides.a, sides.b, {});
}

}  // namespace netperfd::analysis
