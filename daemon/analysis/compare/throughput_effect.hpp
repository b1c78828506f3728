// SPDX-License-Identifier: GPL-2.0-or-later
// The headline of a comparison: how much more data arrives per second in B than in A.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/sampling.hpp"

namespace netperfd::analysis {

// The runs that the throughput is taken from.
enum class Arm {
  plain,   // both sides' plain runs: tracing slows a workload down, and not the same on both sides
  traced,  // a side has no plain run, but both have traced ones
  mixed    // one side has only plain runs, the other only traced ones
};

struct ArmRuns {
  Arm arm = Arm::plain;
  RunList a, b;  // whose throughput is known and above 0
};
// Of a run that received something.
[[nodiscard]] std::optional<double> log_bits_per_second(const ComparedRun& run);
// Known, and none at all.
[[nodiscard]] bool received_nothing(const ComparedRun& run);
[[nodiscard]] ArmRuns throughput_runs(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b);

// The ratio of throughput and its precision. `sampling` is of throughput_runs(), `threshold` that of the
// verdict. Of several boots and several builds it is not known what more samples would find.
[[nodiscard]] RatioEstimate throughput_effect(const Sampling& sampling, double threshold, double level);

// Adds what the arm, the order in time and the boots of these runs say against the estimate.
void note_throughput(const ArmRuns& runs, const Sampling& sampling, Caveats& caveats);

// Notes runs whose throughput is unknown, and traced runs that received nothing if there are plain ones too.
void note_silent_runs(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b, Arm arm,
                      Caveats& caveats);
void note_failed_runs(const std::vector<ComparedRun>& runs, std::size_t failed, std::string_view side,
                      Caveats& caveats);

}  // namespace netperfd::analysis
