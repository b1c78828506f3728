// SPDX-License-Identifier: GPL-2.0-or-later
// A scheduler for jobs with a budget, and the calls that their counts see.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/core/design_fixture.hpp"

namespace netperfd::core {

// A second of which the tracer took 400 ms: hot has half of the remaining work, warm 15 % of it.
inline TraceRecord a_trace_of_calls(std::uint64_t hot = 300'000, std::uint64_t warm = 90'000) {
  TraceRecord record;
  record.functions = 5;
  auto& profile = record.profile.emplace();
  profile.calibration = Calibration{.entry_ns = 600, .callee_ns = 400, .calls = 300};
  for (const auto& [name, hits] : {std::pair{"hot", hot}, {"warm", warm}, {"cold", std::uint64_t{10'000}}}) {
    auto& function = profile.functions.emplace_back();
    function.name = name;
    function.hits = hits;
  }
  return record;
}

class BudgetCount : public DesignRuns {
 protected:
  BudgetCount() { counters_.counted.deltas = {{"cpu", "", "busy", 1'000'000'000, "ns"}}; }

  static JobSpec a_job_with_budget(std::uint32_t repeat = 2) {
    JobSpec spec = a_job(repeat);
    spec.trace.emplace().function_graph.emplace().module = "hsr";
    spec.trace->budget = 0.2;
    return spec;
  }
  // The count that is under way sees these calls.
  void count(TraceRecord record = a_trace_of_calls()) {
    workload_.last().become_prepared();
    clock_.advance(CallCounter::kWarmUp);
    clock_.advance(CallCounter::kWindow);
    workload_.last().end(a_failure("stopped before its end"));
    tracer_.last().end(std::move(record));
    clock_.turn();
  }
  // The second count, of as much work (600 ms), of those functions that the first one left.
  void count_again(std::uint64_t warm = 90'000, std::uint64_t reading_ns = 0) {
    const Counters before = counters_.counted;
    const std::uint64_t calls = warm + 10'000;
    counters_.counted.deltas = {{"cpu", "", "busy", 600'000'000 + calls * 1'000, "ns"}};
    TraceRecord record = a_trace_of_calls(0, warm);
    std::erase_if(record.profile->functions, [](const auto& function) { return function.hits == 0; });
    record.reading_ns = reading_ns;
    count(std::move(record));
    counters_.counted = before;
  }
  void end_traced_run() {
    workload_.last().become_prepared();
    workload_.last().end(a_measurement());
    tracer_.last().end({});
    clock_.turn();
  }
  [[nodiscard]] const std::vector<std::string>& left_out() const {
    return tracer_.specs.back().function_graph->over_budget;
  }
  [[nodiscard]] std::vector<std::string> flags_of(RunId run) const {
    std::vector<std::string> codes;
    for (const auto& flag : store_.runs.at(run).record->flags) codes.push_back(flag.code);
    return codes;
  }
  static StoredRun a_traced_run(RunId run) {
    StoredRun stored;
    stored.id = run;
    stored.slot.traced = true;
    return stored;
  }
  void expect_nothing_left() {
    EXPECT_EQ(workload_.alive(), 0);
    EXPECT_EQ(tracer_.alive(), 0);
    EXPECT_EQ(clock_.waiting(), 0U);
  }
};

}  // namespace netperfd::core
