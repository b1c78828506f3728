// The ports of the core: what a run needs from the outside, each with one real implementation and one fake
// for tests.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/analysis/comparison.hpp"
#include "daemon/base/error.hpp"
#include "daemon/core/command_ports.hpp"
#include "daemon/core/trace_ports.hpp"
#include "daemon/model/counters.hpp"
#include "daemon/model/fingerprint.hpp"
#include "daemon/model/function_profile.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/run_state.hpp"

namespace netperfd::core {

// ---- Workload: the processes that make traffic
// -----------------------------------------------------------------

// Told of what happens to one workload, on the loop thread, never from inside prepare(), release() or stop().
class WorkloadListener {
 public:
  virtual ~WorkloadListener() = default;
  // Everything is in place and waits for release(). At most once.
  virtual void workload_prepared() = 0;
  // A live interval (the sum of one direction), where this iperf3 can tell before its end.
  virtual void workload_interval(const Interval& interval) = 0;
  // The last call, exactly once: no process is left. The listener may destroy the workload inside it.
  virtual void workload_ended(WorkloadResult result) = 0;
};

// The processes of one run. Destroying it kills what is left of them.
class ActiveWorkload {
 public:
  virtual ~ActiveWorkload() = default;
  // Lets the prepared client go: the moment the measurement begins.
  virtual void release() = 0;
  // Ends it early, politely first, then by force; workload_ended follows.
  virtual void stop() = 0;
  // Its processes on this host, from workload_prepared on; empty where it has none.
  [[nodiscard]] virtual std::vector<pid_t> pids() const = 0;
};

class Workload {
 public:
  virtual ~Workload() = default;
  // Starts what `spec` needs up to the point where only release() is missing. `listener` must outlive the
  // result. An error means that nothing was started; later failures come through workload_ended.
  [[nodiscard]] virtual Result<std::unique_ptr<ActiveWorkload>> prepare(const JobSpec& spec,
                                                                        WorkloadListener& listener) = 0;
};

// ---- RunStore: what outlives the daemon
// --------------------------------------------------------------------------

struct NewJob {
  JobId id = 0;
  std::vector<RunId> runs;  // one an arm, in order, all pending
};

class RunStore {
 public:
  virtual ~RunStore() = default;
  // One transaction: the job and its pending runs, one an arm. A job with a design has its seed by now.
  // no_space where the disk is below its floor.
  [[nodiscard]] virtual Result<NewJob> add_job(const JobSpec& spec, const std::vector<Arm>& arms, uid_t owner,
                                               WallTime now) = 0;
  // A step to a state that has not ended; refused where may_follow() is false.
  [[nodiscard]] virtual Status set_state(RunId run, RunState state) = 0;
  // One transaction: the job's runs that are still pending become canceled with this error.
  [[nodiscard]] virtual Status cancel_pending(JobId job, const std::string& error) = 0;
  // One transaction, once: everything of an ended run. A second call for the same run is refused.
  [[nodiscard]] virtual Status finish(const RunRecord& record) = 0;
};

// ---- PacketCounter: what the devices counted
// ---------------------------------------------------------------------

// The counters of one run's device; holds what it needs to read them again when the workload's processes are
// gone.
class ActivePacketCount {
 public:
  virtual ~ActivePacketCount() = default;
  // What was counted since open(); absent where it cannot be read or the device went away.
  [[nodiscard]] virtual std::optional<PacketCount> count() = 0;
};

class PacketCounter {
 public:
  virtual ~PacketCounter() = default;
  // Begins to count. `workload` as of ActiveWorkload::pids(). Null where no device of this host carries the
  // workload's packets or none can be told.
  [[nodiscard]] virtual std::unique_ptr<ActivePacketCount> open(const JobSpec& spec,
                                                                const std::vector<pid_t>& workload) = 0;
};

// ---- CounterSource: what the kernel counted
// --------------------------------------------------------------------

// The counters around one run. It holds what it needs to read them again when the workload's processes and
// the last task of their namespaces are gone.
class ActiveCounters {
 public:
  virtual ~ActiveCounters() = default;
  // The client was let go just now: time 0 of the samples, which begin here.
  virtual void released() = 0;
  // What was counted since open(); the last call. Takes about as long as open(), once the workload is gone.
  [[nodiscard]] virtual Counters finish() = 0;
};

class CounterSource {
 public:
  virtual ~CounterSource() = default;
  // Reads all counters for the first time. `workload` as of ActiveWorkload::pids(). Never null: what cannot
  // be read is in Counters::unknown.
  [[nodiscard]] virtual std::unique_ptr<ActiveCounters> open(const JobSpec& spec,
                                                             const std::vector<pid_t>& workload) = 0;
};

// ---- FingerprintSource: the environment
// ------------------------------------------------------------------------

class FingerprintSource {
 public:
  virtual ~FingerprintSource() = default;
  // The facts of this moment, without those of the group trace, which trace_facts() knows. `workload` as of
  // ActiveWorkload::pids(). Never fails: what cannot be learnt is in Fingerprint::unknown. Starts no process.
  [[nodiscard]] virtual Fingerprint take(const JobSpec& spec, const std::vector<pid_t>& workload) = 0;
};

// ---- Clock
// ---------------------------------------------------------------------------------------------------------

// Destroying it cancels the call, also from inside the call.
using Timer = std::shared_ptr<void>;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual WallTime now() = 0;
  // Calls back once from the loop, after `delay` of monotonic time; 0 means in the next turn.
  [[nodiscard]] virtual Timer after(std::chrono::milliseconds delay, std::function<void()> callback) = 0;
};

// ---- RunObserver: who is told
// ---------------------------------------------------------------------------------------

enum class JobState { pending, running, finished, failed, canceled };
[[nodiscard]] std::string_view to_string(JobState state);
[[nodiscard]] inline bool has_ended(JobState state) {
  return state > JobState::running;
}

// A live job as others see it; a value, made anew for each call.
struct JobStatus {
  JobId id = 0;
  std::string scenario;
  std::string label;
  uid_t owner = 0;
  std::uint32_t repeat = 1;  // as in JobSpec
  JobPurpose purpose = JobPurpose::measurement;
  std::optional<Design> design;  // with its seed
  std::vector<RunId> runs;
  std::vector<Arm> arms;                             // one a run
  std::optional<std::chrono::milliseconds> planned;  // one run, when all goes well
  // Ended: failed if a command of its design failed, else canceled if any run was, else failed if any was.
  JobState state = JobState::pending;
  std::uint32_t runs_ended = 0;
  std::uint32_t runs_finished = 0;
  std::optional<RunId> current_run;
  RunState run_state = RunState::pending;  // of the current run, else of the last
  double progress = 0;  // of the job, 0 to 1; never falls; runs of unknown length count when they have ended
  std::uint32_t queue_position = 0;      // live jobs before this one; 0 once it has begun
  std::optional<WallTime> expected_end;  // absent: unknown, or it has ended
  std::string error;  // of the last run that failed, and why the machine is not on the side that it was on
  std::string side_error;  // the latter alone
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void job_added(const JobStatus& job) = 0;
  virtual void job_changed(const JobStatus& job) = 0;
  virtual void run_interval(JobId job, RunId run, const Interval& interval) = 0;
  virtual void run_trace(JobId job, RunId run, const TraceProgress& progress) = 0;
  // Only after its record is stored.
  virtual void run_ended(const JobStatus& job, RunId run, RunState state, const std::string& error) = 0;
  // It is forgotten here; its runs stay in the store.
  virtual void job_removed(JobId job) = 0;
};

// ---- What the bus asks, answered by daemon/config and daemon/store
// ---------------------------------------------------

// What a caller changes about a scenario for one job.
struct JobOptions {
  std::vector<std::string> overrides;  // "workload.iperf3.streams=8"
  std::optional<std::string> label;
  std::optional<std::uint32_t> repeat;
  JobPurpose purpose = JobPurpose::measurement;
};

struct ScenarioRow {
  std::string name;
  std::string description;
  std::string file;   // its path
  std::string error;  // empty, or why it cannot be started
};

class ScenarioSource {
 public:
  virtual ~ScenarioSource() = default;
  [[nodiscard]] virtual std::vector<ScenarioRow>
  list() = 0;  // by name; wrong files are listed with their error
  [[nodiscard]] virtual Result<JobSpec> load(const std::string& name, const JobOptions& options) = 0;
  // `origin` stands for the file in error texts.
  [[nodiscard]] virtual Result<JobSpec> parse(const std::string& text, const std::string& origin,
                                              const JobOptions& options) = 0;
};

struct RunFilter {
  std::optional<JobId> job;
  std::optional<std::string> scenario;
  std::optional<std::string> label;
  std::optional<RunState> state;
  std::optional<std::string> variant;  // by its name
  std::optional<bool> traced;          // false: runs without their job's trace
  std::optional<JobPurpose> purpose;
  std::optional<WallTime> since, until;  // of the job's creation; since inclusive, until exclusive
};

// A trace in a line.
struct TraceTotals {
  std::uint64_t events = 0;  // decoded
  std::uint64_t lost = 0;    // over all CPUs, as lost_of() counts
  std::string skipped;       // as in TraceRecord
  std::string broken;
};

// One run, without its long parts.
struct RunRow {
  RunId id = 0;
  JobId job = 0;
  std::uint32_t index = 0;  // within its job, from 1
  Arm arm;
  std::string variant;  // its name; empty without variants
  // Read again from the stored columns: name, description, label, repeat, purpose, design without the
  // commands of its variants, workload and, of iperf3, server, local, netns, protocol, direction, streams,
  // duration, bytes and omit. The rest has its defaults.
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
  std::optional<TraceTotals> trace;    // absent where the job asked for no trace
};

template <class Row>
struct Page {
  std::vector<Row> rows;
  std::string next;  // cursor of the page that follows, empty at the end
};

// A function profile without its lists.
struct ProfileSummary {
  FunctionProfile profile;                            // functions, edges and tree are empty
  std::uint64_t functions = 0, edges = 0, nodes = 0;  // how many of each there are
  // Over all functions; corrected_self_ns is absent where that of any function is, or there is none.
  std::uint64_t hits = 0, self_ns = 0;
  std::optional<std::uint64_t> corrected_self_ns;
};

// Consecutive rows of one of a profile's lists. A run that has ended does not change, so numbers lead from
// one part to the next.
template <class Row>
struct ProfilePart {
  std::vector<Row> rows;
  std::uint64_t total = 0;  // of the list
  bool timed = true;        // as in FunctionProfile
};

// The long lists of a function.
struct FunctionLists {
  bool histogram = false, slices = false;
};

// What tells a function from all others, as in FunctionStats.
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

// Run numbers, both ends included.
struct RunRange {
  RunId first = 0, last = 0;
};

// A run that a selection means (run_selection.hpp).
struct SelectedRun {
  RunId id = 0;
  JobId job = 0;
  std::string scenario, label;
  Arm arm;
  std::optional<WallTime> started, ended;
};

// What is read of runs that are compared.
enum class ComparedParts {
  throughput,  // ComparedRun's job, times, place in the design and throughput; a trace without its lists
  all
};

// What jobs are called, each once.
struct RunNames {
  std::vector<std::string> scenarios, labels;
};

class RunQueries {
 public:
  virtual ~RunQueries() = default;
  // Newest first.
  [[nodiscard]] virtual Result<Page<RunRow>> runs(const RunFilter& filter, const std::string& cursor,
                                                  std::uint32_t limit) = 0;
  // 0 is the newest run that has ended.
  [[nodiscard]] virtual Result<RunRow> run(RunId run) = 0;
  [[nodiscard]] virtual Result<std::vector<Totals>> streams(RunId run) = 0;
  // In the order of iperf3's document.
  [[nodiscard]] virtual Result<Page<Interval>> intervals(RunId run, const std::string& cursor,
                                                         std::uint32_t limit) = 0;
  // Without samples, stacks, profile and recording, which are long; not_found where the run has no trace.
  [[nodiscard]] virtual Result<TraceRecord> trace(RunId run) = 0;
  // By time, or of one event where `event` is not empty.
  [[nodiscard]] virtual Result<Page<EventSample>> trace_samples(RunId run, const std::string& event,
                                                                const std::string& cursor,
                                                                std::uint32_t limit) = 0;
  // By event, the most frequent first.
  [[nodiscard]] virtual Result<Page<StackCount>> trace_stacks(RunId run, const std::string& cursor,
                                                              std::uint32_t limit) = 0;
  // not_found, as of the lists that follow, where the run has no profile.
  [[nodiscard]] virtual Result<ProfileSummary> profile(RunId run) = 0;
  // `limit` rows from number `offset` on, fewer at the end; at the cost of these rows, however long the list
  // is. Functions come without the lists that are not asked for.
  [[nodiscard]] virtual Result<ProfilePart<FunctionStats>> functions(RunId run, std::uint64_t offset,
                                                                     std::uint32_t limit,
                                                                     FunctionLists lists) = 0;
  [[nodiscard]] virtual Result<ProfilePart<NamedEdge>> call_edges(RunId run, std::uint64_t offset,
                                                                  std::uint32_t limit) = 0;
  [[nodiscard]] virtual Result<ProfilePart<NamedNode>> call_nodes(RunId run, std::uint64_t offset,
                                                                  std::uint32_t limit) = 0;
  [[nodiscard]] virtual Result<Traffic> traffic(RunId run) = 0;
  // not_found where none was taken.
  [[nodiscard]] virtual Result<Fingerprint> fingerprint(RunId run) = 0;
  // not_found where none were read.
  [[nodiscard]] virtual Result<Counters> counters(RunId run) = 0;
  [[nodiscard]] virtual Result<std::string> document(RunId run, const std::string& name) = 0;
  // Newest first, those that pass the filter and, where there are ranges, are within one of them; the ranges
  // are apart and in order.
  [[nodiscard]] virtual Result<std::vector<SelectedRun>> selected_runs(const RunFilter& filter,
                                                                       const std::vector<RunRange>& ranges,
                                                                       std::uint32_t most) = 0;
  [[nodiscard]] virtual Result<RunNames> run_names() = 0;
  // In this order, without what a comparison does not ask for; not_found where one is not there.
  [[nodiscard]] virtual Result<std::vector<analysis::ComparedRun>> compared_runs(
      const std::vector<RunId>& runs, ComparedParts wanted) = 0;
  // All of the job's runs in whatever state, oldest first.
  [[nodiscard]] virtual Result<std::vector<RunRow>> runs_of_job(JobId job) = 0;
  // With everything that belongs to it; refused (busy) while it has not ended. The last run takes its job
  // along.
  [[nodiscard]] virtual Status remove(RunId run) = 0;
};

}  // namespace netperfd::core
