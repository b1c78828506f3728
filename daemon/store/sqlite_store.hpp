// SPDX-License-Identifier: GPL-2.0-or-later
// The stored runs: one SQLite file. docs/database.md describes it for readers of the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/core/ports/audit_store.hpp"
#include "daemon/core/ports/reread_store.hpp"
#include "daemon/core/ports/retention_store.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/core/ports/run_store.hpp"

namespace netperfd::store {

// For use by one thread. Destroying it closes the file and gives up its ownership.
class SqliteStore final : public core::RunStore,
                          public core::RunQueries,
                          public core::AuditStore,
                          public core::RetentionStore,
                          public core::RereadStore {
 public:
  // Creates the database (mode 0640, in an existing directory) or opens an existing one: migrates it if it is
  // older, and ends every run that was under way as `interrupted`. Each run needs `min_free_bytes` on the
  // database's file system; a part of them is allocated for the log. On a disk that takes no change, the runs
  // can be read, and each change tries again, as Database::open(); before the first change, the runs are
  // ended. Errors, which leave the file as it was:
  //   busy              another process owns it
  //   invalid_argument  it is another program's database
  //   unsupported       a newer netperfd has migrated it, or a development version made it
  //   no_space          the disk is too full to copy and migrate it
  //   io                it is damaged, or the system refuses
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open(const std::string& path,
                                                                 std::uint64_t min_free_bytes);
  // Opens the database of a running daemon for reading, as it is at this moment, in a process that will lose
  // its privileges; from then on no file of the process can be opened for writing by SQLite. Everything that
  // would change the database fails.
  [[nodiscard]] static Result<std::unique_ptr<core::RunQueries>> open_read_only(const std::string& path);
  // In a process of its own: copies `file` beside the database at `path`, as candidate_of(path), migrates the
  // copy and opens it for reading only, as open_read_only() does. Returns it with the version that `file`
  // had. Errors: those of copy_candidate().
  struct Candidate {
    std::unique_ptr<core::RunQueries> queries;
    std::int64_t version = 0;
  };
  [[nodiscard]] static Result<Candidate> open_candidate(const Fd& file, const std::string& path);
  // Opens the database for reading, whether or not a daemon runs, and changes nothing of it: as
  // Database::open_to_look().
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open_to_look(const std::string& path);
  ~SqliteStore() override;

  // Copies the whole database to a new file; on disk when this returns.
  [[nodiscard]] Status copy_to(const std::string& target);

  // Puts the checked candidate in the place of the database, whose file is kept; returns that file's name.
  // Jobs of the candidate that had not ended are canceled, and numbers go on from where they are greater. As
  // Database::replace(); after an error whose kind is internal, the store cannot be used.
  [[nodiscard]] Result<std::string> replace_by_candidate(WallTime now);
  // Removes a candidate that an earlier daemon has left.
  void remove_candidate();

  // Findings of open(), for the log.
  [[nodiscard]] std::uint64_t interrupted_runs() const;  // number of runs that it ended
  [[nodiscard]] const std::string& copy_path() const;    // the copy made before a migration, or empty
  [[nodiscard]] bool was_unclosed() const;               // not closed by the previous daemon; it was checked

  [[nodiscard]] std::string rescue();  // as Database::rescue()

  // Also io, naming the path, while another program has replaced, removed or emptied the file, or if SQLite
  // has found damage in it. The former refuses every other change too.
  [[nodiscard]] Status expect_room() override;
  [[nodiscard]] Result<core::NewJob> add_job(const JobSpec& spec, const std::vector<Slot>& slots, uid_t owner,
                                             WallTime now) override;
  [[nodiscard]] Result<std::vector<core::NewJob>> add_bundle(const StoredTables& content, uid_t owner,
                                                             const std::string& flag, WallTime now) override;
  [[nodiscard]] Result<std::vector<core::UnfinishedJob>> unfinished_jobs() override;
  [[nodiscard]] Status set_state(RunId run, RunState state) override;
  [[nodiscard]] Status cancel_pending(JobId job, const std::string& error) override;
  [[nodiscard]] Status add_intervals(RunId run, std::span<const Interval> intervals,
                                     std::size_t first) override;
  [[nodiscard]] Status finish(const RunRecord& record) override;
  [[nodiscard]] Status remove(RunId run) override;
  [[nodiscard]] Status set_label(JobId job, const std::string& label) override;
  [[nodiscard]] Status set_note(RunId run, const std::string& note) override;
  [[nodiscard]] Status set_held(JobId job, bool held) override;
  [[nodiscard]] Status set_budget(JobId job, const JobBudget& budget) override;
  [[nodiscard]] Status add_boot(JobId job, const BootRecord& boot) override;
  [[nodiscard]] Status end_boot(JobId job, std::uint32_t number, const BootArrival& arrival) override;
  [[nodiscard]] Result<std::optional<std::chrono::microseconds>> time_between_runs(
      const std::string& scenario) override;
  [[nodiscard]] Result<std::optional<std::chrono::microseconds>> boot_time(
      const std::string& scenario) override;
  [[nodiscard]] Result<std::optional<std::uint64_t>> bytes_of_run(const std::string& scenario,
                                                                  uid_t owner) override;
  [[nodiscard]] std::optional<std::uint64_t> room() override;
  [[nodiscard]] Result<std::vector<RunId>> runs_with_file(uid_t owner, const std::string& sha256,
                                                          std::uint32_t most) override;
  [[nodiscard]] Result<core::UserUsage> usage(uid_t owner, WallTime since, WallTime until) override;

  [[nodiscard]] Result<std::string> job_text(JobId job) override;
  [[nodiscard]] Status replace_reading(RunId run, const core::RunReading& reading,
                                       const core::AuditEntry& entry) override;

  [[nodiscard]] Result<std::int64_t> add(const core::AuditEntry& entry) override;
  [[nodiscard]] Status update(const core::AuditEntry& entry) override;
  [[nodiscard]] Result<core::Page<core::AuditEntry>> audit(const core::AuditFilter& filter,
                                                           const std::string& cursor,
                                                           std::uint32_t limit) override;

  [[nodiscard]] Result<core::Page<core::RunRow>> runs(const core::RunFilter& filter,
                                                      const std::string& cursor,
                                                      std::uint32_t limit) override;
  [[nodiscard]] Result<core::RunRow> run(RunId run) override;
  [[nodiscard]] Result<core::OwnedRun> owner_of(RunId run) override;
  [[nodiscard]] Result<uid_t> owner_of_job(JobId job) override;
  [[nodiscard]] Result<bool> owns_jobs(uid_t user) override;
  [[nodiscard]] Result<std::vector<Totals>> streams(RunId run) override;
  [[nodiscard]] Result<core::Page<Interval>> intervals(RunId run, const std::string& cursor,
                                                       std::uint32_t limit) override;
  [[nodiscard]] Result<core::IntervalPoints> interval_points(RunId run, std::uint32_t most) override;
  [[nodiscard]] Result<bool> has_more_intervals(RunId run, std::uint32_t than) override;
  [[nodiscard]] Result<TraceRecord> trace(RunId run) override;
  [[nodiscard]] Result<core::Page<EventSample>> trace_samples(RunId run, const std::string& event,
                                                              const std::string& cursor,
                                                              std::uint32_t limit) override;
  [[nodiscard]] Result<core::Page<StackCount>> trace_stacks(RunId run, const std::string& cursor,
                                                            std::uint32_t limit) override;
  [[nodiscard]] Result<core::ProfileSummary> profile(RunId run) override;
  [[nodiscard]] Result<core::ProfilePart<FunctionStats>> functions(RunId run, std::uint64_t offset,
                                                                   std::uint32_t limit,
                                                                   core::FunctionLists lists) override;
  [[nodiscard]] Result<core::ProfilePart<core::NamedEdge>> call_edges(RunId run, std::uint64_t offset,
                                                                      std::uint32_t limit) override;
  [[nodiscard]] Result<core::ProfilePart<core::NamedNode>> call_nodes(RunId run, std::uint64_t offset,
                                                                      std::uint32_t limit) override;
  [[nodiscard]] Result<TrafficCount> traffic(RunId run) override;
  [[nodiscard]] Result<Fingerprint> fingerprint(RunId run) override;
  [[nodiscard]] Result<Counters> counters(RunId run) override;
  [[nodiscard]] Result<SampleProfile> samples(RunId run) override;
  [[nodiscard]] Result<LatencyReport> latency(RunId run) override;
  [[nodiscard]] Result<std::vector<NamedFigure>> named_figures(RunId run) override;
  [[nodiscard]] Result<std::string> document(RunId run, const std::string& name) override;
  [[nodiscard]] Result<StoredTables> tables(const std::vector<RunId>& runs, std::size_t most_bytes) override;
  [[nodiscard]] Result<std::vector<core::SelectedRun>> selected_runs(
      const core::RunFilter& filter, const std::vector<core::RunRange>& ranges, std::uint32_t most) override;
  [[nodiscard]] Result<core::RunNames> run_names() override;
  [[nodiscard]] Result<std::vector<analysis::ComparedRun>> compared_runs(const std::vector<RunId>& runs,
                                                                         core::ComparedParts wanted) override;
  [[nodiscard]] Status read_figures(const std::vector<Figure>& figures,
                                    std::vector<analysis::ComparedRun>& runs) override;
  [[nodiscard]] Result<std::vector<FigureChoice>> figures_of_job(JobId job) override;
  [[nodiscard]] Result<std::optional<std::uint32_t>> until_of_job(JobId job) override;
  [[nodiscard]] Result<std::string> test_of_job(JobId job) override;
  [[nodiscard]] Result<core::Page<core::JobRow>> jobs(const core::RunFilter& filter,
                                                      const std::string& cursor,
                                                      std::uint32_t limit) override;
  [[nodiscard]] Result<std::vector<core::RunRow>> runs_of_job(JobId job) override;
  [[nodiscard]] Result<std::vector<BootRecord>> boots_of_job(JobId job) override;
  [[nodiscard]] Result<std::optional<JobBudget>> budget_of_job(JobId job) override;
  [[nodiscard]] Result<core::StoreCheck> check_store() override;
  [[nodiscard]] Status copy_store(const Sink& sink) override;

  [[nodiscard]] Result<std::vector<core::StoredJob>> stored_jobs(JobId before, std::uint32_t limit) override;
  [[nodiscard]] Result<std::uint64_t> begin_removal(JobId job, core::RemovalBy by) override;
  [[nodiscard]] Result<std::optional<core::RunOfJob>> next_removal() override;

 private:
  struct Parts;
  explicit SqliteStore(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace netperfd::store
