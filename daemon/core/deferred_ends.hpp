// SPDX-License-Identifier: GPL-2.0-or-later
// A run store that loses no end of a run: an end that the disk refuses is kept in memory and stored as soon
// as the disk takes it.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/run_store.hpp"

namespace netperfd::core {

// What is stored if a record is refused: the same end as failed, without what was measured.
[[nodiscard]] RunRecord end_without_record(const RunRecord& record, const Error& refusal);

// If the daemon is killed first, the next one ends these runs as interrupted, and resumes a job whose
// cancellation was waiting.
class DeferredEnds final : public RunStore {
 public:
  // The waiting ends are tried again before every other action, and this long after the first refusal; each
  // further refusal doubles the time.
  static constexpr std::chrono::seconds kFirstRetry{1};
  static constexpr std::chrono::seconds kLongestRetry{60};

  // Both must outlive this object.
  DeferredEnds(RunStore& store, Clock& clock) : store_(store), clock_(clock) {}
  DeferredEnds(const DeferredEnds&) = delete;
  DeferredEnds& operator=(const DeferredEnds&) = delete;
  ~DeferredEnds() override { settle(); }

  // Number of ends that the disk has refused so far; a cancellation counts as one.
  [[nodiscard]] std::size_t waiting() const { return records_.size() + cancellations_.size(); }

  [[nodiscard]] Status expect_room() override;
  [[nodiscard]] Result<NewJob> add_job(const JobSpec& spec, const std::vector<Slot>& slots, uid_t owner,
                                       WallTime now) override;
  [[nodiscard]] Result<std::vector<NewJob>> add_bundle(const StoredTables& content, uid_t owner,
                                                       const std::string& flag, WallTime now) override {
    return store_.add_bundle(content, owner, flag, now);
  }
  [[nodiscard]] Result<std::vector<UnfinishedJob>> unfinished_jobs() override {
    return store_.unfinished_jobs();
  }
  [[nodiscard]] Status set_state(RunId run, RunState state) override;
  // Succeeds also if the disk refuses it: then it waits.
  [[nodiscard]] Status cancel_pending(JobId job, const std::string& error) override;
  [[nodiscard]] Status add_intervals(RunId run, std::span<const Interval> intervals,
                                     std::size_t first) override;
  // After a refusal, end_without_record() is stored or waits. The refusal is returned in both cases.
  [[nodiscard]] Status finish(const RunRecord& record) override;
  // If the run's end may be waiting, the disk's refusal.
  [[nodiscard]] Status remove(RunId run) override;
  [[nodiscard]] Status set_label(JobId job, const std::string& label) override {
    return store_.set_label(job, label);
  }
  [[nodiscard]] Status set_note(RunId run, const std::string& note) override {
    return store_.set_note(run, note);
  }
  [[nodiscard]] Status set_held(JobId job, bool held) override { return store_.set_held(job, held); }
  [[nodiscard]] Status set_budget(JobId job, const JobBudget& budget) override {
    return store_.set_budget(job, budget);
  }
  [[nodiscard]] Status add_boot(JobId job, const BootRecord& boot) override {
    return store_.add_boot(job, boot);
  }
  [[nodiscard]] Status end_boot(JobId job, std::uint32_t number, const BootArrival& arrival) override {
    return store_.end_boot(job, number, arrival);
  }
  [[nodiscard]] Result<std::optional<std::chrono::microseconds>> boot_time(
      const std::string& scenario) override {
    return store_.boot_time(scenario);
  }
  [[nodiscard]] Result<std::optional<std::chrono::microseconds>> time_between_runs(
      const std::string& scenario) override {
    return store_.time_between_runs(scenario);
  }
  [[nodiscard]] Result<std::optional<std::uint64_t>> bytes_of_run(const std::string& scenario,
                                                                  uid_t owner) override {
    return store_.bytes_of_run(scenario, owner);
  }
  [[nodiscard]] std::optional<std::uint64_t> room() override { return store_.room(); }
  [[nodiscard]] Result<std::vector<RunId>> runs_with_file(uid_t owner, const std::string& sha256,
                                                          std::uint32_t most) override {
    return store_.runs_with_file(owner, sha256, most);
  }
  [[nodiscard]] Result<UserUsage> usage(uid_t owner, WallTime since, WallTime until) override {
    return store_.usage(owner, since, until);
  }

 private:
  // Stores what waits; stops at the first refusal.
  void settle();
  // The next action that waits; false if the disk still refuses it.
  [[nodiscard]] bool settled(const Status& status);
  void wait(const Error& refusal);

  RunStore& store_;
  Clock& clock_;
  std::deque<RunRecord> records_;
  std::deque<std::pair<JobId, std::string>> cancellations_;
  std::string refusal_;  // the last
  std::chrono::seconds delay_ = kFirstRetry;
  Timer retry_;
};

}  // namespace netperfd::core
