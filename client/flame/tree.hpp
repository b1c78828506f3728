// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks as a tree: a node is all stacks that begin with the same frames.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/flame/stacks.hpp"

namespace netperfctl::flame {

// What is drawn, and what it is compared with. A picture of one set of stacks has no base.
inline constexpr std::size_t kDrawn = 0, kBase = 1;
using Weights = std::array<std::uint64_t, 2>;

struct Node {
  Frame frame;
  std::uint32_t depth = 0;
  Weights self{}, total{};  // of this very frame; of it and everything below it
  std::optional<std::uint64_t> calls;
  std::uint64_t left = 0;               // of the drawn side: the totals of what stands to its left
  std::vector<std::uint32_t> children;  // by label
};

// The first node is the root, "all", of depth 0. Parents precede their children.
using Tree = std::vector<Node>;

[[nodiscard]] Tree tree_of(const Stacks& drawn, const Stacks* base = nullptr);

}  // namespace netperfctl::flame
