// SPDX-License-Identifier: GPL-2.0-or-later
// What the doctor says of scenarios whose programs are not installed.
#pragma once

#include <string>
#include <vector>

#include "daemon/core/ports/scenario_source.hpp"

namespace netperfd {

// A clause for each program that is missing: "web needs wrk (package wrk)". Reads all scenarios.
[[nodiscard]] std::vector<std::string> missing_programs(core::ScenarioSource& scenarios);

}  // namespace netperfd
