// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/retention/retention.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace netperfd::core {

void Retention::set_rules(std::vector<KeepRule> rules) {
  rules_ = std::move(rules);
  pass_.reset();
  begin_soon();
}

void Retention::job_changed(const JobStatus& job) {
  if (has_ended(job.state) && has_work()) begin_soon();
}

Result<std::uint64_t> Retention::remove(JobId job) {
  auto runs = ports_.jobs.begin_removal(job, RemovalBy::user);
  if (runs && *runs > 0) begin_soon();
  return runs;
}

void Retention::begin_soon() {
  if (pass_) {
    again_ = true;
  } else {
    pass_.emplace(KeepPlan{rules_, age_clock_.now()}, std::nullopt);
    if (!rules_.empty()) pass_->before = std::numeric_limits<JobId>::max();
    again_ = false;
  }
  step_ = ports_.clock.after(std::chrono::milliseconds{0}, [this] { step(); });
  period_ = ports_.clock.after(kPeriod, [this] {
    period_.reset();
    if (has_work()) begin_soon();
  });
}

void Retention::step() {
  step_.reset();
  const std::chrono::microseconds end = ports_.clock.since_boot() + kStep;
  // If it may not work now, it goes on after the next job or in an hour.
  while (pass_ && calls_.may_work() && ports_.clock.since_boot() < end) {
    if (auto advanced = advance(); !advanced) {
      ports_.audit.record({.uid = std::nullopt,
                           .action = "keep",
                           .outcome = AuditOutcome::failed,
                           .detail = advanced.error().message});
      pass_.reset();
      unfinished_ = true;
    } else if (pass_->done) {
      pass_.reset();
      unfinished_ = false;
      if (again_ && !rules_.empty()) return begin_soon();
    }
  }
  if (pass_ && calls_.may_work())
    step_ = ports_.clock.after(std::chrono::milliseconds{0}, [this] { step(); });
}

// What has begun is brought to its end first.
Status Retention::advance() {
  const auto next = ports_.jobs.next_removal();
  if (!next) return std::unexpected(next.error());
  if (*next) {
    if (auto removed = ports_.runs.remove((*next)->run); !removed) return removed;
    calls_.removed(**next);
    return {};
  }
  if (pass_->before) return look_at_jobs();
  if (pass_->doomed.empty()) {
    pass_->done = true;
    return {};
  }
  const KeepPlan::OldJob old = std::move(pass_->doomed.back());
  pass_->doomed.pop_back();
  return begin_removal(old);
}

Status Retention::look_at_jobs() {
  const auto jobs = ports_.jobs.stored_jobs(*pass_->before, kJobsAtOnce);
  if (!jobs) return std::unexpected(jobs.error());
  for (const StoredJob& job : *jobs) pass_->plan.look_at(job);
  if (jobs->size() < kJobsAtOnce) {
    pass_->before.reset();
    pass_->doomed = pass_->plan.old_jobs();
  } else {
    pass_->before = jobs->back().id;
  }
  return {};
}

// From then on nothing keeps the job, so the trail says it now: the daemon may be killed before the last of
// its runs is removed.
Status Retention::begin_removal(const KeepPlan::OldJob& old) {
  if (calls_.is_needed(old.job.id)) return {};
  const auto runs = ports_.jobs.begin_removal(old.job.id, RemovalBy::rule);
  if (!runs) return std::unexpected(runs.error());
  if (*runs == 0) return {};  // a user was quicker, or it was damaged since
  ports_.audit.record({.uid = std::nullopt,
                       .action = "keep",
                       .job = old.job.id,
                       .detail = fmt::format("{} run{} of {} removed: {}", *runs, *runs == 1 ? "" : "s",
                                             old.job.scenario, old.why)});
  return {};
}

}  // namespace netperfd::core
