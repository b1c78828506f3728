// SPDX-License-Identifier: GPL-2.0-or-later
// Defines what one sample of a comparison is (a block, a boot or a run), and computes figures from samples.
//
// Runs of one ABBA or BAAB block share the host's state of that moment, which cancels in the difference
// within the block. So a block yields one value: the mean of its B letters less the mean of its A letters.
// Runs of one boot share conditions of that boot (placement of memory, of interrupts, of tasks). If a side
// has several boots, each yields one value, because more runs of one boot say nothing about other boots
// (Kalibera and Jones, ISMM 2013): the mean of its blocks, or the median of its runs. The same holds for the
// builds of a side. Otherwise a run is a sample.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"

namespace netperfd::analysis {

using RunList = std::vector<const ComparedRun*>;
// One value per run, in the order of the runs; absent: unknown for this run.
using RunValues = std::vector<std::optional<double>>;

[[nodiscard]] bool knows_boot(const ComparedRun* run);
// The known boots of the runs, each once.
[[nodiscard]] std::set<std::string> boots_of(const RunList& runs);

struct Samples {
  std::vector<double> a, b;
  bool paired = false;  // a[i] and b[i] belong to one block, or to the blocks of one boot or pair of builds
};

// What the blocks of one sample have in common.
enum class Unit { block, build, boot, build_in_boot };

class Grouping {
 public:
  // Samples are blocks if every run belongs to one and some block has runs of both sides. If the boot of each
  // run is known and they are several, their boots are the samples; otherwise their pairs of builds, if they
  // are several. Without blocks, or if no boot has runs of both sides, samples are boots if a side has
  // several and the boot of every run is known, otherwise runs. The runs must outlive this object.
  Grouping(RunList a, RunList b);

  [[nodiscard]] Pairing pairing() const { return pairing_; }
  [[nodiscard]] bool in_blocks() const {
    return pairing_ == Pairing::blocks || pairing_ == Pairing::builds_of_blocks ||
           pairing_ == Pairing::boots_of_blocks;
  }
  // The sides are in blocks, and the machine was booted for each letter, or at least for each side.
  [[nodiscard]] bool boots_for_each_letter() const { return boots_for_each_letter_; }
  // Blocks of several boots and of several builds, so that each adds its luck to the samples of the other.
  [[nodiscard]] bool is_crossed() const { return !boot_of_block_.empty() && !build_of_block_.empty(); }
  [[nodiscard]] bool has_several_builds() const { return !build_of_block_.empty(); }
  [[nodiscard]] const RunList& a() const { return a_; }
  [[nodiscard]] const RunList& b() const { return b_; }
  // Runs of blocks that lack one side or fell into two boots; no sample includes them.
  [[nodiscard]] std::size_t runs_left_out() const { return left_out_; }
  // Blocks in which the sides have different numbers of runs, so that drift does not cancel.
  [[nodiscard]] std::size_t uneven_blocks() const { return uneven_; }
  // Blocks with equally many runs of each side, but fewer than the fullest block has.
  [[nodiscard]] std::size_t partial_blocks() const;

  // The values of a() and b() as samples. Runs without a value are left out, and so are blocks that then lack
  // a side.
  [[nodiscard]] Samples samples(const RunValues& a, const RunValues& b) const;
  // The same for samples of another unit. Must be in blocks; a unit that they do not have is one for all.
  [[nodiscard]] Samples samples_of(Unit unit, const RunValues& a, const RunValues& b) const;

 private:
  using Groups = std::vector<std::vector<std::size_t>>;  // of indices into a_ or b_: one sample each

  [[nodiscard]] bool has_own_boots() const;
  bool group_by_block();
  void leave_out_cut_blocks();
  void group_blocks();
  bool group_by_boot();
  [[nodiscard]] std::optional<double> sample(const RunValues& values,
                                             const std::vector<std::size_t>& group) const;

  RunList a_, b_;
  Pairing pairing_ = Pairing::runs;
  Groups groups_a_, groups_b_;
  // Numbers from 0, for each group; empty unless they are several.
  std::vector<std::size_t> boot_of_block_, build_of_block_;
  std::size_t left_out_ = 0, uneven_ = 0;
  bool boots_for_each_letter_ = false;
};

[[nodiscard]] RunValues values_of(const RunList& runs,
                                  const std::function<std::optional<double>(const ComparedRun&)>& value);

// The spread to plan with (run_planner.hpp) of the differences within pairs, or of both sides about their own
// centres, weighted by their degrees of freedom. Absent if there are too few samples.
[[nodiscard]] std::optional<double> spread_of(const Samples& samples);

// Both sides must have a sample.
[[nodiscard]] Location shift_of(const Samples& samples, double level);
// Of all samples. With several boots and several builds, the squared half-widths of their intervals are
// added, less that of builds within boots, which is in both (Cameron, Gelbach and Miller, J. Bus. Econ. Stat.
// 29, 2011), and p is p_of_interval().
[[nodiscard]] Location shift_of(const Grouping& grouping, const RunValues& a, const RunValues& b,
                                double level);
// The p of a normal error whose interval reaches so far towards 0: at most 1 - level if it does not contain
// 0.
[[nodiscard]] double p_of_interval(double estimate, double half_width, double level);

// The shift that such samples find with 80 % power, at the spread to plan with (run_planner.hpp). Absent if
// there are too few to know their spread, or too few for an interval.
[[nodiscard]] std::optional<double> detectable_shift(const Samples& samples, double level);

// The number of samples (pairs, or per side) that finds `shift` with 80 % power. Absent if there are too few
// to know their spread, or if more than a million would be needed.
[[nodiscard]] std::optional<std::uint32_t> samples_needed(const Samples& samples, double shift, double level);

// The number of samples that shows with 80 % power that the shift is less than `shift`, if there is none.
[[nodiscard]] std::optional<std::uint32_t> samples_for_equivalence(const Samples& samples, double shift,
                                                                   double level);

}  // namespace netperfd::analysis
