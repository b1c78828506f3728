// SPDX-License-Identifier: GPL-2.0-or-later
// The result of comparing two selections of runs: did B differ from A, by how much, how certain is that, and
// where is the difference. A comparison is computed from stored runs and never stored itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/figure.hpp"
#include "daemon/model/fingerprint.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/work_unit.hpp"

namespace netperfd {

enum class Verdict {
  improvement,   // by the threshold or more
  regression,    // by the threshold or more
  equivalent,    // the whole interval lies within the threshold
  trade_off,     // of several figures, at least one improved and at least one regressed
  inconclusive,  // none of these: more runs, or a quieter host, may decide. See Comparison::leaning
  too_few,       // so few runs give no interval
  refused        // the runs differ in more than the declared change, or have nothing that can be compared
};
[[nodiscard]] std::string_view to_string(Verdict verdict);

// What turns a refused verdict into another one, for as many of the refused figures as anything can.
enum class Remedy {
  declare,  // to declare all groups that differ and can explain the result
  despite,  // only to compare despite the reasons (ComparisonSettings::despite)
  none      // nothing: these runs have no verdict
};
[[nodiscard]] std::string_view to_string(Remedy remedy);

// How A's and B's runs were ordered in time, which determines what counts as a sample.
enum class Pairing {
  blocks,            // interleaved in ABBA or BAAB blocks: one value per block
  runs,              // runs apart in time: one value per run
  boots,             // several boots on a side: one value per boot, the median of its runs
  builds_of_blocks,  // blocks of several builds a side: one value per pair of builds, the mean of its blocks
  boots_of_blocks    // blocks in several boots: one value per boot, the mean of its blocks
};
[[nodiscard]] std::string_view to_string(Pairing pairing);

// What adds its luck to the difference of the sides once for all runs that share it.
enum class Level { boot, build };
[[nodiscard]] std::string_view to_string(Level level);

// The estimated ratio of B to A with its interval: 1.05 means that B's figure is 5 % higher.
struct RatioEstimate {
  std::uint32_t n_a = 0, n_b = 0;      // samples; equal if they are blocks or boots of blocks
  double median_a = 0, median_b = 0;   // the figure's median over the runs, in its unit
  double centre_a = 0, centre_b = 0;   // levels of the sides whose ratio is exactly `ratio`; without one, 0
  std::optional<double> ratio;         // Hodges-Lehmann on the logarithms; absent if a side has no sample
  std::optional<double> low, high;     // absent if there are too few samples for an interval
  double level = 0;                    // exact coverage of [low, high], at least 0.95; 0 without an interval
  std::optional<double> p;             // two-sided, exact
  std::optional<double> cliffs_delta;  // -1 to 1: how far B lies above A
  // The smallest effect that as many samples of this spread find with 80 % power, as a ratio above 1. To find
  // it is to show that it is at least the threshold.
  std::optional<double> detectable;
  // The number of samples per side, or of blocks, that find a difference of twice the threshold with 80 %
  // power at this spread; absent beyond a million, or if the host resolves no such difference. And that show
  // that a difference is smaller than the threshold, if there is none.
  std::optional<std::uint32_t> needed, needed_for_equivalence;
};

// An additive difference: ns of CPU per byte of goodput.
struct ShiftEstimate {
  // Levels of the sides that are exactly `shift` apart; without one, medians over the runs. Medians need not
  // be as far apart as the estimate, which compares within blocks.
  double centre_a = 0, centre_b = 0;
  std::optional<double> shift;  // Hodges-Lehmann of B - A
  std::optional<double> low, high;
  double level = 0;
  std::optional<double> p, q;  // q: by Benjamini-Hochberg over all tested rows
};

// The factors of a function's cost: cost per byte = packets per byte * calls per packet * ns per call.
struct CostFactors {
  std::optional<double> packets_per_byte;  // absent: the run has no packet counter
  double calls_per_packet = 0;             // calls per byte if packets are unknown
  double ns_per_call = 0;                  // self time, corrected if the run is calibrated
};

enum class FunctionMatch { same, renamed, only_a, only_b };
[[nodiscard]] std::string_view to_string(FunctionMatch match);

// Whether the samples of the plain runs confirm what the trace says of a function
// (analysis/compare/witness.hpp).
enum class Witness {
  agrees,      // both show a change, and it can be the same
  compatible,  // one shows a change, and the other can be of the same: there are too few samples or traced
               // runs
  disagrees,   // they show different changes
  unseen       // the trace shows a change, and no sample of the plain runs is of the function
};
[[nodiscard]] std::string_view to_string(Witness witness);

// The chance and the interval of a change that hold together for all figures that are tested with it
// (analysis/compare/family_test.hpp): the interval leaves out 0 exactly if p is at most 1 - level. Absent if
// it was not tested, the interval also if so few runs show nothing.
struct Together {
  std::optional<double> p, low, high;
  double level = 0;  // of the interval
};

// The change of a function by the samples of the plain runs. Of a traced function, what it called untraced is
// in it, as in its self time.
struct SampledShift {
  ShiftEstimate cost;               // ns of CPU per unit of work, of this function alone; without q
  double share_a = 0, share_b = 0;  // of the busy samples of the side's runs together
  Together together;                // among the sampled functions
  std::optional<Witness> witness;   // of a traced function, if trace or samples show a change
  bool is_unseen = false;           // no sample of it in any run
  bool matters = false;             // `witness` disagrees, by more than a little of the change in CPU time
  // It has the samples of sections with interrupts off before it.
  bool after_interrupts_off = false;
  // The change that is found with 80 % power: among the functions that are tested, or with the interval of
  // this one alone if it is not. Absent without an interval.
  std::optional<double> detectable = std::nullopt;

  // The ends of the interval to show: with p of `together`, or if it has none of the function alone.
  [[nodiscard]] std::optional<double> low() const { return together.p ? together.low : cost.low; }
  [[nodiscard]] std::optional<double> high() const { return together.p ? together.high : cost.high; }
  [[nodiscard]] double level() const { return together.p ? together.level : cost.level; }
};

// What is tested of a function. Each can change while the others do not: a slower call that is made less
// often costs the same.
enum class FunctionFigure {
  cost,       // self time per unit of work
  call_time,  // self time of a call
  calls       // per unit of work
};
[[nodiscard]] std::string_view to_string(FunctionFigure figure);

// One function on both sides, from the traced runs. If it was not tested, because it has too few calls, its
// shift is the difference of the medians, without interval, p or q. If there are too few runs for a test,
// this holds for all functions.
struct FunctionDelta {
  std::string name;    // A's, or B's if only B has it
  std::string name_b;  // B's, if it was renamed (.isra.0, .constprop.0, .part.0, .cold)
  std::string module;
  std::uint32_t duplicate = 0;  // as in FunctionStats
  FunctionMatch match = FunctionMatch::same;
  // Self time, ns per byte of goodput. If the bytes are unknown, it has no shift, and `a` and `b` have only
  // ns_per_call.
  ShiftEstimate cost;
  CostFactors a, b;  // medians over the runs
  Together cost_together;
  std::optional<double> detectable;  // the change of its cost that would be found so with 80 % power
  // In ns, and per byte or other unit of work; without q. The time only if each sample of both sides has
  // calls.
  ShiftEstimate call_time, calls;
  Together call_time_together, calls_together;
  // The figure whose change is shown, and what it takes at least of the cost: the end of its interval that is
  // nearest to 0, times the lesser of what the other factor is on both sides. Of several, the one that takes
  // most. Absent if none is shown.
  std::optional<FunctionFigure> shown_by;
  std::optional<double> shown_least;
  // Share of the change in CPU time of the traced runs: 1 is all of it. Absent if Attribution::explained is.
  std::optional<double> share, share_low, share_high;
  std::optional<SampledShift> sampled;  // absent if a side has no plain runs that were sampled
  // False: only the samples know it, and the figures of the trace are absent. It takes 1 % of them or more.
  bool traced = true;
  std::string below;  // if not traced: the traced function that called it in most samples; empty: none
  // What the job found that the compared one confirms, and whether both can be of one shift; the latter is
  // absent without intervals.
  std::optional<ShiftEstimate> first = std::nullopt;
  std::optional<bool> agrees = std::nullopt;
};

// The samples of the plain runs.
struct SampleEvidence {
  std::uint32_t runs_a = 0, runs_b = 0;        // that were sampled
  std::uint64_t samples_a = 0, samples_b = 0;  // busy ones
  // disagrees, if they do on a function that matters (analysis/compare/witness.hpp); otherwise that of the
  // traced function that is listed first. Absent if neither shows a change.
  std::optional<Witness> witness;
};

// Changes of the traced runs' CPU time, in ns per byte of goodput. In each run time = functions + rest; the
// estimates need not add up.
struct TracedAccount {
  ShiftEstimate time;       // CPU time without the tracer's and without that of other processes
  ShiftEstimate functions;  // self times of all traced functions
  ShiftEstimate tracer;     // its own cost: calls times the calibrated cost of one
  ShiftEstimate rest;       // code that is not traced
};

// The change in the CPU time per byte, and how much of it the functions explain. Absent figures are unknown.
struct Attribution {
  // Of all CPUs, plain runs: their CPU time without others' over goodput. That of the figure `cpu`, as its
  // ratio is of the level of A.
  std::optional<ShiftEstimate> ns_per_byte;
  bool of_counted_part = true;  // it; false: some run knows only that of all of it, with the omitted part
  // The same of whole runs, with the omitted part, which traces and samples have too; as a difference.
  std::optional<ShiftEstimate> whole_ns_per_byte;
  std::optional<TracedAccount> account;
  // Share of account.time; 1 is all. Absent unless plain and traced runs both show a change, and agree on it.
  std::optional<double> explained, explained_low, explained_high;
  std::optional<double> traced_to_plain;                 // goodput of traced runs over that of plain runs
  std::optional<double> tracer_share_a, tracer_share_b;  // of the traced runs' CPU time; medians
  std::optional<SampleEvidence> samples;  // absent if a side has no plain runs that were sampled
  // First those that show a difference (analysis/compare/function_order.hpp).
  std::vector<FunctionDelta> functions;
  // How many of them were tested, and how many have too few calls for it.
  std::uint32_t tested = 0, few_calls = 0;
  // Not empty: why the difference is not attributed to functions. Figures that could be computed are still
  // there, except the shares of the difference.
  std::string not_attributed;
};

// Change of one counter, over all network namespaces of a run. A NIC's counter includes its namespace:
// "veth0@ring-a tx_packets".
struct CounterChange {
  std::string source, name;
  // Per packet or transaction of Comparison::work, otherwise per GB of goodput; p and q are absent if there
  // are too few runs for a test.
  ShiftEstimate per_work;
  std::string unit;  // as in CounterDelta
};

struct FactChange {
  std::string group, key;
  std::vector<std::string> a, b;  // the values found on each side; "(absent)" if a run lacks the fact
  std::vector<std::uint32_t> runs_a, runs_b;  // how many runs have each of them
  bool declared = false;                      // part of the declared change
  bool explains = false;                      // can explain the result; false: for information only
};

// One figure of a comparison. Of several, the intervals hold together at the level that was asked for.
struct FigureResult {
  std::string name;
  std::string unit = "bits_per_second";  // as in FigureEntry, or that of the runs' own figure
  Better better = Better::higher;
  std::string source =
      {};  // of a counter or of work: "nic", "qdisc", "figure calls"; empty: its name says it
  Pairing pairing = Pairing::runs;
  Verdict verdict = Verdict::too_few;
  std::optional<Verdict> leaning = std::nullopt;  // as in Comparison
  RatioEstimate effect;
  // effect.p times the number of figures and, if the job may end early, of its looks; at most 1. At most 1 -
  // level of all figures and looks together exactly if the interval leaves out 1.
  std::optional<double> p_adjusted;
  std::uint32_t fewest = 0;  // samples that an interval takes, as RatioEstimate counts them
  double threshold = 0.01;
  std::optional<double> luck_spread, resolution;  // as in Comparison
  std::string reason = {};  // what decided, with its numbers and the way out, if the interval did not
};

struct Comparison {
  std::vector<RunId> a, b;
  Verdict verdict = Verdict::too_few;  // over all figures
  // Improvement or regression, if the verdict is inconclusive though the interval leaves out 1 and reaches
  // beyond the threshold: it is not shown to be the threshold at least, or other builds or boots could
  // overturn it. Of several figures, what those agree on that lean.
  std::optional<Verdict> leaning = std::nullopt;
  std::optional<Remedy> remedy = std::nullopt;  // of a refused verdict
  std::vector<FigureResult> figures;            // never none; the first one is the primary
  // Judged as those, each as if it were the only one, and without a say in the verdict: the CPU time of the
  // plain runs for a unit of work, if both sides know it and it is none of those.
  std::vector<FigureResult> beside;
  // What all costs are divided by: where the members below say a byte, it is this.
  WorkUnit work = WorkUnit::byte;
  // In bits per second, if all plain runs of both sides were asked for it and reached it: then the throughput
  // cannot tell the sides apart, and the CPU time can.
  std::optional<double> offered = std::nullopt;
  // Those of the first figure, down to `pairing`.
  std::string figure;
  RatioEstimate effect;
  double threshold = 0.01;  // for the verdict equivalent, as a share
  // The levels of which a side has a single unit, though another one could give another result. Without code
  // (kernel, module) among the changes, a boot that both sides share cannot.
  std::vector<Level> of_one;
  // The verdict holds unless what those levels add to the difference of the sides has a standard deviation
  // above this share. Absent without a verdict, and without such a level.
  std::optional<double> luck_spread;
  // What this host can resolve according to its self-tests, as a ratio above 1: a smaller difference is no
  // verdict. Absent if they do not tell, and nothing is assumed in their place.
  std::optional<double> resolution;
  Pairing pairing = Pairing::runs;
  Attribution attribution;
  std::vector<CounterChange> counters;  // those to show, selected by analysis/compare/counter_changes.hpp
  std::uint32_t counters_tested = 0;    // including those that are not shown
  std::vector<FactChange> facts;        // those that differ
  // Groups that do not differ; if no group of a family (module:NAME, sysctl:KEY) differs, only the family's
  // name.
  std::vector<std::string> same;
  std::vector<std::string> changed;  // declared groups, or the only group that differs if none was declared
  std::vector<std::string> caveats;  // whole sentences, the gravest first
};

}  // namespace netperfd
