// SPDX-License-Identifier: GPL-2.0-or-later
// Flame graphs of runs: what is drawn and what is said about it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/flame/picture.hpp"
#include "client/flame/stacks.hpp"
#include "client/rows/views.hpp"

namespace netperfctl::flame {

// "Run 43 (hsr-ring, before)"
[[nodiscard]] std::string name_of(const RunView& run);

// The lists of stacks and of nodes must be there, and have a weight.
[[nodiscard]] Picture flame_graph(const RunView& run, const SampledDetails& details);
[[nodiscard]] Picture flame_graph(const RunView& run, const ProfileDetails& details);

// All sampled runs of a side, added up.
struct SampledSide {
  std::string words;  // how the user selected it
  std::vector<std::uint64_t> runs;
  std::vector<std::uint64_t> not_sampled;  // runs that are left out
  Stacks stacks;
};

// B against A: the width is B's share, the colour tells which shares differ. Both have samples.
[[nodiscard]] Picture difference(const SampledSide& a, const SampledSide& b);

}  // namespace netperfctl::flame
