// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/analysis/compare/compared_runs.hpp"

#include <chrono>

namespace netperfd::analysis {

ComparedRun run_at(int minute, double bits_per_second) {
  ComparedRun run;
  run.id = minute;
  run.started = WallTime(std::chrono::minutes(minute));
  run.received_bits_per_second = bits_per_second;
  return run;
}

std::vector<ComparedRun> runs_from(int minute, const std::vector<double>& bits_per_second) {
  std::vector<ComparedRun> runs;
  for (const double rate : bits_per_second) runs.push_back(run_at(minute++, rate));
  return runs;
}

std::vector<double> eight_around(double centre) {
  std::vector<double> values;
  for (const double offset : {-0.009, 0.004, -0.002, 0.008, 0.001, -0.005, 0.006, -0.003}) {
    values.push_back(centre * (1 + offset));
  }
  return values;
}

void give_facts(std::vector<ComparedRun>& runs, const std::vector<Fact>& facts) {
  for (ComparedRun& run : runs)
    run.fingerprint = Fingerprint{.boot_id = "boot-1", .facts = facts, .unknown = {}};
}

void give_boot(std::vector<ComparedRun>& runs, const std::string& boot) {
  for (ComparedRun& run : runs) {
    if (!run.fingerprint) run.fingerprint.emplace();
    run.fingerprint->boot_id = boot;
  }
}

void give_trace(std::vector<ComparedRun>& runs, const std::vector<ComparedFunction>& functions) {
  for (ComparedRun& run : runs) {
    run.goodput_bytes = 1'000'000'000;
    run.packets = 1'000'000;
    run.trace.emplace();
    run.trace->functions = functions;
    run.trace->traced_functions = 20;
    run.trace->calls = 2'000'000 * functions.size();
    run.trace->cost = {.entry_ns = 0, .callee_ns = 100};
  }
}

ComparedFunction function_of(const std::string& name, std::uint64_t self_ns) {
  return {.name = name,
          .module = "hsr",
          .duplicate = 0,
          .hits = 2'000'000,
          .self_ns = self_ns,
          .traced_within = 0};
}

testing::Matcher<const std::vector<std::string>&> has_caveat(const std::string& part) {
  return testing::Contains(testing::HasSubstr(part));
}

}  // namespace netperfd::analysis
