// SPDX-License-Identifier: GPL-2.0-or-later
// Which call paths differ between the sides, by the samples of their runs. Paths are tested like functions: a
// value for each run, block or boot, never for each sample, and adjusted over all paths that are tested
// (sampled_shift.hpp). Samples within a run are not independent of one another, nor are those of two boots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/model/sample_profile.hpp"
#include "daemon/model/stack_comparison.hpp"

namespace netperfd::analysis {

enum class StackScope {
  workload,  // its processes, and what other tasks and idle CPUs did for packets
  host       // all that was no idle time
};

// The paths of many profiles. Functions of both sides are the same by base_name().
class StackTree {
 public:
  enum Side : std::uint8_t { side_a, side_b };

  explicit StackTree(StackScope scope);

  // The next run of a side. `weight`: ns per unit of work that a sample stands for.
  void add(Side side, const SampleProfile& profile, double weight);

  // The sum over the profiles of their paths, which decides how much memory this takes.
  [[nodiscard]] std::size_t paths() const { return paths_; }

  // Fills `frames` and `tested`. The runs are those that were added, in their order; each side has one.
  void compare(const RunList& a, const RunList& b, const ComparisonSettings& settings,
               StackComparison& comparison) const;

 private:
  using Key = std::tuple<std::uint32_t, FrameKind, std::string, std::string, std::uint32_t>;
  struct OfRun {
    std::uint32_t run = 0;
    std::uint64_t self = 0, total = 0;
  };
  struct Node {
    SampleFrame frame;
    std::uint32_t depth = 0;
    std::vector<std::uint32_t> children;
    std::vector<OfRun> of_runs[2];  // by side
  };

  [[nodiscard]] std::vector<std::uint64_t> taken(const SampleProfile& profile) const;
  [[nodiscard]] std::vector<std::uint64_t> add_up(const Node& node, Side side, FrameDelta& frame) const;
  [[nodiscard]] std::uint32_t child(std::uint32_t parent, const SampleFrame& frame);

  StackScope scope_;
  std::vector<Node> nodes_;  // callers first
  std::map<Key, std::uint32_t> numbers_;
  std::vector<double> weights_[2];
  std::size_t paths_ = 0;
};

// Leaves out the thinnest frames until at most `most` are there. Each one that stays has its callers.
void thin_out(StackComparison& comparison, std::size_t most);

}  // namespace netperfd::analysis
