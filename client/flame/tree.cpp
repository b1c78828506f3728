// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/flame/tree.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

namespace netperfctl::flame {
namespace {

class Grower {
 public:
  Grower() { append({"all", {}, Place::root}, 0); }

  void add(const Stacks& stacks) {
    for (const Stack& stack : stacks.stacks) {
      std::uint32_t node = 0;
      tree_[node].total += stack.weight;
      for (const std::uint32_t frame : stack.frames) {
        node = child(node, stacks.frames[frame]);
        tree_[node].total += stack.weight;
      }
      tree_[node].self += stack.weight;
      if (stack.calls) tree_[node].calls = tree_[node].calls.value_or(0) + *stack.calls;
    }
  }

  Tree finished() {
    for (Node& node : tree_) {
      std::ranges::sort(node.children, {}, [this](std::uint32_t i) { return tree_[i].frame; });
      std::uint64_t left = node.left;
      for (const std::uint32_t i : node.children) {
        tree_[i].left = left;
        left += tree_[i].total;
      }
    }
    return std::move(tree_);
  }

 private:
  std::uint32_t child(std::uint32_t parent, const Frame& frame) {
    const auto next = static_cast<std::uint32_t>(tree_.size());
    const auto [place, is_new] = children_.try_emplace({parent, frame}, next);
    if (is_new) {
      tree_[parent].children.push_back(next);
      append(frame, tree_[parent].depth + 1);
    }
    return place->second;
  }

  void append(const Frame& frame, std::uint32_t depth) {
    Node node;
    node.frame = frame;
    node.depth = depth;
    tree_.push_back(std::move(node));
  }

  Tree tree_;
  std::map<std::pair<std::uint32_t, Frame>, std::uint32_t> children_;
};

}  // namespace

Tree tree_of(const Stacks& stacks) {
  Grower grower;
  grower.add(stacks);
  return grower.finished();
}

}  // namespace netperfctl::flame
