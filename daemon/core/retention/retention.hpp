// SPDX-License-Identifier: GPL-2.0-or-later
// Removes stored jobs by the rules of the configuration: when the daemon starts, after each job and once an
// hour; in small steps between other events of the loop, and never while a job is measured.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/audit_trail.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/retention_store.hpp"
#include "daemon/core/ports/run_observer.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/core/retention/age_clock.hpp"
#include "daemon/core/retention/keep_rules.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

class Retention final : public RunObserver {
 public:
  static constexpr std::chrono::hours kPeriod{1};
  // A step takes no longer than this and one removal of a run.
  static constexpr std::chrono::milliseconds kStep{20};
  // The rows of their runs are compared with digests: about 10 us each.
  static constexpr std::uint32_t kJobsAtOnce = 4;

  // All must outlive this object.
  struct Ports {
    RetentionStore& jobs;
    RunStore& runs;
    AuditTrail& audit;
    Clock& clock;
  };
  // What Retention asks and tells; none may be empty.
  struct Calls {
    std::function<bool()> may_work;                // whether no job is being measured
    std::function<bool(JobId)> is_needed;          // whether rules must leave the job alone
    std::function<void(const RunOfJob&)> removed;  // for each removed run
  };
  Retention(Ports ports, Calls calls) : ports_(ports), age_clock_(ports.clock), calls_(std::move(calls)) {}

  // Applies them soon, and from then on. Without rules everything is kept, but for jobs whose removal has
  // begun already, perhaps by the last daemon.
  void set_rules(std::vector<KeepRule> rules);

  // Hides the runs of an ended job now, and removes them when it may work, whatever the rules say. Returns
  // their number; 0 if one of them has not ended.
  [[nodiscard]] Result<std::uint64_t> remove(JobId job);

  // The time by which it tells ages, which a clock that is set forward does not change.
  [[nodiscard]] WallTime now_for_ages() { return age_clock_.now(); }

  void job_added(const JobStatus&) override {}
  void job_changed(const JobStatus& job) override;  // after an end it goes to work
  void run_interval(JobId, RunId, const Interval&) override {}
  void run_trace(JobId, RunId, const TraceProgress&) override {}
  void run_ended(const JobStatus&, RunId, RunState, const std::string&) override {}
  void job_removed(JobId) override {}

 private:
  // A walk over all jobs, newest first, and then the removal of some, oldest first.
  struct Pass {
    KeepPlan plan;
    std::optional<JobId> before;                // absent: the walk has ended
    std::vector<KeepPlan::OldJob> doomed = {};  // newest first
    bool done = false;
  };

  [[nodiscard]] bool has_work() const { return pass_ || unfinished_ || !rules_.empty(); }
  void begin_soon();
  void step();
  [[nodiscard]] Status advance();  // by one run, one page of jobs or one decision
  [[nodiscard]] Status look_at_jobs();
  [[nodiscard]] Status begin_removal(const KeepPlan::OldJob& old);

  Ports ports_;
  AgeClock age_clock_;
  Calls calls_;
  std::vector<KeepRule> rules_;
  std::optional<Pass> pass_;
  bool again_ = false;       // a job has ended since the pass began
  bool unfinished_ = false;  // the last pass failed, so removals that have begun may be left
  Timer step_;
  Timer period_;
};

}  // namespace netperfd::core
