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

// The ratio of B to A: 1.05 is 5 % more.
struct Effect {
  std::optional<std::uint32_t> samples_a, samples_b;
  std::optional<double> median_a, median_b;
  std::optional<double> centre_a, centre_b;  // levels of the sides whose ratio is exactly `ratio`
  std::optional<double> ratio, low, high, level, p;
};
template <>
inline constexpr auto kFields<Effect> = std::tuple{field("samples_a", &Effect::samples_a),
                                                   field("samples_b", &Effect::samples_b),
                                                   field("median_a", &Effect::median_a),
                                                   field("median_b", &Effect::median_b),
                                                   field("centre_a", &Effect::centre_a),
                                                   field("centre_b", &Effect::centre_b),
                                                   field("ratio", &Effect::ratio),
                                                   field("ratio_low", &Effect::low),
                                                   field("ratio_high", &Effect::high),
                                                   field("level", &Effect::level),
                                                   field("p", &Effect::p)};
static_assert(kDescribed<Effect>);

// How far the samples of the sides lie apart, and what so many of them find.
struct Reach {
  std::optional<double> cliffs_delta, detectable;
  // Samples per side, or blocks, that find twice the threshold to be the threshold at least, and that show
  // equivalence.
  std::optional<std::uint32_t> needed, needed_for_equivalence;
};
template <>
inline constexpr auto kFields<Reach> = std::tuple{
    field("cliffs_delta", &Reach::cliffs_delta), field("detectable", &Reach::detectable),
    field("needed", &Reach::needed), field("needed_for_equivalence", &Reach::needed_for_equivalence)};
static_assert(kDescribed<Reach>);

// What the newest self-test of the scenario of side B on this host found; ratio and level as in Effect.
struct SelfTest {
  std::optional<std::string> verdict;
  std::optional<std::uint32_t> samples;
  std::optional<double> ratio, low, high, level, detectable;
};
template <>
inline constexpr auto kFields<SelfTest> = std::tuple{field("verdict", &SelfTest::verdict),
                                                     field("samples", &SelfTest::samples),
                                                     field("ratio", &SelfTest::ratio),
                                                     field("low", &SelfTest::low),
                                                     field("high", &SelfTest::high),
                                                     field("level", &SelfTest::level),
                                                     field("detectable", &SelfTest::detectable)};
static_assert(kDescribed<SelfTest>);

// CPU time of all CPUs over goodput: of the sides, and of B less A.
struct CpuTime {
  std::optional<double> a, b, shift, low, high, level, p;
  // Which part of the runs it is of: counted (as the throughput is), or whole (with what iperf3 omits).
  std::optional<std::string> part;
};
template <>
inline constexpr auto kFields<CpuTime> =
    std::tuple{field("a", &CpuTime::a),     field("b", &CpuTime::b),       field("shift", &CpuTime::shift),
               field("low", &CpuTime::low), field("high", &CpuTime::high), field("level", &CpuTime::level),
               field("p", &CpuTime::p),     field("part", &CpuTime::part)};
static_assert(kDescribed<CpuTime>);

// Of B less A.
struct Shift {
  std::optional<double> shift, low, high;
};
template <>
inline constexpr auto kFields<Shift> =
    std::tuple{field("shift", &Shift::shift), field("low", &Shift::low), field("high", &Shift::high)};
static_assert(kDescribed<Shift>);

// A value that has the name of the row, with its interval.
struct Estimate {
  std::optional<double> value, low, high;
};
template <>
inline constexpr auto kFields<Estimate> =
    std::tuple{field("", &Estimate::value), field("_low", &Estimate::low), field("_high", &Estimate::high)};
static_assert(kDescribed<Estimate>);

// One figure of a comparison. It is worse if B has more of it and lower is better.
struct ComparedFigure {
  std::string figure;  // as in scenarios: received, latency.p99
  std::string unit;    // of the medians: as in FigureEntry, or that of the runs' own figure
  std::string better;  // higher or lower
  // What it was read from, of a counter or of packets and transactions: nic, qdisc, snmp ..., `figure NAME`.
  std::optional<std::string> source;
  std::string verdict;
  std::optional<std::string> leaning;  // improvement or regression, of an inconclusive one
  double threshold = 0;
  std::string pairing;  // as in Comparison, and so are the others
  std::optional<double> boot_spread, resolution;
  // What decided, with its numbers and the way out, if the interval did not.
  std::optional<std::string> reason;
  Effect effect;
  std::optional<double> p_adjusted;  // for the number of figures
  Reach reach;
  std::optional<std::uint32_t> fewest;  // samples that an interval takes
  SelfTest selftest;
};
template <>
inline constexpr auto kFields<ComparedFigure> = std::tuple{
    field("figure", &ComparedFigure::figure),           field("unit", &ComparedFigure::unit),
    field("better", &ComparedFigure::better),           field("source", &ComparedFigure::source),
    field("verdict", &ComparedFigure::verdict),         field("leaning", &ComparedFigure::leaning),
    field("threshold", &ComparedFigure::threshold),     field("pairing", &ComparedFigure::pairing),
    field("boot_spread", &ComparedFigure::boot_spread), field("resolution", &ComparedFigure::resolution),
    field("reason", &ComparedFigure::reason),           within(&ComparedFigure::effect),
    field("p_adjusted", &ComparedFigure::p_adjusted),   within(&ComparedFigure::reach),
    field("fewest", &ComparedFigure::fewest),           within<"selftest_">(&ComparedFigure::selftest)};
static_assert(kDescribed<ComparedFigure>);

// The overall result (Compare's first row).
struct Comparison {
  // The first of `figures`. Of several, all but the verdict and the keys of the environment, of functions and
  // of counters are of it alone, down to needed_for_equivalence, and so are those of the self-test.
  std::string figure;
  // Over all figures: improvement, regression, equivalent, trade-off, inconclusive, too few or refused.
  std::string verdict;
  // Of an inconclusive one whose interval leaves out 1 and reaches beyond the threshold: improvement or
  // regression. It is not shown to be the threshold at least, or other builds or boots could overturn it.
  std::optional<std::string> leaning;
  // Of a refused one, what gives the refused figures a verdict, as far as anything does: declare (all groups
  // that differ and can explain the result), despite (the option, and to declare is not enough) or none.
  std::optional<std::string> remedy;
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
  Effect effect;
  Reach reach;
  CpuTime cpu;         // of the plain runs: `cpu` of `beside` or `figures`, in its unit
  Estimate explained;  // a share of traced.shift
  // Changes of the traced runs: CPU time without the tracer's, the functions' self times, the tracer's, the
  // rest.
  Shift traced, functions, tracer;
  Estimate residual;
  std::optional<double> traced_to_plain;
  // Whether the samples of the plain runs confirm the trace: agrees, compatible (with what one of both
  // shows), disagrees, unseen (no sample of the function that the trace names); unclear: of an older
  // netperfd. Absent: there are none, or neither shows a change.
  std::optional<std::string> witness;
  std::optional<std::uint32_t> sampled_runs_a, sampled_runs_b;
  std::optional<std::uint64_t> busy_samples_a, busy_samples_b;
  std::optional<double> tracer_share_a, tracer_share_b;  // of the traced runs' CPU time; medians
  std::optional<std::uint32_t> tested;                   // functions
  std::optional<std::uint32_t> few_calls;                // functions that were not tested for that
  std::optional<std::string> not_attributed;             // why the difference is not attributed to functions
  std::optional<std::uint32_t> counters_tested;
  std::optional<std::vector<std::string>> changed, same, caveats;
  std::optional<std::uint64_t> selftest_job, selftest_started_us;
  SelfTest selftest;
  std::optional<std::uint64_t> functions_left_out, counters_left_out, facts_left_out;
  std::optional<std::uint64_t> confirms;  // the job whose suspected functions the compared job measures again
  std::optional<std::vector<ComparedFigure>> figures;  // the primary first
  // Judged alike, each as if it were the only one, without a say in the verdict: CPU time of the plain runs.
  std::optional<std::vector<ComparedFigure>> beside;
  // packet or transaction: all costs are of one, also those whose keys say ns_per_byte. Absent: a byte.
  std::optional<std::string> work;
  std::optional<double> offered_bits_per_second;  // that both sides were asked for, and reached
  std::optional<std::uint32_t> point;             // of a sweep, which alone is compared; from 1
  std::optional<std::string> point_name;          // "streams=4, length=512"
};
template <>
inline constexpr auto kFields<Comparison> =
    std::tuple{field("figure", &Comparison::figure),
               field("verdict", &Comparison::verdict),
               field("leaning", &Comparison::leaning),
               field("remedy", &Comparison::remedy),
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
               within(&Comparison::effect),
               within(&Comparison::reach),
               within<"ns_per_byte_">(&Comparison::cpu),
               within<"explained">(&Comparison::explained),
               within<"traced_ns_per_byte_">(&Comparison::traced),
               within<"functions_ns_per_byte_">(&Comparison::functions),
               within<"tracer_ns_per_byte_">(&Comparison::tracer),
               within<"residual_ns_per_byte">(&Comparison::residual),
               field("traced_to_plain", &Comparison::traced_to_plain),
               field("witness", &Comparison::witness),
               field("sampled_runs_a", &Comparison::sampled_runs_a),
               field("sampled_runs_b", &Comparison::sampled_runs_b),
               field("busy_samples_a", &Comparison::busy_samples_a),
               field("busy_samples_b", &Comparison::busy_samples_b),
               field("tracer_share_a", &Comparison::tracer_share_a),
               field("tracer_share_b", &Comparison::tracer_share_b),
               field("tested", &Comparison::tested),
               field("few_calls", &Comparison::few_calls),
               long_text("not_attributed", &Comparison::not_attributed),
               field("counters_tested", &Comparison::counters_tested),
               field("changed", &Comparison::changed),
               field("same", &Comparison::same),
               field("caveats", &Comparison::caveats),
               field("selftest_job", &Comparison::selftest_job),
               field("selftest_started_us", &Comparison::selftest_started_us),
               within<"selftest_">(&Comparison::selftest),
               field("functions_left_out", &Comparison::functions_left_out),
               field("counters_left_out", &Comparison::counters_left_out),
               field("facts_left_out", &Comparison::facts_left_out),
               field("confirms", &Comparison::confirms),
               field("figures", &Comparison::figures),
               field("beside", &Comparison::beside),
               field("work", &Comparison::work),
               field("offered_bits_per_second", &Comparison::offered_bits_per_second),
               field("point", &Comparison::point),
               field("point_name", &Comparison::point_name)};
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
  std::optional<double> sampled_share_a, sampled_share_b;  // of the busy samples
  std::optional<double> sampled_p_adjusted;                // among the functions with 1 % of the samples
  std::optional<std::string> witness;        // agrees, compatible, disagrees or unseen: what they say of it
  std::optional<bool> after_interrupts_off;  // has the samples of sections with interrupts off before it
  std::optional<bool> not_traced;            // only the samples know it
  std::optional<std::string> below;          // if not traced: the traced function below which most of it ran
  // Of a job that confirms another one: what the other one found, and whether both can be of one shift.
  std::optional<double> first_shift, first_low, first_high;
  std::optional<bool> agrees;
  // Of all figures of all tested functions together, as p_adjusted: intervals that leave out 0 exactly if p
  // is 0.05 or less. The time of a call, in ns, and the calls per unit of work have no others.
  std::optional<double> together_low, together_high;
  std::optional<double> call_time_a, call_time_b, call_time_shift, call_time_low, call_time_high,
      call_time_p_adjusted;
  std::optional<double> calls_a, calls_b, calls_shift, calls_low, calls_high, calls_p_adjusted;
  // Which figure shows a change: cost, call time or calls; and what of the cost it takes at least.
  std::optional<std::string> shown_by;
  std::optional<double> shown_least;
  std::optional<double> sampled_detectable;  // shift that the samples find with 80 % power
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
               field("sampled_share_a", &FunctionDelta::sampled_share_a),
               field("sampled_share_b", &FunctionDelta::sampled_share_b),
               field("sampled_p_adjusted", &FunctionDelta::sampled_p_adjusted),
               field("witness", &FunctionDelta::witness),
               field("after_interrupts_off", &FunctionDelta::after_interrupts_off),
               field("not_traced", &FunctionDelta::not_traced),
               field("below", &FunctionDelta::below),
               field("first_shift", &FunctionDelta::first_shift, "ns_per_byte"),
               field("first_low", &FunctionDelta::first_low, "ns_per_byte"),
               field("first_high", &FunctionDelta::first_high, "ns_per_byte"),
               field("agrees", &FunctionDelta::agrees),
               field("together_low", &FunctionDelta::together_low, "ns_per_byte"),
               field("together_high", &FunctionDelta::together_high, "ns_per_byte"),
               field("call_time_a", &FunctionDelta::call_time_a, "ns"),
               field("call_time_b", &FunctionDelta::call_time_b, "ns"),
               field("call_time_shift", &FunctionDelta::call_time_shift, "ns"),
               field("call_time_low", &FunctionDelta::call_time_low, "ns"),
               field("call_time_high", &FunctionDelta::call_time_high, "ns"),
               field("call_time_p_adjusted", &FunctionDelta::call_time_p_adjusted),
               field("calls_a", &FunctionDelta::calls_a),
               field("calls_b", &FunctionDelta::calls_b),
               field("calls_shift", &FunctionDelta::calls_shift),
               field("calls_low", &FunctionDelta::calls_low),
               field("calls_high", &FunctionDelta::calls_high),
               field("calls_p_adjusted", &FunctionDelta::calls_p_adjusted),
               field("shown_by", &FunctionDelta::shown_by),
               field("shown_least", &FunctionDelta::shown_least, "ns_per_byte"),
               field("sampled_detectable", &FunctionDelta::sampled_detectable, "ns_per_byte")};
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

}  // namespace netperfd::rows
