// SPDX-License-Identifier: GPL-2.0-or-later
// Comparisons and plans. docs/comparing.md explains the figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd::rows {

// One figure of a comparison. Ratios are of B to A: 1.05 is 5 % more, which is worse if lower is better.
struct ComparedFigure {
  std::string figure;  // as in scenarios: received, latency.p99
  std::string unit;    // of the medians: bits_per_second, ns, share, per_gigabyte or ns_per_byte
  std::string better;  // higher or lower
  std::string verdict;
  std::optional<std::string> leaning;  // improvement or regression, of an inconclusive one
  double threshold = 0;
  std::string pairing;  // as in Comparison, and so are the others
  std::optional<double> boot_spread, resolution;
  std::optional<std::uint32_t> samples_a, samples_b;
  std::optional<double> median_a, median_b;
  std::optional<double> centre_a, centre_b;  // levels of the sides whose ratio is exactly `ratio`
  std::optional<double> ratio, ratio_low, ratio_high, level, p;
  std::optional<double> p_adjusted;  // for the number of figures
  std::optional<double> cliffs_delta, detectable;
  std::optional<std::uint32_t> needed, needed_for_equivalence;
  std::optional<std::uint32_t> fewest;  // samples that an interval takes
  // Of the same self-test as in Comparison.
  std::optional<std::string> selftest_verdict;
  std::optional<std::uint32_t> selftest_samples;
  std::optional<double> selftest_ratio, selftest_low, selftest_high, selftest_level, selftest_detectable;
};
template <>
inline constexpr auto kFields<ComparedFigure> =
    std::tuple{field("figure", &ComparedFigure::figure),
               field("unit", &ComparedFigure::unit),
               field("better", &ComparedFigure::better),
               field("verdict", &ComparedFigure::verdict),
               field("leaning", &ComparedFigure::leaning),
               field("threshold", &ComparedFigure::threshold),
               field("pairing", &ComparedFigure::pairing),
               field("boot_spread", &ComparedFigure::boot_spread),
               field("resolution", &ComparedFigure::resolution),
               field("samples_a", &ComparedFigure::samples_a),
               field("samples_b", &ComparedFigure::samples_b),
               field("median_a", &ComparedFigure::median_a),
               field("median_b", &ComparedFigure::median_b),
               field("centre_a", &ComparedFigure::centre_a),
               field("centre_b", &ComparedFigure::centre_b),
               field("ratio", &ComparedFigure::ratio),
               field("ratio_low", &ComparedFigure::ratio_low),
               field("ratio_high", &ComparedFigure::ratio_high),
               field("level", &ComparedFigure::level),
               field("p", &ComparedFigure::p),
               field("p_adjusted", &ComparedFigure::p_adjusted),
               field("cliffs_delta", &ComparedFigure::cliffs_delta),
               field("detectable", &ComparedFigure::detectable),
               field("needed", &ComparedFigure::needed),
               field("needed_for_equivalence", &ComparedFigure::needed_for_equivalence),
               field("fewest", &ComparedFigure::fewest),
               field("selftest_verdict", &ComparedFigure::selftest_verdict),
               field("selftest_samples", &ComparedFigure::selftest_samples),
               field("selftest_ratio", &ComparedFigure::selftest_ratio),
               field("selftest_low", &ComparedFigure::selftest_low),
               field("selftest_high", &ComparedFigure::selftest_high),
               field("selftest_level", &ComparedFigure::selftest_level),
               field("selftest_detectable", &ComparedFigure::selftest_detectable)};
static_assert(kDescribed<ComparedFigure>);

// The overall result (Compare's first row). Ratios are of B to A: 1.05 is 5 % more.
struct Comparison {
  // The first of `figures`. Of several, all but the verdict and the keys of the environment, of functions and
  // of counters are of it alone, down to needed_for_equivalence, and so are those of the self-test.
  std::string figure;
  // Over all figures: improvement, regression, equivalent, trade-off, inconclusive, too few or refused.
  std::string verdict;
  // Of an inconclusive one whose interval leaves out 1 and reaches beyond the threshold: improvement or
  // regression. It is not shown to be the threshold at least, or other builds or boots could overturn it.
  std::optional<std::string> leaning;
  std::optional<double> threshold;
  // Unit of a sample: blocks, runs, boots, builds of blocks or boots of blocks.
  std::optional<std::string> pairing;
  std::optional<std::vector<std::string>> of_one;  // boot, build: of which a side has one, whose luck it has
  std::optional<double> boot_spread;               // the verdict holds unless these add more than this share
  // A ratio: a smaller difference is no verdict. By self-tests, or assumed where the caveats say so.
  std::optional<double> resolution;
  std::optional<std::vector<std::uint64_t>> runs_a, runs_b;
  std::optional<std::vector<std::string>> scenarios_a, scenarios_b, labels_a, labels_b;  // those that occur
  std::optional<std::vector<std::uint32_t>> owners_a, owners_b;          // uids of those whose runs they are
  std::optional<std::vector<std::uint32_t>> owner_runs_a, owner_runs_b;  // how many runs each of them has
  std::optional<std::uint64_t> first_started_a_us, last_started_a_us, first_started_b_us, last_started_b_us;
  std::optional<std::uint32_t> samples_a, samples_b;
  std::optional<double> median_a, median_b;
  std::optional<double> centre_a, centre_b;  // levels of the sides whose ratio is exactly `ratio`
  std::optional<double> ratio, ratio_low, ratio_high, level, p, cliffs_delta, detectable;
  // Samples per side, or blocks, that find twice the threshold to be the threshold at least, and that show
  // equivalence.
  std::optional<std::uint32_t> needed, needed_for_equivalence;
  // CPU time of all CPUs over goodput, of the plain runs: `cpu` of `beside` or `figures`, in its unit.
  std::optional<double> ns_per_byte_a, ns_per_byte_b, ns_per_byte_shift, ns_per_byte_low, ns_per_byte_high,
      ns_per_byte_level, ns_per_byte_p;
  // Which part of the runs they are of: counted (as the throughput is), or whole (with what iperf3 omits).
  std::optional<std::string> ns_per_byte_part;
  // Changes of the traced runs: CPU time without the tracer's, the functions' self times, the tracer's, the
  // rest.
  std::optional<double> traced_ns_per_byte_shift, traced_ns_per_byte_low, traced_ns_per_byte_high,
      functions_ns_per_byte_shift, functions_ns_per_byte_low, functions_ns_per_byte_high,
      tracer_ns_per_byte_shift, tracer_ns_per_byte_low, tracer_ns_per_byte_high, residual_ns_per_byte,
      residual_ns_per_byte_low, residual_ns_per_byte_high;
  std::optional<double> explained, explained_low, explained_high;  // shares of traced_ns_per_byte_shift
  std::optional<double> traced_to_plain;
  // Whether the samples of the plain runs confirm the trace: agrees, compatible (with what one of both
  // shows), disagrees, unseen (no sample of the function that the trace names); unclear: of an older
  // netperfd. Absent: there are none, or neither shows a change.
  std::optional<std::string> witness;
  std::optional<std::uint32_t> sampled_runs_a, sampled_runs_b;
  std::optional<std::uint64_t> busy_samples_a, busy_samples_b;
  std::optional<double> tracer_share_a, tracer_share_b;  // of the traced runs' CPU time; medians
  std::optional<std::uint32_t> tested;                   // functions
  std::optional<std::string> not_attributed;             // why the difference is not attributed to functions
  std::optional<std::uint32_t> counters_tested;
  std::optional<std::vector<std::string>> changed, same, caveats;
  // The newest self-test of the scenario of side B on this host; ratios and levels as those above.
  std::optional<std::uint64_t> selftest_job, selftest_started_us;
  std::optional<std::string> selftest_verdict;
  std::optional<std::uint32_t> selftest_samples;
  std::optional<double> selftest_ratio, selftest_low, selftest_high, selftest_level, selftest_detectable;
  std::optional<std::uint64_t> functions_left_out, counters_left_out, facts_left_out;
  std::optional<std::uint64_t> confirms;  // the job whose suspected functions the compared job measures again
  std::optional<std::vector<ComparedFigure>> figures;  // the primary first
  // Judged alike, each as if it were the only one, without a say in the verdict: cpu of the plain runs.
  std::optional<std::vector<ComparedFigure>> beside;
};
template <>
inline constexpr auto kFields<Comparison> =
    std::tuple{field("figure", &Comparison::figure),
               field("verdict", &Comparison::verdict),
               field("leaning", &Comparison::leaning),
               field("threshold", &Comparison::threshold),
               field("pairing", &Comparison::pairing),
               field("of_one", &Comparison::of_one),
               field("boot_spread", &Comparison::boot_spread),
               field("resolution", &Comparison::resolution),
               field("runs_a", &Comparison::runs_a),
               field("runs_b", &Comparison::runs_b),
               field("scenarios_a", &Comparison::scenarios_a),
               field("scenarios_b", &Comparison::scenarios_b),
               field("labels_a", &Comparison::labels_a),
               field("labels_b", &Comparison::labels_b),
               field("owners_a", &Comparison::owners_a),
               field("owners_b", &Comparison::owners_b),
               field("owner_runs_a", &Comparison::owner_runs_a),
               field("owner_runs_b", &Comparison::owner_runs_b),
               field("first_started_a_us", &Comparison::first_started_a_us),
               field("last_started_a_us", &Comparison::last_started_a_us),
               field("first_started_b_us", &Comparison::first_started_b_us),
               field("last_started_b_us", &Comparison::last_started_b_us),
               field("samples_a", &Comparison::samples_a),
               field("samples_b", &Comparison::samples_b),
               field("median_a", &Comparison::median_a),
               field("median_b", &Comparison::median_b),
               field("centre_a", &Comparison::centre_a),
               field("centre_b", &Comparison::centre_b),
               field("ratio", &Comparison::ratio),
               field("ratio_low", &Comparison::ratio_low),
               field("ratio_high", &Comparison::ratio_high),
               field("level", &Comparison::level),
               field("p", &Comparison::p),
               field("cliffs_delta", &Comparison::cliffs_delta),
               field("detectable", &Comparison::detectable),
               field("needed", &Comparison::needed),
               field("needed_for_equivalence", &Comparison::needed_for_equivalence),
               field("ns_per_byte_a", &Comparison::ns_per_byte_a),
               field("ns_per_byte_b", &Comparison::ns_per_byte_b),
               field("ns_per_byte_shift", &Comparison::ns_per_byte_shift),
               field("ns_per_byte_low", &Comparison::ns_per_byte_low),
               field("ns_per_byte_high", &Comparison::ns_per_byte_high),
               field("ns_per_byte_level", &Comparison::ns_per_byte_level),
               field("ns_per_byte_p", &Comparison::ns_per_byte_p),
               field("ns_per_byte_part", &Comparison::ns_per_byte_part),
               field("explained", &Comparison::explained),
               field("explained_low", &Comparison::explained_low),
               field("explained_high", &Comparison::explained_high),
               field("traced_ns_per_byte_shift", &Comparison::traced_ns_per_byte_shift),
               field("traced_ns_per_byte_low", &Comparison::traced_ns_per_byte_low),
               field("traced_ns_per_byte_high", &Comparison::traced_ns_per_byte_high),
               field("functions_ns_per_byte_shift", &Comparison::functions_ns_per_byte_shift),
               field("functions_ns_per_byte_low", &Comparison::functions_ns_per_byte_low),
               field("functions_ns_per_byte_high", &Comparison::functions_ns_per_byte_high),
               field("tracer_ns_per_byte_shift", &Comparison::tracer_ns_per_byte_shift),
               field("tracer_ns_per_byte_low", &Comparison::tracer_ns_per_byte_low),
               field("tracer_ns_per_byte_high", &Comparison::tracer_ns_per_byte_high),
               field("residual_ns_per_byte", &Comparison::residual_ns_per_byte),
               field("residual_ns_per_byte_low", &Comparison::residual_ns_per_byte_low),
               field("residual_ns_per_byte_high", &Comparison::residual_ns_per_byte_high),
               field("traced_to_plain", &Comparison::traced_to_plain),
               field("witness", &Comparison::witness),
               field("sampled_runs_a", &Comparison::sampled_runs_a),
               field("sampled_runs_b", &Comparison::sampled_runs_b),
               field("busy_samples_a", &Comparison::busy_samples_a),
               field("busy_samples_b", &Comparison::busy_samples_b),
               field("tracer_share_a", &Comparison::tracer_share_a),
               field("tracer_share_b", &Comparison::tracer_share_b),
               field("tested", &Comparison::tested),
               long_text("not_attributed", &Comparison::not_attributed),
               field("counters_tested", &Comparison::counters_tested),
               field("changed", &Comparison::changed),
               field("same", &Comparison::same),
               field("caveats", &Comparison::caveats),
               field("selftest_job", &Comparison::selftest_job),
               field("selftest_started_us", &Comparison::selftest_started_us),
               field("selftest_verdict", &Comparison::selftest_verdict),
               field("selftest_samples", &Comparison::selftest_samples),
               field("selftest_ratio", &Comparison::selftest_ratio),
               field("selftest_low", &Comparison::selftest_low),
               field("selftest_high", &Comparison::selftest_high),
               field("selftest_level", &Comparison::selftest_level),
               field("selftest_detectable", &Comparison::selftest_detectable),
               field("functions_left_out", &Comparison::functions_left_out),
               field("counters_left_out", &Comparison::counters_left_out),
               field("facts_left_out", &Comparison::facts_left_out),
               field("confirms", &Comparison::confirms),
               field("figures", &Comparison::figures),
               field("beside", &Comparison::beside)};
static_assert(kDescribed<Comparison>);

// One function on both sides; costs are nanoseconds of self time per byte of goodput.
struct FunctionDelta {
  std::string function;
  std::optional<std::string> function_b;   // its name in B, if different
  std::optional<std::uint32_t> duplicate;  // number among the functions of that name, from 1
  std::optional<std::string> module;       // absent: the kernel itself
  std::optional<std::string> match;        // same, renamed, only A, only B
  std::optional<double> cost_a, cost_b;
  std::optional<double> shift, low, high, level, p, q;  // of B less A
  std::optional<double> p_adjusted;                     // for the number of functions tested
  std::optional<double> detectable;                     // shift that p_adjusted finds with 80 % power
  std::optional<double> share, share_low, share_high;   // of traced_ns_per_byte_shift; as explained
  // cost = packets per byte * calls per packet * ns per call; without packets calls are per byte.
  std::optional<double> packets_per_byte_a, packets_per_byte_b, calls_per_packet_a, calls_per_packet_b,
      ns_per_call_a, ns_per_call_b;
  // By the samples of the plain runs; of a traced function, with what it called untraced.
  std::optional<double> sampled_a, sampled_b, sampled_shift, sampled_low, sampled_high, sampled_level;
  std::optional<double> sampled_p_adjusted;  // among the functions with 1 % of the samples
  std::optional<std::string> witness;        // agrees, compatible, disagrees or unseen: what they say of it
  std::optional<bool> after_interrupts_off;  // has the samples of sections with interrupts off before it
  std::optional<bool> not_traced;            // only the samples know it
  std::optional<std::string> below;          // if not traced: the traced function below which most of it ran
  // Of a job that confirms another one: what the other one found, and whether both can be of one shift.
  std::optional<double> first_shift, first_low, first_high;
  std::optional<bool> agrees;
};
template <>
inline constexpr auto kFields<FunctionDelta> =
    std::tuple{field("function", &FunctionDelta::function),
               field("function_b", &FunctionDelta::function_b),
               field("duplicate", &FunctionDelta::duplicate),
               field("module", &FunctionDelta::module),
               field("match", &FunctionDelta::match),
               field("cost_a", &FunctionDelta::cost_a, "ns_per_byte"),
               field("cost_b", &FunctionDelta::cost_b, "ns_per_byte"),
               field("shift", &FunctionDelta::shift, "ns_per_byte"),
               field("low", &FunctionDelta::low, "ns_per_byte"),
               field("high", &FunctionDelta::high, "ns_per_byte"),
               field("level", &FunctionDelta::level),
               field("p", &FunctionDelta::p),
               field("q", &FunctionDelta::q),
               field("p_adjusted", &FunctionDelta::p_adjusted),
               field("detectable", &FunctionDelta::detectable, "ns_per_byte"),
               field("share", &FunctionDelta::share),
               field("share_low", &FunctionDelta::share_low),
               field("share_high", &FunctionDelta::share_high),
               field("packets_per_byte_a", &FunctionDelta::packets_per_byte_a),
               field("packets_per_byte_b", &FunctionDelta::packets_per_byte_b),
               field("calls_per_packet_a", &FunctionDelta::calls_per_packet_a),
               field("calls_per_packet_b", &FunctionDelta::calls_per_packet_b),
               field("ns_per_call_a", &FunctionDelta::ns_per_call_a),
               field("ns_per_call_b", &FunctionDelta::ns_per_call_b),
               field("sampled_a", &FunctionDelta::sampled_a, "ns_per_byte"),
               field("sampled_b", &FunctionDelta::sampled_b, "ns_per_byte"),
               field("sampled_shift", &FunctionDelta::sampled_shift, "ns_per_byte"),
               field("sampled_low", &FunctionDelta::sampled_low, "ns_per_byte"),
               field("sampled_high", &FunctionDelta::sampled_high, "ns_per_byte"),
               field("sampled_level", &FunctionDelta::sampled_level),
               field("sampled_p_adjusted", &FunctionDelta::sampled_p_adjusted),
               field("witness", &FunctionDelta::witness),
               field("after_interrupts_off", &FunctionDelta::after_interrupts_off),
               field("not_traced", &FunctionDelta::not_traced),
               field("below", &FunctionDelta::below),
               field("first_shift", &FunctionDelta::first_shift, "ns_per_byte"),
               field("first_low", &FunctionDelta::first_low, "ns_per_byte"),
               field("first_high", &FunctionDelta::first_high, "ns_per_byte"),
               field("agrees", &FunctionDelta::agrees)};
static_assert(kDescribed<FunctionDelta>);

struct CounterChange {
  std::string source, name;
  std::optional<std::string> unit;  // absent: a number
  std::optional<double> per_gigabyte_a, per_gigabyte_b, shift, low, high, level, p, q;
};
template <>
inline constexpr auto kFields<CounterChange> =
    std::tuple{field("source", &CounterChange::source),
               field("name", &CounterChange::name),
               field("unit", &CounterChange::unit),
               field("per_gigabyte_a", &CounterChange::per_gigabyte_a),
               field("per_gigabyte_b", &CounterChange::per_gigabyte_b),
               field("shift", &CounterChange::shift),
               field("low", &CounterChange::low),
               field("high", &CounterChange::high),
               field("level", &CounterChange::level),
               field("p", &CounterChange::p),
               field("q", &CounterChange::q)};
static_assert(kDescribed<CounterChange>);

struct FactChange {
  std::string group, key;
  std::optional<std::vector<std::string>> a, b;              // values that occur
  std::optional<std::vector<std::uint32_t>> runs_a, runs_b;  // the number of runs with each of them
  std::optional<bool> declared, explains;
};
template <>
inline constexpr auto kFields<FactChange> = std::tuple{field("group", &FactChange::group),
                                                       field("key", &FactChange::key),
                                                       field("a", &FactChange::a),
                                                       field("b", &FactChange::b),
                                                       field("runs_a", &FactChange::runs_a),
                                                       field("runs_b", &FactChange::runs_b),
                                                       field("declared", &FactChange::declared),
                                                       field("explains", &FactChange::explains)};
static_assert(kDescribed<FactChange>);

// The answer of PlanRuns.
struct Plan {
  // Unit of the plan: blocks, builds of blocks, boots of blocks, or boots or runs per side.
  std::optional<std::string> pairing;
  std::optional<std::uint32_t> samples;            // number in the runs it was planned from
  std::optional<std::uint32_t> blocks_each;        // of each of them, if they are boots or builds
  std::optional<double> sd;                        // of their logarithms
  std::optional<double> effect, power, threshold;  // shares
  std::optional<std::uint32_t> needed, needed_for_equivalence;  // absent above a million
  std::optional<double> seconds;                                // that these take
  // If `repeat` was given: the ratio above 1 that so many detect, and the seconds that they take.
  std::optional<double> detectable, repeat_seconds;
  std::optional<double> boot_seconds;  // from one reboot to the next, if boots per side are counted
  std::optional<std::string> figure;
  std::optional<double> level;  // of the figure's interval
  // All that a comparison of such a job judges together, if they are several and the figure is one of them.
  std::optional<std::vector<std::string>> figures;
};
template <>
inline constexpr auto kFields<Plan> =
    std::tuple{field("pairing", &Plan::pairing),
               field("samples", &Plan::samples),
               field("blocks_each", &Plan::blocks_each),
               field("sd", &Plan::sd),
               field("effect", &Plan::effect),
               field("power", &Plan::power),
               field("threshold", &Plan::threshold),
               field("needed", &Plan::needed),
               field("needed_for_equivalence", &Plan::needed_for_equivalence),
               field("seconds", &Plan::seconds),
               field("detectable", &Plan::detectable),
               field("repeat_seconds", &Plan::repeat_seconds),
               field("boot_seconds", &Plan::boot_seconds),
               field("figure", &Plan::figure),
               field("level", &Plan::level),
               field("figures", &Plan::figures)};
static_assert(kDescribed<Plan>);

}  // namespace netperfd::rows
