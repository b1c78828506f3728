// SPDX-License-Identifier: GPL-2.0-or-later
// All queries for stored runs; core::RunQueries documents the calls.
#pragma once

#include <string>
#include <vector>

#include "daemon/core/ports/run_queries.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

class RunReader {
 public:
  explicit RunReader(Connection& connection) : connection_(connection) {}

  [[nodiscard]] Result<core::Page<core::RunRow>> runs(const core::RunFilter& filter,
                                                      const std::string& cursor, std::uint32_t limit);
  [[nodiscard]] Result<core::RunRow> run(RunId run);
  [[nodiscard]] Result<std::vector<Totals>> streams(RunId run);
  [[nodiscard]] Result<core::IntervalPoints> interval_points(RunId run, std::uint32_t most);
  [[nodiscard]] Result<bool> has_more_intervals(RunId run, std::uint32_t than);
  [[nodiscard]] Result<core::Page<Interval>> intervals(RunId run, const std::string& cursor,
                                                       std::uint32_t limit);
  [[nodiscard]] Result<TrafficCount> traffic(RunId run);
  [[nodiscard]] Result<std::string> document(RunId run, const std::string& name);
  [[nodiscard]] Result<core::OwnedRun> owner_of(RunId run);
  [[nodiscard]] Result<uid_t> owner_of_job(JobId job);
  [[nodiscard]] Result<bool> owns_jobs(uid_t user);
  [[nodiscard]] Result<std::vector<core::RunRow>> runs_of_job(JobId job);

 private:
  [[nodiscard]] Status expect_run(RunId run);

  [[nodiscard]] Result<RunId> newest_ended();

  Connection& connection_;
};

}  // namespace netperfd::store
