// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/time_left.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "daemon/core/queue/boot_estimate.hpp"
#include "daemon/core/queue/job_execution.hpp"

namespace netperfd::core {
namespace {

using Time = std::chrono::microseconds;

// When the run that is under way was started, as Clock::since_boot().
std::optional<Time> run_started(const LiveJob& job) {
  const RunController* const run = job.execution ? job.execution->run() : nullptr;
  return run != nullptr ? run->started() : std::nullopt;
}

std::optional<BootState> boot_state(const LiveJob& job) {
  return job.execution ? job.execution->boot_state() : std::nullopt;
}

// From the end of the run before it to its own end: by the ended runs of this job, otherwise as planned.
std::optional<Time> run_time(const LiveJob& job, std::size_t run, Clock& clock) {
  auto time = job.pace.of(job.status.slots, run);
  if (!time && job.status.planned) time = *job.status.planned + job.between_runs;
  const auto since = job.last_ended ? job.last_ended : job.began;
  if (!time || !job.status.planned || !since || run != job.status.runs_ended || !job.status.current_run)
    return time;
  // If what comes before the run takes longer than thought, the run itself is still to come.
  const auto now = clock.since_boot();
  const auto started = run_started(job);
  const auto own_left = *job.status.planned - (started ? now - *started : Time{0});
  return std::max(*time, now - *since + std::max<Time>(own_left, {}));
}

std::optional<Time> time_left_with_boots(const LiveJob& job) {
  const JobStatus& status = job.status;
  const auto state = boot_state(job);
  if (!status.planned || job.held || (state && state->held)) return std::nullopt;
  std::int64_t boots = letters_left(status.slots, status.runs_ended);
  Time settling{0};
  if (boots > 0 && state && job.execution->is_booted()) {
    --boots;
    if (!job.last_ended) settling = job.spec.design->reboots->settle;
  }
  const auto runs = static_cast<std::int64_t>(status.runs.size() - status.runs_ended);
  return settling + time_of_boots(job.spec, boots, runs, job.boot_time);
}

}  // namespace

double progress_of(const LiveJob& job, Clock& clock) {
  const JobStatus& status = job.status;
  double runs = status.runs_ended;
  if (const auto started = run_started(job); started && status.current_run && status.planned) {
    const std::chrono::duration<double> elapsed = clock.since_boot() - *started;
    runs += std::clamp(elapsed / std::chrono::duration<double>(*status.planned), 0.0, 1.0);
  }
  return std::max(status.progress, runs / static_cast<double>(status.runs.size()));
}

std::optional<Time> time_left(const LiveJob& job, Clock& clock) {
  if (job.reboots()) return time_left_with_boots(job);
  Time left{0};
  for (std::size_t run = job.status.runs_ended; run < job.status.runs.size(); ++run) {
    const auto time = run_time(job, run, clock);
    if (!time) return std::nullopt;
    left += *time;
  }
  return left;
}

WallTime counted_from(const LiveJob& job, Clock& clock, WallTime otherwise) {
  const auto moment = job.last_ended ? job.last_ended : job.began;
  const WallTime from = moment ? clock.now() - (clock.since_boot() - *moment) : otherwise;
  const auto boots = boot_state(job);
  return boots && boots->announced_since ? std::max(from, *boots->announced_since) : from;
}

}  // namespace netperfd::core
