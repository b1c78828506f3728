// SPDX-License-Identifier: GPL-2.0-or-later
// Sample profiles: what the CPUs did during a run that was not traced (docs/profiles.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd::rows {

// The summary of a profile (GetSampleProfile). Only `rate` and `skipped` exist if nothing was sampled.
struct SampleProfile {
  std::optional<std::uint32_t> rate;        // asked for, per second and CPU
  std::optional<std::string> event;         // cycles or cpu-clock
  std::optional<bool> sees_interrupts_off;  // false: sections with interrupts off are sampled behind them
  std::optional<std::uint32_t> cpus;
  std::optional<double> duration_s;
  std::optional<std::uint64_t> samples, idle, busy;  // busy: the rest, of which shares are
  std::optional<std::uint64_t> lost, throttled, unknown, cut, damaged;
  // By the rate: due = samples + lost + missed. Absent if it is not known, as with cycles.
  std::optional<std::uint64_t> due, missed;
  std::optional<std::uint64_t> functions, stacks;  // rows of ListSampledFunctions and ListSampledStacks
  // The smallest difference between shares near 1 % that two such profiles can show.
  std::optional<double> resolution;
  std::optional<double> ns_per_sample;  // CPU time that one stands for
  std::optional<std::string> work;      // what the run did: byte (of goodput), packet or transaction,
  std::optional<double> work_amount;    // and how many of it; absent: not known
  std::optional<std::uint64_t> builds_left_out;
  std::optional<std::string> skipped;  // why nothing was sampled
};
template <>
inline constexpr auto kFields<SampleProfile> =
    std::tuple{field("rate", &SampleProfile::rate),
               field("event", &SampleProfile::event),
               field("sees_interrupts_off", &SampleProfile::sees_interrupts_off),
               field("cpus", &SampleProfile::cpus),
               field("duration_s", &SampleProfile::duration_s),
               field("samples", &SampleProfile::samples),
               field("idle", &SampleProfile::idle),
               field("busy", &SampleProfile::busy),
               field("lost", &SampleProfile::lost),
               field("due", &SampleProfile::due),
               field("missed", &SampleProfile::missed),
               field("throttled", &SampleProfile::throttled),
               field("unknown", &SampleProfile::unknown),
               field("cut", &SampleProfile::cut),
               field("damaged", &SampleProfile::damaged),
               field("functions", &SampleProfile::functions),
               field("stacks", &SampleProfile::stacks),
               field("resolution", &SampleProfile::resolution),
               field("ns_per_sample", &SampleProfile::ns_per_sample),
               field("work", &SampleProfile::work),
               field("work_amount", &SampleProfile::work_amount),
               field("builds_left_out", &SampleProfile::builds_left_out),
               long_text("skipped", &SampleProfile::skipped)};
static_assert(kDescribed<SampleProfile>);

// A function, or `[user]`, `[guest]`, `[unknown]`, `[more]`.
struct SampledFunction {
  std::string name;
  std::optional<std::string> module;       // absent: the kernel itself, or no function
  std::optional<std::uint32_t> duplicate;  // its number among those of the same name and module
  std::optional<std::uint64_t> self;       // samples taken in it
  std::optional<std::uint64_t> total;      // or in what it called
  std::optional<std::uint64_t> workload;   // of `self`, for the workload's processes
  // Of the busy samples; low and high are the 95 % interval of the share of `self`.
  std::optional<double> self_share, self_share_low, self_share_high, total_share;
  // It has the samples of sections with interrupts off before it.
  std::optional<bool> after_interrupts_off;
};
template <>
inline constexpr auto kFields<SampledFunction> =
    std::tuple{field("name", &SampledFunction::name),
               field("module", &SampledFunction::module),
               field("duplicate", &SampledFunction::duplicate),
               field("self", &SampledFunction::self, "samples"),
               field("total", &SampledFunction::total, "samples"),
               field("workload", &SampledFunction::workload, "samples"),
               field("self_share", &SampledFunction::self_share),
               field("self_share_low", &SampledFunction::self_share_low),
               field("self_share_high", &SampledFunction::self_share_high),
               field("total_share", &SampledFunction::total_share),
               field("after_interrupts_off", &SampledFunction::after_interrupts_off)};
static_assert(kDescribed<SampledFunction>);

struct SampledStack {
  std::optional<std::string> program;  // of the workload; absent: all other tasks
  std::optional<std::uint64_t> samples;
  std::optional<double> share;                     // of the busy samples
  std::optional<std::vector<std::string>> frames;  // innermost first; "xmit [hsr]" of a module
};
template <>
inline constexpr auto kFields<SampledStack> =
    std::tuple{field("program", &SampledStack::program), field("samples", &SampledStack::samples),
               field("share", &SampledStack::share), field("frames", &SampledStack::frames)};
static_assert(kDescribed<SampledStack>);

// The samples of two sides (CompareSamples).
struct ComparedSamples {
  std::optional<std::vector<std::uint64_t>> runs_a, runs_b;  // sampled
  std::optional<std::vector<std::uint64_t>> not_sampled_a, not_sampled_b;
  std::optional<std::string> unit;        // of work: byte, packet, transaction or second
  std::optional<std::uint32_t> tested;    // frames
  std::optional<std::uint64_t> left_out;  // thin frames without a row
};
template <>
inline constexpr auto kFields<ComparedSamples> =
    std::tuple{field("runs_a", &ComparedSamples::runs_a),
               field("runs_b", &ComparedSamples::runs_b),
               field("not_sampled_a", &ComparedSamples::not_sampled_a),
               field("not_sampled_b", &ComparedSamples::not_sampled_b),
               field("unit", &ComparedSamples::unit),
               field("tested", &ComparedSamples::tested),
               field("left_out", &ComparedSamples::left_out)};
static_assert(kDescribed<ComparedSamples>);

// A frame on the call paths of both sides. CPU times are ns per unit of work.
struct ComparedFrame {
  std::uint32_t depth = 0;            // 0: all paths
  std::string name;                   // as of SampledFunction; of a root that of the program, or others
  std::optional<std::string> module;  // absent: the kernel itself, or no function
  std::optional<double> self_a, self_b, total_a, total_b;  // means over the runs
  std::optional<std::uint64_t> samples_a, samples_b;
  std::optional<double> cost_a, cost_b;                       // of the total, `shift` apart
  std::optional<double> shift, low, high, level, p_adjusted;  // of B less A
};
template <>
inline constexpr auto kFields<ComparedFrame> = std::tuple{field("depth", &ComparedFrame::depth),
                                                          field("name", &ComparedFrame::name),
                                                          field("module", &ComparedFrame::module),
                                                          field("self_a", &ComparedFrame::self_a),
                                                          field("self_b", &ComparedFrame::self_b),
                                                          field("total_a", &ComparedFrame::total_a),
                                                          field("total_b", &ComparedFrame::total_b),
                                                          field("samples_a", &ComparedFrame::samples_a),
                                                          field("samples_b", &ComparedFrame::samples_b),
                                                          field("cost_a", &ComparedFrame::cost_a),
                                                          field("cost_b", &ComparedFrame::cost_b),
                                                          field("shift", &ComparedFrame::shift),
                                                          field("low", &ComparedFrame::low),
                                                          field("high", &ComparedFrame::high),
                                                          field("level", &ComparedFrame::level),
                                                          field("p_adjusted", &ComparedFrame::p_adjusted)};
static_assert(kDescribed<ComparedFrame>);

}  // namespace netperfd::rows
