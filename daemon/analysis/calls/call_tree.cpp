// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/calls/call_tree.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace netperfd::analysis {
namespace {

constexpr std::size_t kFirstNodeSlots = 1024;

int shift_for(std::size_t slots) {
  return 64 - std::countr_zero(slots);
}

}  // namespace

CallTree::CallTree(std::size_t most_nodes)
    : most_nodes_(std::min<std::size_t>(most_nodes, kInterruptRoots)),
      slots_(kFirstNodeSlots),
      shift_(shift_for(kFirstNodeSlots)) {}

std::uint32_t CallTree::make(std::uint32_t parent, std::uint64_t address, std::uint32_t function) {
  if (parent == kNone || nodes_.size() >= most_nodes_) return kNone;
  Node node;
  node.parent = parent;
  node.function = function;
  for (std::uint32_t above = parent; is_node(above) && !node.inner; above = nodes_[above].parent) {
    node.inner = nodes_[above].function == function;
  }
  nodes_.push_back(node);
  if (nodes_.size() * 2 > slots_.size()) {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    shift_ = shift_for(slots_.size());
    for (const Slot& slot : old) {
      if (slot.node != kNone) put(slot);
    }
  }
  const auto index = static_cast<std::uint32_t>(nodes_.size() - 1);
  put({address, parent, index});
  return index;
}

void CallTree::put(const Slot& slot) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = first_slot(slot.parent, slot.address);
  while (slots_[at].node != kNone) at = (at + 1) & mask;
  slots_[at] = slot;
}

void CallTree::add_edge(std::uint32_t caller, std::uint32_t callee, std::uint64_t total_ns) {
  Edge& edge = edges_[std::uint64_t{caller} << 32 | callee];
  ++edge.hits;
  edge.total_ns += total_ns;
}

}  // namespace netperfd::analysis
