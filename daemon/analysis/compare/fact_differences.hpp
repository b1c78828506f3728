// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the facts of the environment that differ between the sides, and decides whether the verdict can
// stand.
//
// Every group can explain a result, with these exceptions:
// - trace, if the throughput is that of plain runs, which no tracer touches;
// - the boot id is not a fact at all: differences between boots are handled by grouping (grouping.hpp).
// A group that this version does not know can explain a result too: to ignore it would be worse.
#pragma once

#include <string>
#include <vector>

#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/comparison.hpp"

namespace netperfd::analysis {

struct FactJudgement {
  std::vector<FactChange> facts;
  std::vector<std::string> same, changed;  // as in Comparison
  std::vector<std::string> undeclared;     // can explain the result but were not declared
  // Facts of what changed that runs of both sides have alike, in words: "kernel release 6.1 in 9 runs of A
  // and 1 of B". Such sides are mixtures.
  std::vector<std::string> mixed;
};

// `figure` is what the facts are to explain.
[[nodiscard]] FactJudgement judge_facts(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                        const std::vector<std::string>& declared, const Figure& figure);

// Notes gaps in the fingerprints, and declared changes that do not differ.
void note_facts(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                const std::vector<std::string>& declared, const Figure& figure,
                const FactJudgement& judgement, Caveats& caveats);

}  // namespace netperfd::analysis
