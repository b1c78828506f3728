// SPDX-License-Identifier: GPL-2.0-or-later
// How many runs a difference needs, as plain data like the rest of client/rows/views.hpp. docs/netperfctl.md
// explains the figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dbus/rows/comparison.hpp"

namespace netperfctl {

using PlanView = netperfd::rows::Plan;

struct PlanRequest {
  std::string runs;  // of which the spread is to be known
  std::optional<double> effect, power;
  std::optional<std::uint32_t> repeat;
};

// The data of a `plan` page.
struct PlanPageView {
  std::string scenario;                 // or the job's file, as the caller named it
  std::string runs;                     // what was planned from, as `compare` selects it
  std::optional<std::uint64_t> job;     // the pilot, where there was one
  PlanView plan;                        // of the effect that was asked for
  std::vector<PlanView> effects;        // the smallest first
  std::optional<std::uint32_t> repeat;  // what plan.detectable is of: how the scenario was last started
  std::string again;                    // the command that starts so many runs
};

}  // namespace netperfctl
