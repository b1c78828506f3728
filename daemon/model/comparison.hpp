// What two selections of runs say when they are compared: did B differ from A, by how much, how sure is that,
// and where is the difference. A comparison is computed from stored runs and never stored itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd {

enum class Verdict {
  improvement,
  regression,
  equivalent,    // the whole interval lies within the threshold
  inconclusive,  // nothing of these: more runs, or a quieter host, may tell
  too_few,       // no interval can be had of so few runs
  refused        // the runs differ in more than the declared change, or in nothing that can be compared
};
[[nodiscard]] std::string_view to_string(Verdict verdict);

// How A's and B's runs were ordered in time, which decides what is a sample.
enum class Pairing {
  blocks,  // interleaved in ABBA or BAAB blocks: one value a block
  runs,    // runs apart in time: one value a run
  boots    // several boots a side: one value a boot, the median of its runs
};
[[nodiscard]] std::string_view to_string(Pairing pairing);

// The estimated ratio of B to A with its interval. Ratios are of the figure itself: 1.05 is 5 % more.
struct RatioEstimate {
  std::uint32_t n_a = 0, n_b = 0;      // samples; the same number where they are blocks
  double median_a = 0, median_b = 0;   // of the figure over the runs, in its unit
  std::optional<double> ratio;         // Hodges-Lehmann on the logarithms; absent where a side has no sample
  std::optional<double> low, high;     // absent below the fewest samples that an interval can be had of
  double level = 0;                    // exact coverage of [low, high], at least 0.95; 0 without one
  std::optional<double> p;             // two-sided, exact
  std::optional<double> cliffs_delta;  // -1 to 1: how far B lies above A
  // The smallest effect that as many samples of this spread find in four of five times, as a ratio above 1.
  std::optional<double> detectable;
  // How many samples a side, or blocks, of this spread find a difference of the threshold so often; absent
  // beyond a million.
  std::optional<std::uint32_t> needed;
};

// A difference that is added up, not multiplied: ns of CPU per byte of goodput.
struct ShiftEstimate {
  double median_a = 0, median_b = 0;
  std::optional<double> shift;  // Hodges-Lehmann of B - A
  std::optional<double> low, high;
  double level = 0;
  std::optional<double> p, q;  // q: of Benjamini-Hochberg over all rows that were tested
};

// Why a function's cost a byte moved: cost = packets per byte * calls per packet * ns per call.
struct CostFactors {
  std::optional<double> packets_per_byte;  // absent: no packet counter of the run
  double calls_per_packet = 0;             // without packets: calls per byte
  double ns_per_call = 0;                  // self time, corrected where the run is calibrated
};

enum class FunctionMatch { same, renamed, only_a, only_b };
[[nodiscard]] std::string_view to_string(FunctionMatch match);

// One function on both sides, from the traced runs. One that was not selected for a test has the difference
// of the medians as its shift, and no interval, p or q. Where there are too few runs for a test, none has.
struct FunctionDelta {
  std::string name;    // A's, or B's where only B has it
  std::string name_b;  // where it was renamed (.isra.0, .constprop.0, .part.0, .cold): B's
  std::string module;
  std::uint32_t duplicate = 0;  // as FunctionStats has it
  FunctionMatch match = FunctionMatch::same;
  // Self time, ns per byte of goodput; without a shift where no bytes are known: then `a` and `b` have
  // ns_per_call alone.
  ShiftEstimate cost;
  CostFactors a, b;  // medians over the runs
  // Of the difference in total CPU time a byte: 1 is all of it. Absent where that difference cannot be told
  // from 0.
  std::optional<double> share;
};

// What the plain arm's change in time per byte comes to, and how much of it the functions explain. Absent
// figures: not known.
struct Attribution {
  std::optional<ShiftEstimate> ns_per_byte;  // of all CPUs, plain runs: busy CPU time over goodput
  std::optional<double> explained, explained_low, explained_high;  // share of it, 1 is all
  std::optional<double> residual_ns_per_byte;                      // what no traced function explains
  std::optional<double> traced_to_plain;  // goodput of traced runs over that of plain runs
  std::vector<FunctionDelta> functions;   // the largest |shift| first
  std::uint32_t tested = 0;               // of them: those that were selected, blind to the sides
  // Not empty: why there is no story. The figures that could be had are there all the same, the shares of
  // the difference are not.
  std::string not_attributed;
};

// Of one counter, over all network namespaces of a run; a NIC's is named with its own: "veth0@ring-a
// tx_packets".
struct CounterChange {
  std::string source, name;
  ShiftEstimate per_gigabyte;  // of goodput; p and q absent where there are too few runs for a test
  std::string unit;            // as of CounterDelta
};

struct FactChange {
  std::string group, key;
  std::vector<std::string> a, b;  // the values met on each side; "(absent)" where a run has no such fact
  bool declared = false;          // part of the change that is meant
  bool explains = false;          // can explain the result; false for what is told only
};

struct Comparison {
  std::string figure;  // "received", in bits per second, or another of the workload
  std::vector<RunId> a, b;
  Verdict verdict = Verdict::too_few;
  RatioEstimate effect;
  double threshold = 0.01;  // of the verdict equivalent, as a share
  Pairing pairing = Pairing::runs;
  Attribution attribution;
  std::vector<CounterChange> counters;  // those to be shown, as analysis/counter_changes.hpp has them
  std::uint32_t counters_tested = 0;    // with those that are not shown
  std::vector<FactChange> facts;        // that differ
  // Groups that do not; those of a family (module:NAME, sysctl:KEY) under its name, if none of them differs.
  std::vector<std::string> same;
  std::vector<std::string> changed;  // groups declared, or taken for it where only one differs
  std::vector<std::string> caveats;  // whole sentences, the gravest first
};

}  // namespace netperfd
