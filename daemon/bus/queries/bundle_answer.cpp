// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/queries/bundle_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/base/byte_archive.hpp"
#include "daemon/bundle/bundle.hpp"
#include "daemon/bundle/redact.hpp"
#include "daemon/bus/options/options.hpp"
#include "daemon/bus/queries/query_answers.hpp"
#include "daemon/core/comparison/run_selection.hpp"
#include "daemon/model/run_state.hpp"

namespace netperfd::bus {
namespace {

// Both directions; the writer changes nothing.
template <class Archive>
void put_request(Archive& archive, BundleRequest& request) {
  std::string name = query_name::kOpenBundle;
  auto made = static_cast<std::uint64_t>(request.origin.made.time_since_epoch().count());
  std::uint64_t recordings = request.recordings ? 1 : 0;
  std::uint64_t redacted = request.origin.redacted ? 1 : 0;
  archive.text(name);
  for (std::uint64_t* number : {&request.job, &request.run, &recordings, &redacted, &made})
    archive.number(*number);
  for (std::string* text : {&request.report, &request.origin.host, &request.origin.version})
    archive.text(*text);
  if constexpr (Archive::kReads) {
    request.recordings = recordings != 0;
    request.origin.redacted = redacted != 0;
    request.origin.made = WallTime{std::chrono::microseconds{made}};
  }
}

// The jobs on whose runs the page of `job` depends too: the one that it confirms, and its owner's self-tests
// of its scenario on the same host.
Result<std::vector<JobId>> jobs_beside(core::RunQueries& queries, JobId job, const core::RunRow& row) {
  std::vector<JobId> jobs;
  if (row.spec.confirms) jobs.push_back(*row.spec.confirms);
  core::RunFilter of_job, self_tests;
  of_job.job = job;
  const auto own = queries.selected_runs(of_job, {}, 1);
  if (!own) return std::unexpected(own.error());
  self_tests.scenario = row.spec.name;
  self_tests.owner = row.owner;
  self_tests.purpose = JobPurpose::selftest;
  self_tests.state = RunState::finished;
  const auto tests = queries.selected_runs(self_tests, {}, core::kSelectedRuns);
  if (!tests) return std::unexpected(tests.error());
  for (const core::SelectedRun& run : *tests) {
    const bool same_host = !own->empty() && run.imported == own->front().imported;
    if (same_host && run.job != job && std::ranges::find(jobs, run.job) == jobs.end())
      jobs.push_back(run.job);
  }
  return jobs;
}

Result<std::vector<RunId>> runs_of(core::RunQueries& queries, const BundleRequest& request) {
  const auto job = static_cast<JobId>(request.job);
  const auto runs = queries.runs_of_job(job);
  if (!runs) return std::unexpected(runs.error());
  if (runs->empty()) return fail(ErrorKind::not_found, fmt::format("job {}: no such job", job));
  std::vector<RunId> ids;
  for (const core::RunRow& run : *runs) {
    if (request.run == 0 || std::cmp_equal(run.id, request.run)) ids.push_back(run.id);
  }
  if (request.run != 0) return ids;
  const auto others = jobs_beside(queries, job, runs->front());
  if (!others) return std::unexpected(others.error());
  for (const JobId other : *others) {
    const auto beside = queries.runs_of_job(other);
    if (!beside) return std::unexpected(beside.error());
    for (const core::RunRow& run : *beside) {
      // Whoever may read the raw data of one owner may not always read that of another.
      if (run.owner == runs->front().owner && has_ended(run.state)) ids.push_back(run.id);
    }
  }
  return ids;
}

// They have kernel addresses, which a page does not show.
void leave_out_recordings(StoredTables& content) {
  const auto found = std::ranges::find(content.tables, "documents", &StoredTable::name);
  if (found == content.tables.end()) return;
  StoredTable kept{.name = found->name, .columns = found->columns, .values = {}};
  StoredRows rows{*found};
  std::vector<StoredValue> row;
  while (rows.next(row)) {
    if (std::ranges::find(row, StoredValue{std::string{kRecording}}) != row.end()) continue;
    for (const StoredValue& value : row) kept.add(value);
  }
  *found = std::move(kept);
}

}  // namespace

std::string to_query_bytes(const BundleRequest& request) {
  ByteWriter writer;
  put_request(writer, const_cast<BundleRequest&>(request));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return writer.take();
}

Result<std::string> bundle_of(core::RunQueries& queries, std::string_view request) {
  ByteReader reader{request, std::numeric_limits<std::size_t>::max()};
  BundleRequest wanted;
  put_request(reader, wanted);
  if (reader.failed()) return fail(ErrorKind::internal, "the request for a bundle came damaged");
  const auto runs = runs_of(queries, wanted);
  if (!runs) return std::unexpected(runs.error());
  auto content = queries.tables(*runs, bundle::kMostTableBytes);
  if (!content) return std::unexpected(std::move(content.error()));
  if (!wanted.recordings) leave_out_recordings(*content);
  if (wanted.origin.redacted) {
    content = bundle::redacted(*content, std::exchange(wanted.origin.host, "host-1"));
    if (!content) return std::unexpected(std::move(content.error()));
  }
  return bundle::write({.origin = std::move(wanted.origin), .content = std::move(*content)}, wanted.report);
}

}  // namespace netperfd::bus
