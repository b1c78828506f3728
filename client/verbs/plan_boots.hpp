// SPDX-License-Identifier: GPL-2.0-or-later
// `plan` of a scenario that reboots the machine: from stored boots if there are enough, otherwise by a pilot
// that somebody has agreed to.
#pragma once

#include <optional>
#include <string>

#include "client/bus/daemon.hpp"
#include "client/rows/plan_views.hpp"
#include "client/verbs/launch.hpp"

namespace netperfctl {

// What the pilot of these arguments would do to the machine; 0 boots of anything but an installed scenario.
[[nodiscard]] Outcome<BootCheck> boots_of_pilot(Daemon& daemon, const LaunchArguments& pilot);

// The selection of stored runs with enough boots to plan from: the scenario's measurements, or else its
// newest pilot or self-test; absent if there is none.
[[nodiscard]] std::optional<std::string> stored_boots(Daemon& daemon, const std::string& scenario);

// Says on stderr what the pilot does to the machine, and starts it if somebody agrees. It goes on without
// this process, which its first reboot ends. Exit::usage if nobody has agreed.
[[nodiscard]] Outcome<Exit> start_pilot_with_boots(Daemon& daemon, const LaunchArguments& pilot,
                                                   const BootCheck& boots, bool has_agreed);

}  // namespace netperfctl
