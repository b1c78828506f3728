// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/queries/store_answers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/options/options.hpp"
#include "daemon/bus/queries/query_answers.hpp"
#include "daemon/bus/rows/row_maker.hpp"
#include "dbus/rows/store.hpp"

namespace netperfd::bus {
namespace {

constexpr std::uint32_t kOldJobsPageLimit = 500;
constexpr std::uint32_t kJobsAtOnce = 500;

rows::OldJob old_job(const core::StoredJob& job, std::string why) {
  return {.job = static_cast<std::uint64_t>(job.id),
          .scenario = job.scenario,
          .label = job.label,
          .user = job.owner,
          .runs = job.runs,
          .stored_bytes = job.stored_bytes,
          .ended_us = microseconds(job.newest).value_or(0),
          .why = std::move(why)};
}

}  // namespace

std::string check_store(core::RunQueries& queries, QueryReader& reader) {
  throw_if_failed(reader.finish());
  const core::StoreCheck check = value_or_throw(queries.check_store());
  const rows::Store row{.version = check.version,
                        .newest_version = check.newest_version,
                        .jobs = check.jobs,
                        .runs = check.runs,
                        .bytes = check.bytes,
                        .unused_bytes = check.free_bytes,
                        .disk_free_bytes = {},
                        .problems = check.problems,
                        .damaged_runs = {check.damaged_runs.begin(), check.damaged_runs.end()},
                        .damaged_jobs = {check.damaged_jobs.begin(), check.damaged_jobs.end()}};
  return to_query_bytes(to_wire(row));
}

std::string list_old_jobs(core::RunQueries& queries, QueryReader& reader) {
  dbus::Row rule;
  std::string cursor;
  std::uint64_t limit = 0, user = 0, now = 0;
  reader.take(rule);
  reader.take(cursor);
  for (std::uint64_t* number : {&limit, &user, &now}) reader.take(*number);
  throw_if_failed(reader.finish());
  // The rule counts from the newest job on, so each page walks over all of them.
  core::KeepPlan plan{{value_or_throw(parse_old_job_rule(rule))},
                      WallTime{std::chrono::microseconds{static_cast<std::int64_t>(now)}}};
  const std::uint64_t below =
      cursor.empty() ? std::numeric_limits<std::uint64_t>::max() : value_or_throw(parse_cursor(cursor));
  const std::uint32_t most = page_limit(static_cast<std::uint32_t>(limit), kOldJobsPageLimit);
  for (JobId before = std::numeric_limits<JobId>::max();;) {
    const auto jobs = value_or_throw(queries.stored_jobs(before, kJobsAtOnce));
    for (const core::StoredJob& job : jobs) {
      if (user == 0 || job.owner == user) plan.look_at(job);
    }
    if (jobs.size() < kJobsAtOnce) break;
    before = jobs.back().id;
  }
  Rows found;
  std::uint64_t last = 0;
  for (const core::KeepPlan::OldJob& old : plan.old_jobs()) {
    if (!std::cmp_less(old.job.id, below)) continue;
    if (found.size() == most) return to_query_bytes(found, last);
    found.push_back(to_wire(old_job(old.job, old.why.substr(0, old.why.find(" (keep[")))));
    last = static_cast<std::uint64_t>(old.job.id);
  }
  return to_query_bytes(found, std::uint64_t{0});
}

std::optional<Status> stream_query(core::RunQueries& queries, std::string_view request,
                                   const core::RunQueries::Sink& write) {
  QueryReader reader{request};
  std::string name;
  reader.take(name);
  if (name != query_name::kOpenBackup) return std::nullopt;
  return queries.copy_store(write);
}

Result<std::string> answer_candidate(core::RunQueries& queries, std::int64_t version) {
  const auto check = queries.check_store();
  if (!check) return std::unexpected(check.error());
  if (!check->problems.empty()) {
    return invalid(
        fmt::format("it is damaged, or no store of netperfd's: {}", fmt::join(check->problems, "\n")));
  }
  const rows::RestoredStore row{.from_version = static_cast<std::uint64_t>(version),
                                .version = check->version,
                                .jobs = check->jobs,
                                .runs = check->runs,
                                .kept = ""};
  return to_query_bytes(to_wire(row));
}

}  // namespace netperfd::bus
