// Which facts of the environment differ between the sides, and whether that lets a verdict stand.
//
// Every group can explain a result unless one of these holds:
// - trace, where the throughput is that of plain runs, which no tracer touches;
// - the boot id is no fact at all: what boots do to a result is a matter of samples (sampling.hpp).
// A group that this version does not know can explain too: to be silent about it would be worse.
//
// Some facts follow from another one and are no further change: where the kernel is another build, so are the
// modules that come with it; drivers report its release as their own version; and it has settings (sysctl,
// parameters of modules, features of devices) that the other one does not know. They count to the group
// kernel.
#pragma once

#include <string>
#include <vector>

#include "daemon/analysis/caveats.hpp"
#include "daemon/analysis/comparison.hpp"

namespace netperfd::analysis {

struct FactJudgement {
  std::vector<FactChange> facts;
  std::vector<std::string> same, changed;  // as in Comparison
  std::vector<std::string> undeclared;     // groups that can explain the result and are not the change
};

[[nodiscard]] FactJudgement judge_facts(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                        const std::vector<std::string>& declared);

// What is not known of the environment, and what was declared and does not differ.
void note_facts(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                const std::vector<std::string>& declared, const FactJudgement& judgement, Caveats& caveats);

}  // namespace netperfd::analysis
