// SPDX-License-Identifier: GPL-2.0-or-later
// Stored jobs in memory, for rules about them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "daemon/core/ports/retention_store.hpp"

namespace netperfd::core {

class FakeRetentionStore final : public RetentionStore {
 public:
  Result<std::vector<StoredJob>> stored_jobs(JobId before, std::uint32_t limit) override {
    ++questions;
    std::vector<StoredJob> found;
    for (auto job = jobs.rbegin(); job != jobs.rend() && found.size() < limit; ++job) {
      if (job->first < before && !removing.contains(job->first)) found.push_back(job->second);
    }
    return found;
  }
  Result<std::uint64_t> begin_removal(JobId job, RemovalBy by) override {
    if (!jobs.contains(job)) return 0U;
    asked_by.push_back(by);
    removing.insert(job);
    return runs.at(job).size();
  }
  Result<std::optional<RunOfJob>> next_removal() override {
    for (const JobId job : removing) return RunOfJob{runs.at(job).front(), job};
    return std::nullopt;
  }
  void add(const StoredJob& job) {
    jobs[job.id] = job;
    for (std::uint64_t i = 0; i < job.runs; ++i) runs[job.id].push_back(job.id * 10 + static_cast<RunId>(i));
  }
  void take(const RunOfJob& removed) {
    auto& left = runs.at(removed.job);
    std::erase(left, removed.run);
    if (!left.empty()) return;
    jobs.erase(removed.job);
    removing.erase(removed.job);
  }

  std::map<JobId, StoredJob> jobs;
  std::map<JobId, std::vector<RunId>> runs;
  std::set<JobId> removing;
  int questions = 0;
  std::vector<RemovalBy> asked_by;
};

}  // namespace netperfd::core
