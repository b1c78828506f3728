// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs with a design as a daemon would return them, for the golden files.
#pragma once

#include <cstdint>
#include <vector>

#include "client/rows/plan_views.hpp"
#include "client/rows/views.hpp"

namespace netperfctl::samples {

[[nodiscard]] LiveJobView
interleaved();  // two blocks of list and hash, plain and traced; run 103 is in progress
[[nodiscard]] LiveJobView tracing_job();  // three blocks, each with a plain and a traced run
[[nodiscard]] LiveJobView selftest_job();
[[nodiscard]] LiveJobView pilot_job();
[[nodiscard]] std::vector<RunView> interleaved_runs();  // newest first
[[nodiscard]] ShowView interleaved_run();               // the third one
[[nodiscard]] StartView interleaved_start();

[[nodiscard]] PlanPageView block_plan();  // from a pilot
[[nodiscard]] PlanPageView until_plan();  // the same, of a job that measures until it is decided
[[nodiscard]] PlanPageView run_plan();    // from stored runs, in numbers per side
[[nodiscard]] PlanPageView boot_plan();   // from stored boots of a design that reboots
[[nodiscard]] PlanPageView wild_plan();   // no number of runs is enough, and little is known

}  // namespace netperfctl::samples
