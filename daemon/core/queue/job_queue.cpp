// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/job_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "daemon/core/queue/job_execution.hpp"
#include "daemon/core/queue/time_left.hpp"

namespace netperfd::core {

void JobQueue::add(JobId id, LiveJob added) {
  LiveJob& job = jobs_[id] = std::move(added);
  job.status.id = id;
  job.status.scenario = job.spec.name;
  job.status.label = job.spec.label;
  job.status.repeat = job.spec.repeat;
  job.status.purpose = job.spec.purpose;
  job.status.design = job.spec.design;
  job.status.planned = planned_duration(job.spec);
  if (job.reboots()) {
    job.status.boots_planned = letters_left(job.status.slots, 0);
    if (auto known = store_.boot_time(job.spec.name); known) job.boot_time = *known;
  } else if (auto known = store_.time_between_runs(job.spec.name); known && *known) {
    job.between_runs = **known;
  }
  job.round = next_round(job.status.owner);
  const auto is_later = [&](JobId other) { return jobs_.at(other).round > job.round; };
  const auto behind_front = order_.empty() ? order_.begin() : std::next(order_.begin());
  const bool is_last =
      order_.insert(std::find_if(behind_front, order_.end(), is_later), id) == order_.end() - 1;
  const JobStatus status = status_of(job);
  for (RunObserver* observer : observers_) observer->job_added(status);
  if (!is_last) announce_waiting();
}

// Start-time fair queueing with jobs for packets: a user who has none begins at the round of the front job.
std::uint64_t JobQueue::next_round(uid_t owner) const {
  std::uint64_t round = order_.empty() ? 0 : front().round;
  for (const JobId id : order_) {
    if (const LiveJob& job = jobs_.at(id); job.status.owner == owner) round = std::max(round, job.round + 1);
  }
  return round;
}

void JobQueue::end(LiveJob& job) {
  const JobId id = job.status.id;
  job.execution.reset();
  std::erase(order_, id);
  job.set_end_state();
  announce(job);
  announce_waiting();
  job.linger = clock_.after(kLinger, [this, id] { forget(id); });
  const auto has_lingered = [](const auto& entry) { return has_ended(entry.second.status.state); };
  if (std::ranges::count_if(jobs_, has_lingered) > kLingerLimit) {
    forget(std::ranges::find_if(jobs_, has_lingered)->first);
  }
}

void JobQueue::end_run(LiveJob& job, RunId run, RunState state, const std::string& error) {
  job.status.progress = progress_of(job, clock_);
  job.count_run(state, error, clock_.since_boot());
  const JobStatus status = status_of(job);
  for (RunObserver* observer : observers_) observer->run_ended(status, run, state, error);
}

void JobQueue::cancel_runs(LiveJob& job, const std::string& reason) {
  RunState state = RunState::canceled;
  std::string error = reason;
  if (auto stored = store_.cancel_pending(job.status.id, reason); !stored) {
    state = RunState::failed;
    error = fmt::format("the cancellation could not be stored: {}", stored.error().message);
  }
  while (job.status.runs_ended < job.status.runs.size()) {
    end_run(job, job.status.runs.at(job.status.runs_ended), state, error);
  }
}

void JobQueue::forget(JobId id) {
  for (RunObserver* observer : observers_) observer->job_removed(id);
  jobs_.erase(id);
}

Result<LiveJob*> JobQueue::find(JobId id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return fail(ErrorKind::not_found, fmt::format("job {}: no such live job", id));
  return &found->second;
}

Result<LiveJob*> JobQueue::find_not_ended(JobId id) {
  auto found = find(id);
  if (found && has_ended((*found)->status.state)) {
    return fail(ErrorKind::not_running,
                fmt::format("job {} has ended already ({})", id, to_string((*found)->status.state)));
  }
  return found;
}

Quotas::Live JobQueue::live_of(uid_t user) const {
  Quotas::Live live;
  for (const JobId id : order_) {
    const LiveJob& job = jobs_.at(id);
    if (job.status.owner != user) continue;
    ++live.jobs;
    live.reserved += reserved_time(job.spec, job.status.runs.size() - job.status.runs_ended);
  }
  return live;
}

std::vector<JobStatus> JobQueue::statuses() const {
  std::vector<JobStatus> all;
  all.reserve(jobs_.size());
  for (const auto& [id, job] : jobs_) all.push_back(status_of(job));
  return all;
}

std::optional<JobStatus> JobQueue::status(JobId id) const {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  return status_of(found->second);
}

void JobQueue::announce(LiveJob& job) {
  job.status.progress = progress_of(job, clock_);
  const JobStatus status = status_of(job);
  for (RunObserver* observer : observers_) observer->job_changed(status);
}

void JobQueue::announce_waiting() {
  for (const JobId id : order_) {
    if (LiveJob& job = jobs_.at(id); job.status.state == JobState::pending) announce(job);
  }
}

void JobQueue::announce_interval(const LiveJob& job, RunId run, const Interval& interval) {
  for (RunObserver* observer : observers_) observer->run_interval(job.status.id, run, interval);
}

void JobQueue::announce_trace(const LiveJob& job, RunId run, const TraceProgress& progress) {
  for (RunObserver* observer : observers_) observer->run_trace(job.status.id, run, progress);
}

void JobQueue::announce_left_sides(JobId job, const Status& status) {
  for (RunObserver* observer : observers_) observer->left_sides_tried(job, status);
}

JobStatus JobQueue::status_of(const LiveJob& job) const {
  JobStatus status = job.status;
  status.progress = progress_of(job, clock_);
  const auto place = std::ranges::find(order_, status.id);
  if (place != order_.end()) {
    status.queue_position = static_cast<std::uint32_t>(place - order_.begin());
    status.expected_end = expected_end(job);
  }
  if (job.execution) job.execution->complete(status);
  return status;
}

std::optional<WallTime> JobQueue::expected_end(const LiveJob& asked) const {
  WallTime end = clock_.now();
  for (const JobId id : order_) {
    const LiveJob& job = jobs_.at(id);
    const auto left = time_left(job, clock_);
    if (!left) return std::nullopt;
    end = std::max(end, counted_from(job, clock_, end) + *left);
    if (id == asked.status.id) break;
  }
  return end;
}

}  // namespace netperfd::core
