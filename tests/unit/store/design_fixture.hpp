// SPDX-License-Identifier: GPL-2.0-or-later
// Stored jobs with a design, whose runs have known rates.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/core/comparison/job_comparison.hpp"
#include "daemon/core/comparison/run_plan.hpp"
#include "daemon/core/comparison/run_selection.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {

inline constexpr double kRate = 1e9;
inline constexpr uid_t kOwner = 1000;  // of jobs, and who asks, where nothing else is said

inline JobSpec a_design(const std::string& name = "hsr") {
  JobSpec spec = a_job(name);
  spec.repeat = 6;
  spec.design = Design{
      .a = Variant{.name = "list", .apply = {"/bin/switch", "list"}, .verify = {"/bin/true"}, .builds = {}},
      .b = Variant{.name = "hash", .apply = {"/bin/switch", "hash"}, .verify = {}, .builds = {}},
      .plain = false,
      .changed = {"module:hsr", "sysctl:net.core.rmem_max"},
      .seed = 42};
  return spec;
}

inline JobSpec plain_and_traced() {
  JobSpec spec = a_job("veth-tcp");
  spec.repeat = 6;
  spec.trace = TraceSpec{};
  spec.design = Design{.a = {}, .b = {}, .plain = true, .changed = {}, .seed = 1};
  return spec;
}

class Designs : public StoreTest {
 protected:
  void SetUp() override { open(); }

  struct Outcome {
    double rate = kRate;
    RunState state = RunState::finished;
  };
  using Outcomes = std::function<Outcome(const Slot& slot)>;

  // Adds the job and ends its runs, one per minute, each 10 seconds long.
  JobId done(const JobSpec& spec, const Outcomes& outcome, uid_t owner = kOwner) {
    const auto slots = draw_slots(spec, spec.design ? spec.design->seed.value_or(0) : 0);
    const core::NewJob job = must(store->add_job(spec, slots, owner, kMorning));
    for (std::size_t i = 0; i < slots.size(); ++i) {
      bring_to_collecting(*store, job.runs[i]);
      RunRecord record = a_record(job.runs[i], 1, 2);
      const Outcome end = outcome(slots[i]);
      record.state = end.state;
      record.started = kMorning + std::chrono::minutes{next_minute_++};
      record.ended = *record.started + std::chrono::seconds{10};
      record.workload.report.sums.front().received_bits_per_second = end.rate;
      if (slots[i].traced) record.trace = TraceRecord{};
      if (!boot_id_.empty()) record.fingerprint.emplace().boot_id = boot_id_;
      must(store->finish(record));
    }
    return job.id;
  }

  core::ComparedSelections compared(JobId job, analysis::ComparisonSettings settings = {}) {
    return must(core::compare_job(*store, job, settings, &analysis::compare));
  }
  Error refused(JobId job, analysis::ComparisonSettings settings = {}) {
    const auto compared = core::compare_job(*store, job, settings, &analysis::compare);
    return compared ? Error{ErrorKind::internal, "accepted"} : compared.error();
  }
  core::RunPlan planned(core::PlanRequest request, uid_t caller = kOwner) {
    request.caller = caller;
    return must(core::plan_runs(*store, request));
  }
  Error refused(core::PlanRequest request, uid_t caller = kOwner) {
    request.caller = caller;
    const auto plan = core::plan_runs(*store, request);
    return plan ? Error{ErrorKind::internal, "accepted"} : plan.error();
  }
  std::vector<RunId> selected(const std::string& text, uid_t caller = kOwner) {
    const auto selection = core::parse_selection(text, caller);
    if (!selection) throw std::runtime_error(selection.error().message);
    std::vector<RunId> ids;
    const auto runs = core::resolve(*store, *selection);
    if (!runs) return ids;
    for (const core::SelectedRun& run : *runs) ids.push_back(run.id);
    return ids;
  }
  std::string arm_of(RunId id) {
    const core::RunRow run = must(store->run(id));
    return fmt::format("{}.{} {} {}", run.slot.block, run.slot.letter, run.variant,
                       run.slot.traced ? "traced" : "plain");
  }

  std::string boot_id_;  // of the runs that done() adds; empty: unknown

 private:
  int next_minute_ = 1;
};

// Each block has a level of its own, and B is 20 % above A.
inline double rate_of(const Slot& slot) {
  return kRate * (1 + 0.01 * slot.block * slot.block) * (slot.variant == 'B' ? 1.2 : 1) +
         1e3 * slot.letter * slot.block;
}

}  // namespace netperfd::store
