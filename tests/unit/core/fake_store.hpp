// SPDX-License-Identifier: GPL-2.0-or-later
// A run store in memory.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/core/ports/run_store.hpp"

namespace netperfd::core {

// Keeps jobs and runs in memory and checks that callers obey the port's rules.
class FakeStore final : public RunStore {
 public:
  struct Job {
    JobSpec spec;
    std::vector<Slot> slots;
    uid_t owner = 0;
    WallTime created;
  };
  struct Run {
    JobId job = 0;
    RunState state = RunState::pending;
    std::optional<RunRecord> record;
    std::vector<Interval> added;  // before the record
    std::vector<RunState> states{RunState::pending};
  };

  Status expect_room() override { return room_refusal ? std::unexpected(*room_refusal) : Status{}; }

  Result<NewJob> add_job(const JobSpec& spec, const std::vector<Slot>& slots, uid_t owner,
                         WallTime now) override {
    if (refusal) return std::unexpected(*refusal);
    NewJob job{++last_job_, {}};
    jobs[job.id] = {.spec = spec, .slots = slots, .owner = owner, .created = now};
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const RunId id = ++last_run_;
      runs[id].job = job.id;
      job.runs.push_back(id);
    }
    return job;
  }

  // A job with one run, whatever the content.
  Result<std::vector<NewJob>> add_bundle(const StoredTables& content, uid_t owner, const std::string& flag,
                                         WallTime now) override {
    if (refusal) return std::unexpected(*refusal);
    bundles.push_back({content, flag});
    auto job = add_job({}, {Slot{}}, owner, now);
    if (!job) return std::unexpected(job.error());
    runs[job->runs.front()].state = RunState::finished;
    return std::vector{std::move(*job)};
  }

  Result<std::vector<UnfinishedJob>> unfinished_jobs() override { return unfinished; }

  Status set_state(RunId id, RunState state) override {
    if (refusal) return std::unexpected(*refusal);
    return step(id, state);
  }

  Status cancel_pending(JobId job, const std::string& error) override {
    if (refusal) return std::unexpected(*refusal);
    for (auto& [id, run] : runs) {
      if (run.job != job || run.state != RunState::pending) continue;
      run.record = RunRecord{};
      run.record->error = error;
      run.state = RunState::canceled;
      run.states.push_back(run.state);
    }
    return {};
  }

  Status add_intervals(RunId id, std::span<const Interval> intervals, std::size_t first) override {
    if (refusal) return std::unexpected(*refusal);
    Run& run = runs.at(id);
    if (run.state != RunState::collecting || first != run.added.size())
      return fail(ErrorKind::internal, fmt::format("run {}: no place for interval {}", id, first));
    if (most_added && first + intervals.size() > *most_added) return fail(ErrorKind::no_space, "full");
    run.added.insert(run.added.end(), intervals.begin(), intervals.end());
    if (on_added) on_added();
    return {};
  }

  Status finish(const RunRecord& record) override {
    if (refusal) return std::unexpected(*refusal);
    if (finish_refusal && record.state == RunState::finished) return std::unexpected(*finish_refusal);
    if (auto stepped = step(record.id, record.state); !stepped) return stepped;
    runs.at(record.id).record = record;
    return {};
  }

  Status remove(RunId id) override {
    if (removal_refusal) return std::unexpected(*removal_refusal);
    removed.push_back(id);
    if (on_remove) on_remove();
    return {};
  }

  Status set_label(JobId job, const std::string& label) override {
    if (refusal) return std::unexpected(*refusal);
    labels[job] = label;
    return {};
  }

  Status set_note(RunId run, const std::string& note) override {
    if (refusal) return std::unexpected(*refusal);
    notes[run] = note;
    return {};
  }

  Status set_held(JobId job, bool held) override {
    if (refusal) return std::unexpected(*refusal);
    held_jobs[job] = held;
    return {};
  }

  Status set_budget(JobId job, const JobBudget& budget) override {
    if (refusal) return std::unexpected(*refusal);
    if (!budgets.emplace(job, budget).second) return fail(ErrorKind::internal, "it has a budget already");
    return {};
  }

  Status add_boot(JobId job, const BootRecord& boot) override {
    if (refusal) return std::unexpected(*refusal);
    boots[job].push_back(boot);
    return {};
  }

  Status end_boot(JobId job, std::uint32_t number, const BootArrival& arrival) override {
    if (refusal) return std::unexpected(*refusal);
    for (BootRecord& boot : boots[job]) {
      if (boot.number != number) continue;
      if (!boot.settled) boot.settled = arrival.settled;
      boot.boot_id = arrival.boot_id;
      boot.kernel = arrival.kernel;
      boot.failure = arrival.failure;
    }
    return {};
  }

  Result<std::optional<std::chrono::microseconds>> boot_time(const std::string& /*scenario*/) override {
    return time_of_boots;
  }

  Result<std::optional<std::chrono::microseconds>> time_between_runs(
      const std::string& /*scenario*/) override {
    return between_runs;
  }

  Result<std::optional<std::uint64_t>> bytes_of_run(const std::string& /*scenario*/,
                                                    uid_t /*owner*/) override {
    return size_of_runs;
  }
  std::optional<std::uint64_t> room() override { return space; }

  Result<std::vector<RunId>> runs_with_file(uid_t owner, const std::string& sha256,
                                            std::uint32_t most) override {
    std::vector<RunId> found;
    for (const auto& [id, run] : runs) {
      if (!run.record || jobs.at(run.job).owner != owner || found.size() == most) continue;
      for (const SourceFile& file : run.record->files) {
        if (file.sha256 == sha256) found.push_back(id);
      }
    }
    return found;
  }

  Result<UserUsage> usage(uid_t owner, WallTime since, WallTime until) override {
    usage_since = since;
    usage_until = until;
    return usages[owner];
  }

  std::map<uid_t, UserUsage> usages;
  WallTime usage_since, usage_until;  // of the last question
  std::optional<Error> refusal;
  std::optional<Error> room_refusal, removal_refusal;
  std::optional<Error> finish_refusal;    // only for measurements
  std::optional<std::size_t> most_added;  // intervals; more are refused
  std::function<void()> on_added;
  std::vector<UnfinishedJob> unfinished;
  std::vector<std::pair<StoredTables, std::string>> bundles;  // with their flag
  std::vector<RunId> removed;
  std::function<void()> on_remove;
  std::map<JobId, std::string> labels;
  std::map<RunId, std::string> notes;
  std::map<JobId, bool> held_jobs;
  std::map<JobId, JobBudget> budgets;
  std::map<JobId, std::vector<BootRecord>> boots;
  std::optional<std::chrono::microseconds> time_of_boots, between_runs;
  std::optional<std::uint64_t> size_of_runs, space;
  std::map<JobId, Job> jobs;
  std::map<RunId, Run> runs;

 private:
  Status step(RunId id, RunState state) {
    Run& run = runs.at(id);
    if (!may_follow(run.state, state)) {
      return fail(ErrorKind::internal,
                  fmt::format("run {}: {} cannot follow {}", id, to_string(state), to_string(run.state)));
    }
    run.state = state;
    run.states.push_back(state);
    return {};
  }

  JobId last_job_ = 0;
  RunId last_run_ = 40;
};

}  // namespace netperfd::core
