// SPDX-License-Identifier: GPL-2.0-or-later
// The mail that nobody sends: when a job that reboots the machine has ended, an entry in the journal says
// what came of it, in the words of a subject and a few lines.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "daemon/core/ports/query_runner.hpp"
#include "daemon/core/ports/run_observer.hpp"
#include "daemon/core/ports/run_queries.hpp"

namespace netperfd::bus {

struct RebootSummary {
  JobId job = 0;
  std::string scenario, state, name_a, name_b;
  std::uint32_t runs = 0, finished = 0;
  std::uint32_t boots = 0, failed_boots = 0;
  std::optional<double> seconds;  // from the first request of a reboot to the end of the last run
  std::string last_failure;       // of a boot
  // Of the comparison, if it has an answer. Ratios are of B to A.
  std::string verdict, no_comparison;
  std::optional<double> ratio, low, high;
  std::uint32_t boots_a = 0, boots_b = 0;
};

[[nodiscard]] std::string text_of(const RebootSummary& summary);

class RebootReport final : public core::RunObserver {
 public:
  using Log = std::function<void(const std::string& text, JobId job)>;

  // All must outlive the object.
  RebootReport(core::RunQueries& queries, core::QueryRunner& runner, Log log)
      : queries_(queries), runner_(runner), log_(std::move(log)) {}

  // For a job whose runs have all ended; the entry follows later.
  void tell(JobId job);

  void job_added(const core::JobStatus&) override {}
  void job_changed(const core::JobStatus& job) override;
  void run_interval(JobId, RunId, const Interval&) override {}
  void run_trace(JobId, RunId, const TraceProgress&) override {}
  void run_ended(const core::JobStatus&, RunId, RunState, const std::string&) override {}
  void job_removed(JobId job) override { told_.erase(job); }

 private:
  struct Pending {
    RebootSummary summary;
    std::shared_ptr<void> query;
  };
  void add_job(const Result<std::string>& answer, RebootSummary& summary);
  void ask_comparison(JobId job);
  void say(JobId job);

  core::RunQueries& queries_;
  core::QueryRunner& runner_;
  Log log_;
  std::map<JobId, Pending> pending_;
  std::map<JobId, bool> told_;  // of live jobs
};

}  // namespace netperfd::bus
