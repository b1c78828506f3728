// SPDX-License-Identifier: GPL-2.0-or-later
// How many runs a difference needs, as plain data like the rest of client/rows/views.hpp. docs/netperfctl.md
// explains the figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dbus/rows/plan.hpp"

namespace netperfctl {

using PlanView = netperfd::rows::Plan;

struct PlanRequest {
  std::string runs;  // of which the spread is to be known
  std::optional<double> effect, power, threshold = std::nullopt;
  std::optional<std::uint32_t> repeat;
  std::optional<std::string> figure =
      std::nullopt;  // absent: the first one that the job of the runs declares
  std::optional<std::uint32_t> until_most = std::nullopt;  // absent: as the job of the runs has it
  std::optional<std::uint64_t> like_job = std::nullopt;    // only runs that measured the same as this job
};

// What the daemon says of a job that it does not start (CheckScenario).
struct JobSize {
  std::uint32_t runs_each = 1;     // runs of one block, or of one `repeat` without blocks
  std::uint32_t repeat_limit = 0;  // the most that one job may have
};

// What a job that is not started would do to the machine (CheckBoots).
struct BootCheck {
  std::uint32_t boots = 0;        // 0: it does not reboot the machine
  std::optional<double> seconds;  // about how long it would take; absent: not known
};

// How a plan is carried out.
struct PlanSteps {
  std::vector<std::string> commands;  // one after the other; empty: none is known
  std::size_t before_change = 0;      // so many of them are of the side before the change; 0: all in a row
  std::optional<std::uint32_t> most;  // if more is needed: what one comparison on this host can have
  std::optional<double> most_detectable;  // the ratio above 1 that this many runs find
};

// The data of a `plan` page.
struct PlanPageView {
  std::string scenario;                 // or the job's file, as the caller named it
  std::string runs;                     // what was planned from, as `compare` selects it
  std::optional<std::uint64_t> job;     // the pilot, where there was one
  PlanView plan;                        // of the effect that was asked for
  std::vector<PlanView> effects;        // the smallest first
  std::optional<std::uint32_t> repeat;  // what plan.detectable is of: how the scenario was last started
  PlanSteps steps;                      // for `plan`
};

}  // namespace netperfctl
