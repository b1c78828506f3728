// SPDX-License-Identifier: GPL-2.0-or-later
// Views as a daemon would return them, for the golden files.
#pragma once

#include <vector>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::samples {

inline constexpr std::uint64_t kNow = 1'795'260'600'000'000;  // 21 November 2026, 12:30 in Central Europe
inline constexpr std::uint64_t kMinute = 60'000'000;

[[nodiscard]] Screen pipe();
[[nodiscard]] Screen one_line();                   // a pipe whose sentences are not broken
[[nodiscard]] Screen terminal(std::size_t width);  // without colour

[[nodiscard]] std::vector<RunView> runs();
[[nodiscard]] std::vector<LiveJobView> jobs();
[[nodiscard]] std::vector<ScenarioView> scenarios();
// Of two users, one of them without a name, and of netperfd itself.
[[nodiscard]] AuditLogView audit_log();
[[nodiscard]] ShowView tcp();
[[nodiscard]] ShowView both();
[[nodiscard]] ShowView udp();
[[nodiscard]] ShowView failed();
[[nodiscard]] ShowView unknown();  // finished, with hardly any data
[[nodiscard]] StartView started();

[[nodiscard]] ShowView traced();         // TCP, with drops, stacks, samples and marks, nothing lost
[[nodiscard]] ShowView traced_losses();  // much of it lost
[[nodiscard]] ShowView trace_skipped();
[[nodiscard]] ShowView trace_broken();
[[nodiscard]] ShowView trace_only();  // without a workload of its own
[[nodiscard]] std::vector<RunView> traced_runs();
[[nodiscard]] TraceProgressView trace_progress();

[[nodiscard]] ShowView ring();               // TCP over an HSR ring, all of the module's functions traced
[[nodiscard]] ShowView ring_damaged();       // the same, with every possible problem of calls
[[nodiscard]] ShowView ring_uncalibrated();  // without the tracer's cost and the number of packets
[[nodiscard]] ShowView mixed();              // functions of two modules and the kernel, one name twice
[[nodiscard]] ShowView imported();           // a trace.dat without a workload
[[nodiscard]] TraceProgressView function_progress();

[[nodiscard]] std::vector<CapabilityView> locked_down();
[[nodiscard]] std::vector<CapabilityView> capable();
[[nodiscard]] std::vector<ModuleView> modules();
[[nodiscard]] FunctionPage functions();
[[nodiscard]] FunctionPage no_function();  // with the nearest names
[[nodiscard]] std::vector<EventView> events();
[[nodiscard]] EventDetails event();
[[nodiscard]] std::vector<TracerView> tracers();

}  // namespace netperfctl::samples
