// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/sqlite_store.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/store/backup.hpp"
#include "daemon/store/boot_table.hpp"
#include "daemon/store/budget_table.hpp"
#include "daemon/store/bundle_reader.hpp"
#include "daemon/store/candidate.hpp"
#include "daemon/store/counter_reader.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/disk_space.hpp"
#include "daemon/store/figure_table.hpp"
#include "daemon/store/fingerprint_reader.hpp"
#include "daemon/store/job_listing.hpp"
#include "daemon/store/latency_store.hpp"
#include "daemon/store/named_figures.hpp"
#include "daemon/store/page_copy.hpp"
#include "daemon/store/removals.hpp"
#include "daemon/store/runs_of_job.hpp"
#include "daemon/store/sample_store.hpp"
#include "daemon/store/store_check.hpp"
#include "daemon/store/store_parts.hpp"
#include "daemon/store/unfinished_jobs.hpp"
#include "daemon/store/usage.hpp"

namespace netperfd::store {
namespace {

// Of the log, for ends of runs and deletions on a full disk: twice as much as SQLite writes before it begins
// the log anew, and at most a part of the space that has to be free anyway.
constexpr std::uint64_t kLogReserveBytes = 8U << 20U;
constexpr std::uint64_t kLogReserveShare = 4;

std::uint64_t log_reserve(std::uint64_t min_free_bytes) {
  return std::min(kLogReserveBytes, min_free_bytes / kLogReserveShare);
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& path,
                                                       std::uint64_t min_free_bytes) {
  auto database = Database::open(path, embedded_migrations());
  if (!database) return std::unexpected(database.error());
  auto parts = std::make_unique<Parts>(std::move(*database), min_free_bytes);
  parts->database->reserve(log_reserve(min_free_bytes));
  parts->watch_changes();
  if (!parts->database->is_read_only()) {
    auto ready = parts->database->check();
    if (!ready && ready.error().kind != ErrorKind::no_space) return std::unexpected(std::move(ready.error()));
  }
  return std::unique_ptr<SqliteStore>{new SqliteStore{std::move(parts)}};
}

Result<std::unique_ptr<core::RunQueries>> SqliteStore::open_read_only(const std::string& path) {
  auto database = Database::open_read_only(path, embedded_migrations());
  if (!database) return std::unexpected(database.error());
  return std::unique_ptr<core::RunQueries>{new SqliteStore{std::make_unique<Parts>(std::move(*database), 0)}};
}

Result<SqliteStore::Candidate> SqliteStore::open_candidate(const Fd& file, const std::string& path) {
  const std::string candidate = candidate_of(path);
  const auto version = copy_candidate(file, candidate, embedded_migrations());
  if (!version) return std::unexpected(version.error());
  auto queries = open_read_only(candidate);
  if (!queries) return std::unexpected(queries.error());
  return Candidate{.queries = std::move(*queries), .version = *version};
}

Result<std::string> SqliteStore::replace_by_candidate(WallTime now) {
  const std::string path = parts_->database->connection().path();
  const std::uint64_t min_free = parts_->min_free_bytes;
  std::string kept = unused_name(fmt::format("{}.before-restore-{}", path, seconds_of(now)));
  if (auto own = parts_->database->check(); !own) return std::unexpected(std::move(own.error()));
  const auto numbers = last_numbers(parts_->database->connection());
  if (auto settled = settle_candidate(candidate_of(path), numbers); !settled) {
    return std::unexpected(settled.error());
  }
  parts_->database->connection().before_changes({});
  auto old = std::move(parts_->database);
  parts_.reset();
  auto replaced = Database::replace(old, candidate_of(path), kept, embedded_migrations());
  if (!replaced && !old) {
    return fail(ErrorKind::internal,
                fmt::format("{}; the database cannot be opened again", replaced.error().message));
  }
  parts_ = std::make_unique<Parts>(replaced ? std::move(*replaced) : std::move(old), min_free);
  parts_->database->reserve(log_reserve(min_free));
  if (!replaced) return std::unexpected(replaced.error());
  return kept;
}

void SqliteStore::remove_candidate() {
  store::remove_candidate(candidate_of(parts_->database->connection().path()));
}

Result<core::StoreCheck> SqliteStore::check_store() {
  return store::check_store(parts_->database->connection(), embedded_migrations().back().version);
}

Status SqliteStore::copy_store(const Sink& sink) {
  return copy_pages(parts_->database->connection(), sink);
}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open_to_look(const std::string& path) {
  auto database = Database::open_to_look(path, embedded_migrations());
  if (!database) return std::unexpected(database.error());
  return std::unique_ptr<SqliteStore>{new SqliteStore{std::make_unique<Parts>(std::move(*database), 0)}};
}

Status SqliteStore::copy_to(const std::string& target) {
  return copy_database(parts_->database->connection(), target);
}

SqliteStore::SqliteStore(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

SqliteStore::~SqliteStore() = default;

std::uint64_t SqliteStore::interrupted_runs() const {
  return parts_->interrupted_runs;
}

const std::string& SqliteStore::copy_path() const {
  return parts_->database->copy_path();
}

bool SqliteStore::was_unclosed() const {
  return parts_->database->was_unclosed();
}

std::string SqliteStore::rescue() {
  return parts_->database->rescue();
}

Status SqliteStore::expect_room() {
  if (auto own = parts_->database->check(); !own) return own;
  return expect_space(parts_->database->connection().path(), parts_->min_free_bytes);
}

Result<core::NewJob> SqliteStore::add_job(const JobSpec& spec, const std::vector<Slot>& slots, uid_t owner,
                                          WallTime now) {
  if (auto room = expect_room(); !room) return std::unexpected(room.error());
  return parts_->writer.add_job(spec, slots, owner, now);
}

Result<std::vector<core::NewJob>> SqliteStore::add_bundle(const StoredTables& content, uid_t owner,
                                                          const std::string& flag, WallTime now) {
  if (auto room = expect_room(); !room) return std::unexpected(room.error());
  return parts_->writer.add_bundle(content, {.uid = owner, .now = now, .flag = flag});
}

Result<StoredTables> SqliteStore::tables(const std::vector<RunId>& runs, std::size_t most_bytes) {
  auto& connection = parts_->database->connection();
  if (auto intact = expect_intact(connection, runs); !intact) return std::unexpected(intact.error());
  return read_tables(connection, runs, most_bytes);
}

Result<std::vector<core::UnfinishedJob>> SqliteStore::unfinished_jobs() {
  return read_unfinished_jobs(parts_->database->connection());
}

Status SqliteStore::set_state(RunId run, RunState state) {
  return parts_->writer.set_state(run, state);
}

Status SqliteStore::cancel_pending(JobId job, const std::string& error) {
  return parts_->writer.cancel_pending(job, error);
}

Status SqliteStore::add_intervals(RunId run, std::span<const Interval> intervals, std::size_t first) {
  return parts_->writer.add_intervals(run, intervals, first);
}

Status SqliteStore::finish(const RunRecord& record) {
  return parts_->writer.finish(record);
}

Result<core::Page<core::RunRow>> SqliteStore::runs(const core::RunFilter& filter, const std::string& cursor,
                                                   std::uint32_t limit) {
  return parts_->reader.runs(filter, cursor, limit);
}

Result<core::RunRow> SqliteStore::run(RunId run) {
  return parts_->reader.run(run);
}

Result<core::OwnedRun> SqliteStore::owner_of(RunId run) {
  return parts_->reader.owner_of(run);
}

Result<uid_t> SqliteStore::owner_of_job(JobId job) {
  return parts_->reader.owner_of_job(job);
}

Result<bool> SqliteStore::owns_jobs(uid_t user) {
  return parts_->reader.owns_jobs(user);
}

Result<std::vector<Totals>> SqliteStore::streams(RunId run) {
  return parts_->reader.streams(run);
}

Result<core::Page<Interval>> SqliteStore::intervals(RunId run, const std::string& cursor,
                                                    std::uint32_t limit) {
  return parts_->reader.intervals(run, cursor, limit);
}

Result<TraceRecord> SqliteStore::trace(RunId run) {
  return parts_->trace_reader.trace(run);
}

Result<core::Page<EventSample>> SqliteStore::trace_samples(RunId run, const std::string& event,
                                                           const std::string& cursor, std::uint32_t limit) {
  return parts_->trace_reader.samples(run, event, cursor, limit);
}

Result<core::Page<StackCount>> SqliteStore::trace_stacks(RunId run, const std::string& cursor,
                                                         std::uint32_t limit) {
  return parts_->trace_reader.stacks(run, cursor, limit);
}

Result<core::ProfileSummary> SqliteStore::profile(RunId run) {
  return parts_->profile_reader.profile(run);
}

Result<core::ProfilePart<FunctionStats>> SqliteStore::functions(RunId run, std::uint64_t offset,
                                                                std::uint32_t limit,
                                                                core::FunctionLists lists) {
  return parts_->profile_reader.functions(run, offset, limit, lists);
}

Result<core::ProfilePart<core::NamedEdge>> SqliteStore::call_edges(RunId run, std::uint64_t offset,
                                                                   std::uint32_t limit) {
  return parts_->profile_reader.edges(run, offset, limit);
}

Result<core::ProfilePart<core::NamedNode>> SqliteStore::call_nodes(RunId run, std::uint64_t offset,
                                                                   std::uint32_t limit) {
  return parts_->profile_reader.nodes(run, offset, limit);
}

Result<TrafficCount> SqliteStore::traffic(RunId run) {
  return parts_->reader.traffic(run);
}

Result<Fingerprint> SqliteStore::fingerprint(RunId run) {
  return read_fingerprint(parts_->database->connection(), run);
}

Result<Counters> SqliteStore::counters(RunId run) {
  return read_counters(parts_->database->connection(), run);
}

Result<SampleProfile> SqliteStore::samples(RunId run) {
  return read_samples(parts_->database->connection(), run);
}

Result<LatencyReport> SqliteStore::latency(RunId run) {
  return read_latency(parts_->database->connection(), run);
}

Result<std::vector<NamedFigure>> SqliteStore::named_figures(RunId run) {
  return read_named_figures(parts_->database->connection(), run);
}

Result<std::string> SqliteStore::document(RunId run, const std::string& name) {
  return parts_->reader.document(run, name);
}

Result<std::vector<core::SelectedRun>> SqliteStore::selected_runs(const core::RunFilter& filter,
                                                                  const std::vector<core::RunRange>& ranges,
                                                                  std::uint32_t most) {
  return parts_->comparison_reader.selected_runs(filter, ranges, most);
}

Result<core::RunNames> SqliteStore::run_names() {
  return parts_->comparison_reader.run_names();
}

Result<std::vector<analysis::ComparedRun>> SqliteStore::compared_runs(const std::vector<RunId>& runs,
                                                                      core::ComparedParts wanted) {
  return parts_->comparison_reader.compared_runs(runs, wanted);
}

Status SqliteStore::read_figures(const std::vector<Figure>& figures,
                                 std::vector<analysis::ComparedRun>& runs) {
  return read_figure_values(parts_->database->connection(), figures, runs);
}

Result<std::vector<FigureChoice>> SqliteStore::figures_of_job(JobId job) {
  return read_figures_of(parts_->database->connection(), job);
}

Result<std::vector<core::RunRow>> SqliteStore::runs_of_job(JobId job) {
  return parts_->reader.runs_of_job(job);
}

Result<std::vector<BootRecord>> SqliteStore::boots_of_job(JobId job) {
  return read_boots(parts_->database->connection(), job);
}

Status SqliteStore::set_held(JobId job, bool held) {
  return store::set_held(parts_->database->connection(), job, held);
}

Status SqliteStore::set_budget(JobId job, const JobBudget& budget) {
  return insert_budget(parts_->database->connection(), job, budget);
}

Result<std::optional<JobBudget>> SqliteStore::budget_of_job(JobId job) {
  return read_budget(parts_->database->connection(), job);
}

Status SqliteStore::add_boot(JobId job, const BootRecord& boot) {
  return insert_boot(parts_->database->connection(), job, boot);
}

Status SqliteStore::end_boot(JobId job, std::uint32_t number, const BootArrival& arrival) {
  return update_boot(parts_->database->connection(), job, number, arrival);
}

Result<std::optional<std::chrono::microseconds>> SqliteStore::time_between_runs(const std::string& scenario) {
  return read_time_between_runs(parts_->database->connection(), scenario);
}

Result<std::optional<std::chrono::microseconds>> SqliteStore::boot_time(const std::string& scenario) {
  return read_boot_time(parts_->database->connection(), scenario);
}

Result<core::Page<core::JobRow>> SqliteStore::jobs(const core::RunFilter& filter, const std::string& cursor,
                                                   std::uint32_t limit) {
  return read_jobs(parts_->database->connection(), filter, cursor, limit);
}

Status SqliteStore::set_label(JobId job, const std::string& label) {
  return parts_->writer.set_label(job, label);
}

Status SqliteStore::set_note(RunId run, const std::string& note) {
  return parts_->writer.set_note(run, note);
}

Result<std::vector<RunId>> SqliteStore::runs_with_file(uid_t owner, const std::string& sha256,
                                                       std::uint32_t most) {
  return store::runs_with_file(parts_->database->connection(), owner, sha256, most);
}

Status SqliteStore::remove(RunId run) {
  return parts_->writer.remove(run);
}

Result<core::UserUsage> SqliteStore::usage(uid_t owner, WallTime since, WallTime until) {
  return read_usage(parts_->database->connection(), owner, since, until);
}

Result<std::vector<core::StoredJob>> SqliteStore::stored_jobs(JobId before, std::uint32_t limit) {
  return read_stored_jobs(parts_->database->connection(), before, limit);
}

Result<std::uint64_t> SqliteStore::begin_removal(JobId job, core::RemovalBy by) {
  return mark_for_removal(parts_->database->connection(), job, by);
}

Result<std::optional<core::RunOfJob>> SqliteStore::next_removal() {
  return read_next_removal(parts_->database->connection());
}

Result<std::string> SqliteStore::job_text(JobId job) {
  return parts_->database->connection().value<std::string>(
      fmt::format("SELECT text FROM jobs WHERE id = {}", job));
}

Status SqliteStore::replace_reading(RunId run, const core::RunReading& reading,
                                    const core::AuditEntry& entry) {
  return parts_->writer.replace_reading(run, reading, entry);
}

Result<std::int64_t> SqliteStore::add(const core::AuditEntry& entry) {
  return parts_->audit.add(entry);
}

Status SqliteStore::update(const core::AuditEntry& entry) {
  return parts_->audit.update(entry);
}

Result<core::Page<core::AuditEntry>> SqliteStore::audit(const core::AuditFilter& filter,
                                                        const std::string& cursor, std::uint32_t limit) {
  return parts_->audit.read(filter, cursor, limit);
}

}  // namespace netperfd::store
