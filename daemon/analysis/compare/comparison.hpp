// SPDX-License-Identifier: GPL-2.0-or-later
// Compares two sets of runs. docs/comparing.md is the guide: the verdicts, what counts as a sample, and when
// a comparison is refused.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/analysis/compare/looks.hpp"
#include "daemon/model/comparison.hpp"
#include "daemon/model/counters.hpp"
#include "daemon/model/figure.hpp"
#include "daemon/model/fingerprint.hpp"
#include "daemon/model/named_figure.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/work_unit.hpp"

namespace netperfd::analysis {

// Cost of one function in one run.
struct ComparedFunction {
  std::string name, module;
  std::uint32_t duplicate = 0;
  std::uint64_t hits = 0;
  std::uint64_t self_ns = 0;
  std::uint64_t traced_within = 0;  // traced calls that its calls made, and that interrupts began over them
};

// What the tracer adds to a call's own duration, and to the time of its caller, with standard errors.
struct TracerCost {
  double entry_ns = 0, callee_ns = 0;
  std::optional<double> entry_error_ns = std::nullopt, callee_error_ns = std::nullopt;  // absent: unknown
};

// The facts about a run's trace that limit what can be concluded from it.
struct ComparedTrace {
  std::vector<ComparedFunction> functions;     // called ones; empty: only events were traced
  std::uint32_t traced_functions = 0;          // in the filter
  std::vector<std::string> missing_functions;  // asked for by name, not traceable
  std::string left_out;                        // the message of kFunctionsLeftOut; empty: none
  std::uint64_t calls = 0;
  std::uint64_t lost = 0;             // records
  std::uint64_t unmatched_calls = 0;  // entries and exits without a partner, except at the ends of the trace
  std::uint64_t depth_overruns = 0;
  std::uint64_t clipped = 0;
  bool timed = true;
  std::optional<TracerCost> cost;      // absent: not calibrated
  bool off_cpu_known = true;           // false: sleep is in the self times
  std::optional<std::uint32_t> depth;  // deeper calls are in their callers' self times; absent: no limit
  std::string broken;
  std::optional<double> tracer_share = std::nullopt;  // of the run's CPU time, taken by tracing functions
};

// Samples of one function or other place in a plain run (sampled_costs.hpp).
struct SampledCost {
  std::string name, module;  // as in ComparedFunction, or "[user]" of the workload, "[unknown]"
  std::uint32_t duplicate = 0;
  // If it is traced in the runs to compare, with those of what it called untraced, as in its self time.
  std::uint64_t samples = 0;
  std::string below;  // the traced function below which most of them were taken; empty: none
};

struct ComparedSamples {
  std::vector<SampledCost> functions;
  std::uint64_t busy = 0;           // all samples that are no idle ones
  double ns_per_sample = 0;         // CPU time that one stands for
  bool sees_interrupts_off = true;  // as in SampleProfile
  bool with_start = false;          // with what iperf3 does before its test begins
};

// What the costs of a run are divided by; the same unit for all runs that are compared.
struct RunWork {
  WorkUnit unit = WorkUnit::byte;
  std::optional<double> amount = std::nullopt;  // absent: this run does not know it
};

// A finished run, with the data that a comparison needs. Absent: unknown.
struct ComparedRun {
  RunId id = 0;
  JobId job = 0;  // blocks are numbered by job
  std::optional<WallTime> started;
  std::uint32_t block = 0;                         // of its design, from 1; 0: none
  std::uint32_t letter = 0;                        // of the block
  std::string build;                               // of its side; empty: the side has one
  std::optional<double> received_bits_per_second;  // over all directions
  std::optional<std::uint64_t> goodput_bytes, packets;
  std::optional<RunWork> work = std::nullopt;  // by choose_work(); absent: of bytes of goodput
  // CPU time of the workload and of the kernel's path of its packets (side_noise.hpp, own_cpu_ns()).
  std::optional<std::uint64_t> busy_ns;
  // `cpu` of whole runs, with what iperf3 omits: that of `figures` is of the part that it counted, unless
  // that is not known (`cpu_of_whole`).
  std::optional<double> whole_cpu;
  bool cpu_of_whole = false;
  // iperf3's start or its end is in `cpu`: nothing tells them apart.
  bool cpu_with_start = false, cpu_with_end = false;
  std::optional<double> busiest_cpu;  // share of the time in which the busiest CPU was busy, 0 to 1
  // The same for the busier one of the workload's processes, whatever CPU it ran on, for each of its streams.
  std::optional<double> busiest_process;
  std::optional<ComparedTrace> trace;  // absent: a plain run
  std::optional<ComparedSamples> samples;
  std::optional<Fingerprint> fingerprint;
  std::string congestion = {};  // that iperf3 said was used; a fact only of a run that asked for one
  std::vector<CounterDelta> counters;
  std::vector<std::string> flags;  // codes of its quality flags, without kFromBundle
  std::string origin = {};         // the text of that flag; empty: the run came in no bundle
  std::vector<std::string> files;  // digests of the files that it was imported from
  std::map<std::string, double, std::less<>> figures =
      {};  // of the registry, by name: those that were asked for
  std::map<std::string, std::string, std::less<>> sources = {};  // of those of `figures` that tell it
  std::vector<NamedFigure> own_figures = {};                     // all that it has
  std::vector<std::string> nearest = {};  // to counters that were asked for and that it lacks: those it has
};

[[nodiscard]] inline bool is_plain(const ComparedRun& run) {
  return !run.trace;
}

// What self-tests of the host show although nothing differs, as ratios above 1 (host_resolution.hpp).
struct HostResolution {
  std::optional<double>
      settings;                // for changes within a boot: the far end of a self-test that found a change
  std::optional<double> code;  // what boots and builds add, for changes of code
  std::vector<Level> assumed = {};  // what is assumed to make up `code`; none: self-tests tell it
  double luck_of_boots = 0;         // the standard deviation by which boots are then taken to differ
};

struct ComparedFigure {
  Figure figure = {};
  std::optional<double> threshold = std::nullopt;  // absent: that of the settings
  HostResolution resolution = {};
};

[[nodiscard]] inline std::vector<ComparedFigure> compared_figures(const std::vector<FigureChoice>& choices) {
  std::vector<ComparedFigure> figures;
  for (const FigureChoice& choice : choices)
    figures.push_back({.figure = choice.figure, .threshold = choice.threshold});
  return figures;
}

struct ComparisonSettings {
  double threshold = 0.01;
  double level = 0.95;  // of the intervals of all figures together; of a job with looks, at each of them
  std::optional<LookedAt> looked = {};    // absent: the number of blocks was fixed
  std::vector<std::string> changed = {};  // groups that are declared to differ; empty: not declared
  // Give a verdict in spite of undeclared differences, of runs that received nothing, of a file that was
  // imported twice, and of noise that made it.
  bool despite = false;
  // A sampled function or frame is tested if its share of the samples of both sides together is at least
  // this. The choice is blind to the sides; it keeps the number of tests small, so that each has a chance.
  double least_share = 0.01;
  std::vector<ComparedFigure> figures = {{}};  // not empty; the first one is the primary
  WorkUnit work = WorkUnit::byte;              // what costs are divided by (choose_work())
  HostResolution cpu = {};                     // of the figure of CPU time for it, if it is none of them
  std::uint32_t failed_a = 0, failed_b = 0;    // failed runs that would otherwise belong to a side
  std::optional<std::uint32_t> point = {};     // of a sweep: compares this point alone
};

// The level of the interval of each of `figures` figures: the intervals miss in at most 1 - `level` of all
// comparisons together (Bonferroni), however the figures depend on one another.
[[nodiscard]] double level_of_each(double level, std::size_t figures);

// If some run knows its CPU time only as a whole, that of all is.
void use_one_part(std::vector<ComparedRun>& a, std::vector<ComparedRun>& b);

// Never fails: if something cannot be said, the verdict, an absent figure or a caveat shows it.
[[nodiscard]] Comparison compare(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                 const ComparisonSettings& settings);

// The facts in which the two sides differ, by group and key: those whose values the runs of the sides do not
// have in equal shares, within each block if the runs belong to blocks. A side without fingerprints differs
// in nothing. `changed` and the marks of each fact are as in Comparison. `figure` is what they are to
// explain.
[[nodiscard]] std::vector<FactChange> differing_facts(const std::vector<ComparedRun>& a,
                                                      const std::vector<ComparedRun>& b,
                                                      const std::vector<std::string>& changed,
                                                      const Figure& figure = {});

}  // namespace netperfd::analysis
