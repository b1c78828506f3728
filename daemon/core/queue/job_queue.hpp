// SPDX-License-Identifier: GPL-2.0-or-later
// The live jobs, their order, and what others are told of them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/run_observer.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/core/queue/live_job.hpp"
#include "daemon/core/queue/quotas.hpp"

namespace netperfd::core {

class JobQueue {
 public:
  // An ended job is still shown for this long, so that a late client can read how it ended.
  static constexpr std::chrono::seconds kLinger{60};
  // Maximum number of such jobs: beyond it the oldest is removed early.
  static constexpr std::ptrdiff_t kLingerLimit = 64;

  // Both must outlive the queue.
  JobQueue(RunStore& store, Clock& clock) : store_(store), clock_(clock) {}
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  void add_observer(RunObserver& observer) { observers_.push_back(&observer); }
  // Before the jobs that other owners have added beyond their turn: owners take turns, job by job. Behind the
  // front job in any case.
  void add(JobId id, LiveJob job);
  // All of its runs have ended. The job may be forgotten on return.
  void end(LiveJob& job);
  // The job's next run has ended and is stored.
  void end_run(LiveJob& job, RunId run, RunState state, const std::string& error);
  // Ends all runs that have not begun, in the store too.
  void cancel_runs(LiveJob& job, const std::string& reason);

  // Jobs with runs left, in their order.
  [[nodiscard]] const std::deque<JobId>& order() const { return order_; }
  [[nodiscard]] bool empty() const { return order_.empty(); }
  // The job that is under way or begins next; there must be one.
  [[nodiscard]] LiveJob& front() { return jobs_.at(order_.front()); }
  [[nodiscard]] const LiveJob& front() const { return jobs_.at(order_.front()); }
  [[nodiscard]] LiveJob& at(JobId id) { return jobs_.at(id); }
  // not_found.
  [[nodiscard]] Result<LiveJob*> find(JobId id);
  // The same, or not_running if it has ended.
  [[nodiscard]] Result<LiveJob*> find_not_ended(JobId id);
  [[nodiscard]] Quotas::Live live_of(uid_t user) const;
  [[nodiscard]] std::vector<JobStatus> statuses() const;  // live and lingering, by number
  [[nodiscard]] std::optional<JobStatus> status(JobId id) const;

  void announce(LiveJob& job);
  // Announces the waiting jobs, whose places in the queue and expected ends have changed.
  void announce_waiting();
  void announce_interval(const LiveJob& job, RunId run, const Interval& interval);
  void announce_trace(const LiveJob& job, RunId run, const TraceProgress& progress);
  // What earlier jobs left was tried to be brought back before this one.
  void announce_left_sides(JobId job, const Status& status);

 private:
  void forget(JobId id);
  [[nodiscard]] std::uint64_t next_round(uid_t owner) const;
  [[nodiscard]] JobStatus status_of(const LiveJob& job) const;
  [[nodiscard]] std::optional<WallTime> expected_end(const LiveJob& job) const;

  RunStore& store_;
  Clock& clock_;
  std::vector<RunObserver*> observers_;
  std::map<JobId, LiveJob> jobs_;
  std::deque<JobId> order_;
};

}  // namespace netperfd::core
