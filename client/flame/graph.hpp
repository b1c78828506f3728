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

// B against A by the samples of both: what takes more CPU time, and what less. There is a frame with a time.
// A colour is of a frame's own difference. An outline is of its function over all places, if its own
// difference is not shown.
[[nodiscard]] Picture difference(const ComparedStacks& stacks);

}  // namespace netperfctl::flame
