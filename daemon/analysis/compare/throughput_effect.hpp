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
[[nodiscard]] ArmRuns throughput_runs(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b);

// The ratio of throughput and its precision. `sampling` is of throughput_runs(), `threshold` that of the
// verdict.
[[nodiscard]] RatioEstimate throughput_effect(const Sampling& sampling, double threshold, double level);

// Judges by the interval alone; more is better. The verdict is equivalent if the whole interval lies within
// the threshold, even if it leaves out 1.
[[nodiscard]] Verdict verdict_of(const RatioEstimate& effect, double threshold);

// Whether all runs of a side are of one boot, and the boot can make a difference between the sides: they are
// of two, or of one boot with two builds, whose code it places in memory anew.
[[nodiscard]] bool has_luck_of_one_boot(const Sampling& sampling, const std::vector<std::string>& changed);

// The largest standard deviation, as a share, that a boot may add to the difference without changing the
// verdict. The interval is widened by it as by an independent normal error. Absent without a verdict.
[[nodiscard]] std::optional<double> bearable_boot_spread(const RatioEstimate& effect, Verdict verdict,
                                                         double threshold, double level);

// Adds what the arm, the order in time and the boots of these runs say against the estimate.
void note_throughput(const ArmRuns& runs, const Sampling& sampling, Caveats& caveats);

// A sentence why there is no ratio. A side of `runs` must be empty.
[[nodiscard]] std::string nothing_to_compare(const std::vector<ComparedRun>& a,
                                             const std::vector<ComparedRun>& b, const ArmRuns& runs);
// A sentence for each side with runs of the arm that received nothing: a ratio of the remaining runs would
// describe only the successful ones.
[[nodiscard]] std::vector<std::string> runs_without_ratio(const std::vector<ComparedRun>& a,
                                                          const std::vector<ComparedRun>& b, Arm arm);
// Notes runs whose throughput is unknown, and traced runs that received nothing if there are plain ones too.
void note_silent_runs(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b, Arm arm,
                      Caveats& caveats);
void note_failed_runs(const std::vector<ComparedRun>& runs, std::size_t failed, std::string_view side,
                      Caveats& caveats);

}  // namespace netperfd::analysis
