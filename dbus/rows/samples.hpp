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
  std::optional<std::uint64_t> functions, stacks;  // rows of ListSampledFunctions and ListSampledStacks
  // The smallest difference between shares near 1 % that two such profiles can show.
  std::optional<double> resolution;
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
               field("throttled", &SampleProfile::throttled),
               field("unknown", &SampleProfile::unknown),
               field("cut", &SampleProfile::cut),
               field("damaged", &SampleProfile::damaged),
               field("functions", &SampleProfile::functions),
               field("stacks", &SampleProfile::stacks),
               field("resolution", &SampleProfile::resolution),
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

}  // namespace netperfd::rows
