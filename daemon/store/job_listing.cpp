// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/job_listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/store/design_columns.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/paging.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

constexpr std::uint32_t kMaxJobs = 100;
constexpr char kJobCursor = 'j';

// Each of these gives the jobs that have the words in the order of the list, so that nothing is sorted and a
// search that finds nothing looks at no job. The + keeps the planner from other indexes.
std::string_view index_of(const core::RunFilter& filter) {
  if (filter.scenario && filter.label) return "INDEXED BY jobs_by_name_and_label";
  if (filter.scenario) return "INDEXED BY jobs_by_name";
  if (filter.label) return "INDEXED BY jobs_by_label";
  return filter.owner ? "INDEXED BY jobs_by_owner" : "NOT INDEXED";
}

// A job that is being removed is hidden, as its runs are. A page of few matches may still walk over many
// jobs, which costs a query of its own process and not the loop.
struct JobQuery {
  std::string sql;
  std::vector<Value> parameters;

  template <class Type>
  void add(std::string_view condition, Type value) {
    sql += " AND ";
    sql += condition;
    parameters.emplace_back(std::move(value));
  }
};

JobQuery query_of(const core::RunFilter& filter, JobId before, std::uint32_t rows) {
  JobQuery query{.sql = fmt::format(
                     "SELECT j.id, j.name, j.label, j.owner_uid, j.created_us, j.repeat, j.purpose, j.seed, "
                     "j.variant_a, j.variant_b, j.plain, j.changed, j.confirms FROM jobs j {} WHERE j.id < ?",
                     index_of(filter)),
                 .parameters = {}};
  query.parameters.emplace_back(before);
  if (filter.scenario) query.add("j.name = ?", *filter.scenario);
  if (filter.label) query.add("j.label = ?", *filter.label);
  if (filter.purpose) query.add("+j.purpose = ?", std::string{to_string(*filter.purpose)});
  if (filter.owner) query.add("j.owner_uid = ?", std::int64_t{*filter.owner});
  if (filter.since) query.add("+j.created_us >= ?", std::int64_t{filter.since->time_since_epoch().count()});
  if (filter.until) query.add("+j.created_us < ?", std::int64_t{filter.until->time_since_epoch().count()});
  query.sql +=
      " AND EXISTS (SELECT 1 FROM runs r WHERE r.job = j.id AND +r.removing = 0) ORDER BY j.id DESC LIMIT ?";
  query.parameters.emplace_back(std::int64_t{rows});
  return query;
}

Status read_job(RowReader& row, core::JobRow& job) {
  DesignColumns design;
  auto read = row.try_read(job.id, job.scenario, job.label, job.owner, job.created, job.repeat, job.purpose,
                           design.seed, design.variant_a, design.variant_b, design.plain, design.changed,
                           job.confirms);
  job.design = design_of(design);
  return read;
}

Status read_run(RowReader& row, core::JobRow& job) {
  core::JobRow::Run& run = job.runs.emplace_back();
  std::string error;
  std::uint32_t point = 0;
  auto read = row.try_read(run.id, run.state, run.started, run.ended, error, point);
  job.points = std::max(job.points, point);
  run.needed = run.state != RunState::canceled || !error.starts_with(kNotNeeded);
  return read;
}

}  // namespace

Result<core::Page<core::JobRow>> read_jobs(Connection& connection, const core::RunFilter& filter,
                                           const std::string& cursor, std::uint32_t limit) {
  const auto before = parse_cursor(cursor, kJobCursor, std::numeric_limits<JobId>::max());
  if (!before) return std::unexpected(before.error());
  const std::uint32_t size = page_size(limit, kMaxJobs);
  const JobQuery query = query_of(filter, *before, size + 1);  // one more shows whether a page follows
  auto select = connection.prepare(query.sql);
  if (!select) return std::unexpected(select.error());
  core::Page<core::JobRow> page;
  std::map<JobId, Status> read_as;  // without those that were read
  const auto note = [&read_as](JobId job, Status read) {
    if (!read) read_as.emplace(job, std::move(read));
  };
  auto read = for_each_row(select->bind(query.parameters), [&](RowReader& row) {
    core::JobRow& job = page.rows.emplace_back();
    auto done = read_job(row, job);
    note(job.id, std::move(done));
  });
  if (!read) return std::unexpected(read.error());
  if (page.rows.size() > size) {
    page.rows.pop_back();
    page.next = make_cursor(kJobCursor, page.rows.back().id);
  }
  auto runs = connection.prepare(
      "SELECT id, state, started_us, ended_us, error, ifnull(point, 0) FROM runs WHERE job = ? AND +removing "
      "= 0 ORDER BY id");
  if (!runs) return std::unexpected(runs.error());
  for (core::JobRow& job : page.rows) {
    read = for_each_row(runs->bind(job.id), [&](RowReader& row) { note(job.id, read_run(row, job)); });
    if (read) read = expect_intact_with_runs(connection, job.id, {"jobs"});
    if (const auto damage = read_as.find(job.id); read && damage != read_as.end()) read = damage->second;
    if (!read && read.error().kind == ErrorKind::io) {
      // The other jobs stay readable.
      core::JobRow damaged;
      damaged.id = job.id;
      damaged.scenario = "(damaged)";
      damaged.runs = std::move(job.runs);
      for (core::JobRow::Run& run : damaged.runs) {
        run.state = RunState::failed;
        run.needed = true;
        run.started = run.ended = std::nullopt;
      }
      job = std::move(damaged);
      continue;
    }
    if (!read) return std::unexpected(read.error());
  }
  return page;
}

}  // namespace netperfd::store
