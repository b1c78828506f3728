// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/runs_of_job.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

// The runs of a job get their numbers together, so one that the index hides is among the others or beside
// them.
Status expect_no_others(Connection& connection, JobId job, const std::vector<RunId>& runs) {
  auto select = connection.prepare(
      "SELECT (SELECT count(*) FROM runs NOT INDEXED WHERE id BETWEEN ?1 AND ?2 AND job = ?3), "
      "ifnull((SELECT job FROM runs NOT INDEXED WHERE id < ?1 ORDER BY id DESC LIMIT 1) = ?3, 0), "
      "ifnull((SELECT job FROM runs NOT INDEXED WHERE id > ?2 ORDER BY id LIMIT 1) = ?3, 0)");
  if (!select) return std::unexpected(select.error());
  std::size_t among = 0;
  bool before = false, behind = false;
  auto read = for_each_row(select->bind(runs.front(), runs.back(), job),
                           [&](RowReader& row) { row.read(among, before, behind); });
  if (!read || (among == runs.size() && !before && !behind)) return read;
  return fail(ErrorKind::io,
              fmt::format("{}: job {}: the index of its runs is damaged, so nobody knows which "
                          "runs it has. `netperfctl db check` names what is damaged; restore a "
                          "backup, or delete the job",
                          connection.path(), job));
}

}  // namespace

Result<std::vector<RunId>> numbers_of_runs(Connection& connection, JobId job) {
  auto select = connection.prepare("SELECT id FROM runs WHERE job = ? ORDER BY id");
  if (!select) return std::unexpected(select.error());
  std::vector<RunId> runs;
  auto read = for_each_row(select->bind(job), [&](RowReader& row) { row.read(runs.emplace_back()); });
  if (read && !runs.empty()) read = expect_no_others(connection, job, runs);
  if (!read) return std::unexpected(std::move(read.error()));
  return runs;
}

// What was read and stored behind the workload is in it. A clock that was set makes no time.
Result<std::optional<std::chrono::microseconds>> read_time_between_runs(Connection& connection,
                                                                        const std::string& scenario) {
  auto select = connection.prepare(
      "SELECT coalesce(avg(next.started_us - r.ended_us), -1) FROM runs r JOIN runs next "
      "ON next.id = r.id + 1 AND next.job = r.job "
      "WHERE r.job = (SELECT j.id FROM jobs j WHERE j.name = ? AND EXISTS (SELECT 1 "
      "FROM runs a JOIN runs b ON b.id = a.id + 1 AND b.job = a.job WHERE a.job = j.id AND b.started_us >= "
      "a.ended_us) ORDER BY j.id DESC LIMIT 1) AND next.started_us >= r.ended_us");
  if (!select) return std::unexpected(select.error());
  double mean = -1;
  auto read = for_each_row(select->bind(scenario), [&](RowReader& row) { row.read(mean); });
  if (!read) return std::unexpected(read.error());
  if (mean < 0) return std::nullopt;
  return std::chrono::microseconds{static_cast<std::int64_t>(mean)};
}

Result<std::vector<RunId>> runs_with_file(Connection& connection, uid_t owner, const std::string& sha256,
                                          std::uint32_t most) {
  auto select = connection.prepare(
      "SELECT DISTINCT f.run FROM imported_files f JOIN runs r ON r.id = f.run JOIN jobs j ON j.id = r.job "
      "WHERE f.sha256 = ? AND j.owner_uid = ? AND r.removing = 0 ORDER BY f.run LIMIT ?");
  if (!select) return std::unexpected(select.error());
  std::vector<RunId> runs;
  auto read =
      for_each_row(select->bind(sha256, owner, most), [&](RowReader& row) { row.read(runs.emplace_back()); });
  if (!read) return std::unexpected(read.error());
  return runs;
}

}  // namespace netperfd::store
