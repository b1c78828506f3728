// SPDX-License-Identifier: GPL-2.0-or-later
// What the store answers about runs; daemon/store implements it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/base/error.hpp"
#include "daemon/core/interval_points.hpp"
#include "daemon/core/ports/retention_store.hpp"
#include "daemon/model/boot_record.hpp"
#include "daemon/model/budget.hpp"
#include "daemon/model/counters.hpp"
#include "daemon/model/design.hpp"
#include "daemon/model/figure.hpp"
#include "daemon/model/fingerprint.hpp"
#include "daemon/model/function_profile.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/named_figure.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/run_state.hpp"
#include "daemon/model/sample_profile.hpp"
#include "daemon/model/stored_tables.hpp"
#include "daemon/model/trace_record.hpp"

namespace netperfd::core {

struct RunFilter {
  std::optional<JobId> job;
  std::optional<std::string> scenario;
  std::optional<std::string> label;
  std::optional<RunState> state;
  std::optional<std::string> variant;  // its name
  std::optional<bool> traced;          // false: runs without their job's trace
  std::optional<JobPurpose> purpose;
  std::optional<WallTime> since, until;  // when the job was created; since inclusive, until exclusive
  std::optional<uid_t> owner;            // of the job
};

struct TraceTotals {
  std::uint64_t events = 0;  // decoded
  std::uint64_t lost = 0;    // over all CPUs, computed by lost_of()
  std::string skipped;       // as in TraceRecord
  std::string broken;
  std::optional<double> tracer_share = std::nullopt;  // as in FunctionProfile
};

// One run without its long parts.
struct RunRow {
  RunId id = 0;
  JobId job = 0;
  std::uint32_t index = 0;  // within its job, from 1
  Slot slot;
  std::string variant;     // its name; empty without variants
  std::string build;       // empty if its side has no builds
  std::string point_name;  // empty without a sweep
  // Restored from the stored columns: name, description, label, repeat, until_decided, purpose, design
  // without the commands of its variants, workload, confirms and, for iperf3, server, local, netns, protocol,
  // direction, streams, duration, bytes and omit; for latency alone, server, local, netns and the duration as
  // that of iperf3. The rest has its defaults.
  JobSpec spec;
  uid_t owner = 0;
  RunState state = RunState::pending;
  std::string error;
  WallTime created;
  std::optional<WallTime> started, ended;
  std::string iperf3_version;
  std::optional<Endpoint> client, server;
  std::optional<std::uint32_t> mss_bytes;
  std::string congestion;
  std::optional<double> cpu_client_percent, cpu_server_percent;
  std::optional<ResourceUsage> client_usage;
  std::vector<Totals> sums;
  std::vector<QualityFlag> flags;
  std::vector<std::string> documents;  // names
  std::optional<TraceTotals> trace;    // absent if the job asked for no trace
  std::string note;
  std::vector<SourceFile> files;  // of an imported run
  // The round trips of the first probe, under load if there is one.
  struct Latency {
    std::string phase;
    std::optional<std::uint64_t> p50_ns, p99_ns;
    std::optional<double> lost_percent;
  };
  std::optional<Latency> latency = std::nullopt;
  std::optional<NamedFigure> figure = std::nullopt;  // the first of its own that its job judges
};

// A job and the ends of its runs.
struct JobRow {
  JobId id = 0;
  std::string scenario, label;
  uid_t owner = 0;
  WallTime created;
  std::uint32_t repeat = 0;
  JobPurpose purpose = JobPurpose::measurement;
  std::optional<Design> design;  // without the commands of its variants
  std::optional<JobId> confirms = std::nullopt;
  std::uint32_t points = 0;  // of its sweep, by its runs; 0: it is none
  std::string origin = {};   // of a job from a bundle, unless it is one of many in a list
  struct Run {
    RunId id = 0;
    RunState state = RunState::pending;
    std::optional<WallTime> started, ended;
    bool needed = true;  // false: canceled, since its job was decided without it
  };
  std::vector<Run> runs;  // oldest first, never none
};

template <class Row>
struct Page {
  std::vector<Row> rows;
  std::string next;  // cursor of the next page, empty at the end
};

// A function profile without its lists.
struct ProfileSummary {
  FunctionProfile profile;                            // functions, edges and tree are empty
  std::uint64_t functions = 0, edges = 0, nodes = 0;  // number of each
  // Over all functions. self_ns is absent if no function has it; corrected_self_ns if any lacks it, or if
  // there is no function.
  std::uint64_t hits = 0;
  std::optional<std::uint64_t> self_ns;
  std::optional<std::uint64_t> corrected_self_ns;
};

// Consecutive rows of one list of a profile. A run that has ended does not change, so row numbers are enough
// to continue.
template <class Row>
struct ProfilePart {
  std::vector<Row> rows;
  std::uint64_t total = 0;  // rows in the whole list
};

// The long lists of a function.
struct FunctionLists {
  bool histogram = false, slices = false;
};

// The identity of a function, as in FunctionStats.
struct FunctionName {
  std::string name, module;
  std::uint32_t duplicate = 0;
};
struct NamedEdge {
  CallEdge edge;
  FunctionName caller, callee;
};
struct NamedNode {
  CallNode node;
  std::uint32_t depth = 0;  // 0: a root
  FunctionName function;
};

// Run numbers, both ends inclusive.
struct RunRange {
  RunId first = 0, last = 0;
};

// A run that matches a selection (run_selection.hpp).
struct SelectedRun {
  RunId id = 0;
  JobId job = 0;
  std::string scenario, label;
  Slot slot;
  std::optional<WallTime> started, ended;
  std::optional<WallTime> imported = std::nullopt;  // when its bundle came; absent: it came in none
  uid_t owner = 0;
};

// The parts of a run that a comparison reads.
enum class ComparedParts {
  throughput,  // ComparedRun's job, times, place in the design and throughput; a trace without its lists
  judged,      // what a verdict needs: all but the functions of traces and the samples
  all
};

struct OwnedRun {
  JobId job = 0;
  uid_t owner = 0;
};

// Names used by jobs, each once.
struct RunNames {
  std::vector<std::string> scenarios, labels;
};

// What is wrong in the whole store, and how large it is.
struct StoreCheck {
  std::vector<std::string> problems;              // none: it is whole. Not all of many
  std::uint64_t version = 0, newest_version = 0;  // of its schema, and the one that this program knows
  std::uint64_t jobs = 0, runs = 0;
  std::uint64_t bytes = 0;       // of its file
  std::uint64_t free_bytes = 0;  // of these: not in use
  // Those of whose rows some are not as they were stored, in order.
  std::vector<RunId> damaged_runs = {};
  std::vector<JobId> damaged_jobs = {};
};

// An error of kind io also means that what was asked for is not as it was stored: no figure of it is given
// then. In a list, a row without figures stands for it.
class RunQueries {
 public:
  virtual ~RunQueries() = default;
  // Newest first.
  [[nodiscard]] virtual Result<Page<RunRow>> runs(const RunFilter& filter, const std::string& cursor,
                                                  std::uint32_t limit) = 0;
  // 0 means the newest run that has ended.
  [[nodiscard]] virtual Result<RunRow> run(RunId run) = 0;
  // Whose it is, and of which job; root's if that is damaged.
  [[nodiscard]] virtual Result<OwnedRun> owner_of(RunId run) = 0;
  [[nodiscard]] virtual Result<uid_t> owner_of_job(JobId job) = 0;
  // By one look at an index.
  [[nodiscard]] virtual Result<bool> owns_jobs(uid_t user) = 0;
  [[nodiscard]] virtual Result<std::vector<Totals>> streams(RunId run) = 0;
  // In the order of iperf3's document.
  [[nodiscard]] virtual Result<Page<Interval>> intervals(RunId run, const std::string& cursor,
                                                         std::uint32_t limit) = 0;
  // Those of the sums, put together to at most `most` points.
  [[nodiscard]] virtual Result<IntervalPoints> interval_points(RunId run, std::uint32_t most) = 0;
  // Whether it has more intervals than that, those of its streams among them.
  [[nodiscard]] virtual Result<bool> has_more_intervals(RunId run, std::uint32_t than) = 0;
  // Without samples, stacks, profile and recording, which are long. not_found if the run has no trace.
  [[nodiscard]] virtual Result<TraceRecord> trace(RunId run) = 0;
  // By time; only one event if `event` is not empty.
  [[nodiscard]] virtual Result<Page<EventSample>> trace_samples(RunId run, const std::string& event,
                                                                const std::string& cursor,
                                                                std::uint32_t limit) = 0;
  // By event, the most frequent first.
  [[nodiscard]] virtual Result<Page<StackCount>> trace_stacks(RunId run, const std::string& cursor,
                                                              std::uint32_t limit) = 0;
  // not_found if the run has no profile; the same holds for the lists that follow.
  [[nodiscard]] virtual Result<ProfileSummary> profile(RunId run) = 0;
  // `limit` rows from number `offset` on, fewer at the end. The cost depends only on these rows, however long
  // the list is. Functions come without the lists that are not asked for.
  [[nodiscard]] virtual Result<ProfilePart<FunctionStats>> functions(RunId run, std::uint64_t offset,
                                                                     std::uint32_t limit,
                                                                     FunctionLists lists) = 0;
  [[nodiscard]] virtual Result<ProfilePart<NamedEdge>> call_edges(RunId run, std::uint64_t offset,
                                                                  std::uint32_t limit) = 0;
  [[nodiscard]] virtual Result<ProfilePart<NamedNode>> call_nodes(RunId run, std::uint64_t offset,
                                                                  std::uint32_t limit) = 0;
  [[nodiscard]] virtual Result<TrafficCount> traffic(RunId run) = 0;
  // not_found if none was taken.
  [[nodiscard]] virtual Result<Fingerprint> fingerprint(RunId run) = 0;
  // not_found if none were read.
  [[nodiscard]] virtual Result<Counters> counters(RunId run) = 0;
  // not_found if the run was not sampled; SampleProfile::skipped if it was meant to be.
  [[nodiscard]] virtual Result<SampleProfile> samples(RunId run) = 0;
  // not_found if the run had no probes.
  [[nodiscard]] virtual Result<LatencyReport> latency(RunId run) = 0;
  // That its workload or its scenario brought, those that the job judges first, the others by name; most runs
  // have none.
  [[nodiscard]] virtual Result<std::vector<NamedFigure>> named_figures(RunId run) = 0;
  [[nodiscard]] virtual Result<std::string> document(RunId run, const std::string& name) = 0;
  // All that the store has of these runs and of their jobs. not_found if a run does not exist, busy if one
  // has not ended, invalid_argument if it is more than `most_bytes`.
  [[nodiscard]] virtual Result<StoredTables> tables(const std::vector<RunId>& runs,
                                                    std::size_t most_bytes) = 0;
  // Newest first. Returns the runs that pass the filter and, if there are ranges, lie within one of them. The
  // ranges must be disjoint and in order.
  [[nodiscard]] virtual Result<std::vector<SelectedRun>> selected_runs(const RunFilter& filter,
                                                                       const std::vector<RunRange>& ranges,
                                                                       std::uint32_t most) = 0;
  [[nodiscard]] virtual Result<RunNames> run_names() = 0;
  // In the given order, without the data that a comparison does not need; not_found if a run does not exist.
  [[nodiscard]] virtual Result<std::vector<analysis::ComparedRun>> compared_runs(
      const std::vector<RunId>& runs, ComparedParts wanted) = 0;
  // Fills ComparedRun::figures of runs that exist with those of the registry, and own_figures with all that
  // they have of their own.
  [[nodiscard]] virtual Status read_figures(const std::vector<Figure>& figures,
                                            std::vector<analysis::ComparedRun>& runs) = 0;
  // That its scenario declares, in their order; none: it declares none.
  [[nodiscard]] virtual Result<std::vector<FigureChoice>> figures_of_job(JobId job) = 0;
  // The most blocks that its text has for a job that measures until it is decided, even if it is a pilot or a
  // self-test; absent: it has none.
  [[nodiscard]] virtual Result<std::optional<std::uint32_t>> until_of_job(JobId job) = 0;
  // What its text says of the test: the workload with its keys and its path, what is measured beside it, and
  // the sides and points of a design. Jobs in which it is the same measure the same. Empty: it says nothing.
  [[nodiscard]] virtual Result<std::string> test_of_job(JobId job) = 0;
  // Newest first. Of the filter only scenario, label, purpose, since, until and owner.
  [[nodiscard]] virtual Result<Page<JobRow>> jobs(const RunFilter& filter, const std::string& cursor,
                                                  std::uint32_t limit) = 0;
  // All runs of the job in any state, oldest first.
  [[nodiscard]] virtual Result<std::vector<RunRow>> runs_of_job(JobId job) = 0;
  // The reboots that the job has asked for, in their order; none if it does not reboot the machine.
  [[nodiscard]] virtual Result<std::vector<BootRecord>> boots_of_job(JobId job) = 0;
  // Absent if the job has no budget, or its functions were not chosen yet.
  [[nodiscard]] virtual Result<std::optional<JobBudget>> budget_of_job(JobId job) = 0;

  // These read the whole store. As RetentionStore::stored_jobs().
  [[nodiscard]] virtual Result<std::vector<StoredJob>> stored_jobs(JobId before, std::uint32_t limit) = 0;
  // Reads every page. Damage is a problem in the answer, not an error.
  [[nodiscard]] virtual Result<StoreCheck> check_store() = 0;
  // Gives `sink` the bytes of a database file with all that is stored at this moment, in order. Ends with the
  // first error of `sink`.
  using Sink = std::function<Status(std::string_view bytes)>;
  [[nodiscard]] virtual Status copy_store(const Sink& sink) = 0;
};

}  // namespace netperfd::core
