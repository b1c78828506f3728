// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks as a tree: a node is all stacks that begin with the same frames.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/flame/stacks.hpp"

namespace netperfctl::flame {

struct Node {
  Frame frame;
  std::uint32_t depth = 0;
  std::uint64_t self = 0, total = 0;  // of this very frame; of it and everything that it called
  std::optional<std::uint64_t> calls;
  std::uint64_t left = 0;               // the totals of what stands to its left
  std::vector<std::uint32_t> children;  // by label
};

// The first node is the root, "all", of depth 0. Parents precede their children.
using Tree = std::vector<Node>;

[[nodiscard]] Tree tree_of(const Stacks& stacks);

}  // namespace netperfctl::flame
