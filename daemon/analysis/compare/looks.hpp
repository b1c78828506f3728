// SPDX-License-Identifier: GPL-2.0-or-later
// When a job that measures until its comparison is decided looks at it, and how sure each look is.
//
// A few looks share what the level leaves: each may miss in (1 - level) / looks of all comparisons, so that
// all of them together miss in 1 - level at most, however they depend on one another (repeated confidence
// intervals: Jennison and Turnbull, J. R. Stat. Soc. B 51, 1989). docs/statistics.md has the simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

struct Looks {
  std::vector<std::uint32_t> at;  // numbers of blocks, increasing; the last one is the most
  double level = 0;               // of the intervals of all figures together, at each of them
};

// A comparison of a job that measures until it is decided.
struct LookedAt {
  Looks looks;
  std::uint32_t blocks = 0;  // that have ended
};

// Of at most five, the most of which each has a third more blocks than the one before. The first one is at
// the fewest blocks that give an interval of its level. If not even two fit, the job has a fixed number of
// blocks and its only look has the whole level.
[[nodiscard]] Looks looks_of(std::uint32_t most, std::size_t figures, double level = 0.95);

[[nodiscard]] bool is_look(const Looks& looks, std::uint32_t blocks);
// Of the first look after so many blocks; absent: there is none.
[[nodiscard]] std::optional<std::uint32_t> next_look(const Looks& looks, std::uint32_t blocks);

// Whether a figure with this verdict needs no more blocks.
[[nodiscard]] bool is_decided(Verdict verdict);

// By how much p and q grow, since any of the looks may find what is not there; 1: the number of blocks was
// fixed.
[[nodiscard]] double looks_taken(const std::optional<LookedAt>& looked);
// By how much those grow that are compared with 5 %, if `level` is shared with other looks, or with the other
// points of a sweep.
[[nodiscard]] double sharers_of(double level, const std::optional<LookedAt>& looked);

// What a page says of it, in two or three sentences; empty if there is but one look, and all blocks were
// measured.
[[nodiscard]] std::string words_of(const LookedAt& looked);

}  // namespace netperfd::analysis
