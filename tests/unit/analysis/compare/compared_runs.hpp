// SPDX-License-Identifier: GPL-2.0-or-later
// Synthetic runs for tests of comparisons.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"

namespace netperfd::analysis {

// A plain run at that minute of the day, with a throughput and no other data.
[[nodiscard]] ComparedRun run_at(int minute, double bits_per_second);

// Plain runs, a minute apart.
[[nodiscard]] std::vector<ComparedRun> runs_from(int minute, const std::vector<double>& bits_per_second);

// Eight different values around `centre`, within 1 % of it.
[[nodiscard]] std::vector<double> eight_around(double centre);

// Gives all runs the same facts and the boot "boot-1".
void give_facts(std::vector<ComparedRun>& runs, const std::vector<Fact>& facts);
void give_boot(std::vector<ComparedRun>& runs, const std::string& boot);

// Makes each run a traced one of 10^9 bytes and 10^6 packets, calibrated at 100 ns a call, with these
// functions.
void give_trace(std::vector<ComparedRun>& runs, const std::vector<ComparedFunction>& functions);

// A function of the module hsr that was called twice per packet; its corrected self time is the raw one.
[[nodiscard]] ComparedFunction function_of(const std::string& name, std::uint64_t self_ns);

[[nodiscard]] testing::Matcher<const std::vector<std::string>&> has_caveat(const std::string& part);

}  // namespace netperfd::analysis
