// SPDX-License-Identifier: GPL-2.0-or-later
// How many runs a difference needs (PlanRuns); docs/netperfctl.md explains the figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd::rows {

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
  // Of a job that measures until it is decided: its most blocks, and how many it has on average with the
  // effect and without a difference. Present if blocks are counted and it was asked for, or the job of the
  // runs is one.
  std::optional<std::uint32_t> until_most;
  std::optional<double> until_blocks, until_blocks_same;
  std::optional<double> until_decided, until_decided_same;  // shares of such jobs that are decided at all
  std::optional<double> until_seconds, until_seconds_same, until_most_seconds;
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
               field("figures", &Plan::figures),
               field("until_most", &Plan::until_most),
               field("until_blocks", &Plan::until_blocks),
               field("until_blocks_same", &Plan::until_blocks_same),
               field("until_decided", &Plan::until_decided),
               field("until_decided_same", &Plan::until_decided_same),
               field("until_seconds", &Plan::until_seconds),
               field("until_seconds_same", &Plan::until_seconds_same),
               field("until_most_seconds", &Plan::until_most_seconds)};
static_assert(kDescribed<Plan>);

}  // namespace netperfd::rows
