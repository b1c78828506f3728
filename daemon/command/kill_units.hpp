// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <string>

#include "daemon/base/error.hpp"

namespace netperfd::command {

// Kills all units of systemd that match the pattern, and waits until none of their processes is left, for
// each at most `patience`. One may be in a call of the kernel that no signal ends, such as the loading of
// another kernel; the same command of the next unit would then fail.
[[nodiscard]] Status kill_units(const std::string& pattern, std::chrono::seconds patience);

// The same without a kill beforehand: what a unit runs when it stops is left to end.
[[nodiscard]] Status stop_units(const std::string& pattern, std::chrono::seconds patience);

}  // namespace netperfd::command
