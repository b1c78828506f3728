// SPDX-License-Identifier: GPL-2.0-or-later
// The commands that carry out a plan, within the limits of the daemon that was asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/rows/plan_views.hpp"

namespace netperfctl {

// The daemon's limit for a selection of runs (Compare in org.netperfd1.Manager.xml).
inline constexpr std::uint32_t kMostRunsOfSide = 1000;

inline constexpr std::uint32_t kBootsOfSideInBlock = 2;  // of a design that reboots before each letter

inline constexpr std::uint32_t kMostBlocksWithBoots = 250;  // the daemon's limit

inline constexpr std::uint32_t kMostBuildsOfSide = 64;  // that of `design.a.builds`

struct PlanQuestion {
  std::string start;           // "netperfctl start hsr-ab --set ...", without --repeat and --label
  std::string label;           // for jobs that are compared together
  std::string name_a, name_b;  // of the design's variants; empty without
  bool reboots = false;        // the design reboots the machine
  JobSize size;
};

// If the plan needs more than one comparison can take, there are no commands, and `most` says how many
// samples one comparison takes; 0 if not even one block fits into a job. Nothing for a plan in boots of
// blocks or in builds: more blocks are neither. A job of a plan in boots a side has a block for two of them.
// A job that measures until it is decided is one command, if the daemon accepts it.
[[nodiscard]] PlanSteps steps_of(const PlanView& plan, const PlanQuestion& question);

}  // namespace netperfctl
