// SPDX-License-Identifier: GPL-2.0-or-later
// The paths on which functions were called, and how often.
//
// A path is found by the calling node and the callee's address in one hash look-up. The node also gives the
// function, so a call costs one look-up in all. Calls that find no room in the tree are counted by caller and
// callee alone, so that edges stay exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace netperfd::analysis {

class CallTree {
 public:
  // Placeholders for a node. Roots hang below one of the last two.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kRoots = kNone - 1;
  static constexpr std::uint32_t kInterruptRoots = kNone - 2;

  struct Node {
    std::uint32_t parent = kRoots;
    std::uint32_t function = 0;
    std::uint64_t hits = 0, total_ns = 0, self_ns = 0;
    std::uint64_t timed = 0;  // those of the hits whose time is known
    bool inner = false;       // its function is among its ancestors
  };
  struct Edge {
    std::uint64_t hits = 0, total_ns = 0;
  };

  explicit CallTree(std::size_t most_nodes);

  [[nodiscard]] static bool is_node(std::uint32_t index) { return index < kInterruptRoots; }

  // The node of the call to `address` from `parent`; kNone if there is none yet.
  [[nodiscard]] std::uint32_t find(std::uint32_t parent, std::uint64_t address) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = first_slot(parent, address);; slot = (slot + 1) & mask) {
      const Slot& candidate = slots_[slot];
      if (candidate.node == kNone) return kNone;
      if (candidate.address == address && candidate.parent == parent) return candidate.node;
    }
  }
  // kNone if there is no room, or no parent.
  [[nodiscard]] std::uint32_t make(std::uint32_t parent, std::uint64_t address, std::uint32_t function);

  [[nodiscard]] Node& operator[](std::uint32_t index) { return nodes_[index]; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }  // parents before children

  // A call that is in no node and no root.
  void add_edge(std::uint32_t caller, std::uint32_t callee, std::uint64_t total_ns);
  // Calls added by add_edge(), with the caller in the upper half of the key and the callee in the lower.
  [[nodiscard]] const std::unordered_map<std::uint64_t, Edge>& edges() const { return edges_; }

 private:
  struct Slot {
    std::uint64_t address = 0;
    std::uint32_t parent = 0;
    std::uint32_t node = kNone;
  };

  // Addresses of one kernel differ only in their lower 40 bits. The upper bits of the product depend on all
  // of them.
  [[nodiscard]] std::size_t first_slot(std::uint32_t parent, std::uint64_t address) const {
    const std::uint64_t key = address ^ (std::uint64_t{parent} << 40);
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> shift_);
  }
  void put(const Slot& slot);

  std::size_t most_nodes_;
  std::vector<Node> nodes_;
  std::vector<Slot> slots_;
  int shift_;
  std::unordered_map<std::uint64_t, Edge> edges_;
};

}  // namespace netperfd::analysis
